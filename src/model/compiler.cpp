// SPDX-License-Identifier: MIT
// The tree into a program: variables, the object's operations, the specification's, the clients.
#include <fmt/format.h>

#include <algorithm>

#include "model/clients.hpp"
#include "model/operation.hpp"
#include "model/parser.hpp"

namespace plumb::model {
namespace {

constexpr std::size_t kMostCells = 4096;

class Compiler {
 public:
  Compiler(const ModelText& text, const Settings& settings) : text_(text), settings_(settings) {}

  Program run() {
    unknown_setting_ = names_.declare_constants(text_, settings_);
    names_.declare_enumerations(text_);
    p_.constants = names_.constants();
    p_.enumerations = names_.enumerations();
    if (!text_.object)
      reject({1, 1}, "there is no object", "write: object NAME { shared ... op ... }");
    p_.object = text_.object->name;
    p_.points.push_back({});
    if (!text_.clients.empty()) processes_ = count_processes(text_, names_);
    object();
    if (!text_.spec)
      reject(text_.object->place, "there is no specification",
             "write: spec { state ... op ... } with the same operations, as they are sequentially");
    spec();
    if (text_.clients.empty())
      reject(text_.clients_place.line ? text_.clients_place : text_.object->place,
             "there are no clients", "write: clients { 2 x any }");
    add_clients(text_, names_, p_);
    p_.layout = make_layout(p_);
    return std::move(p_);
  }

  const std::string& unknown_setting() const { return unknown_setting_; }

 private:
  // ---- variables

  void variables(const PartText& part, std::vector<Variable>& out, std::vector<Cell>& initial) {
    for (const VariableText& v : part.variables) {
      Variable variable;
      variable.name = v.name;
      if (v.type) {
        variable.type = names_.type_of(*v.type);
        if (v.type->size) {
          const std::int64_t size = names_.constant(*v.type->size);
          if (size < 1 || size > static_cast<std::int64_t>(kMostCells))
            reject(v.type->size->place, fmt::format("an array of {} cells", size),
                   fmt::format("arrays have 1 to {} cells", kMostCells));
          variable.array = true;
          variable.size = static_cast<Cell>(size);
        }
      } else if (!names_.in_spec) {
        reject(v.place, fmt::format("'{}' has no type, so it is unbounded", v.name),
               fmt::format("say which values it may have: shared {} : 0..K = 0", v.name));
      } else {
        variable.type = untyped(v);
      }
      variable.first = static_cast<Cell>(initial.size());
      if (initial.size() + static_cast<std::size_t>(variable.size) > kMostCells)
        reject(v.place, "too many variables", fmt::format("at most {} cells", kMostCells));
      cells(v, variable, initial);
      names_.declare(v.place, v.name, {Symbol::shared, 0, variable.type, variable});
      out.push_back(std::move(variable));
    }
  }

  Type untyped(const VariableText& v) const {
    if (!v.initial.empty()) {
      const Expr& e = *v.initial[0];
      if (e.kind == ExprKind::truth) return kTruth;
      if (const Symbol* found = e.kind == ExprKind::name ? names_.find(e.text) : nullptr;
          found && found->kind == Symbol::value)
        return found->type;
    }
    return integer_type(kLow, kHigh);
  }

  void cells(const VariableText& v, const Variable& variable, std::vector<Cell>& initial) const {
    if (v.bracketed && !variable.array)
      reject(v.place, fmt::format("'{}' is not an array", v.name), "leave the brackets out");
    std::vector<Cell> values;
    for (const ExprPtr& e : v.initial) values.push_back(names_.fixed(*e, variable.type));
    const auto size = static_cast<std::size_t>(variable.size);
    if (values.empty()) values.push_back(std::clamp(0, variable.type.low, variable.type.high));
    if (values.size() > size || (v.bracketed && !v.repeats_last && values.size() != size))
      reject(v.place, fmt::format("{} initial values for {} cells", values.size(), size),
             "one for each, or ... after the last: [1, 0...]");
    values.resize(size, values.back());
    initial.insert(initial.end(), values.begin(), values.end());
  }

  // ---- operations

  void object() {
    names_.enter();
    variables(*text_.object, p_.shared, p_.initial_shared);
    if (text_.object->ops.empty())
      reject(text_.object->place, "the object has no operation", "write: op name() { ... }");
    for (const OpText& op : text_.object->ops) {
      for (const Op& other : p_.ops)
        if (other.name == op.name)
          reject(op.place, fmt::format("a second operation '{}'", op.name), "choose another name");
      p_.ops.push_back(compile_operation(op, nullptr, names_, output(p_.code)));
    }
    for (const Op& op : p_.ops) p_.frame = std::max(p_.frame, slots(op));
    names_.leave();
  }

  static std::uint32_t slots(const Op& op) {
    return std::max<std::uint32_t>(static_cast<std::uint32_t>(op.locals.size()),
                                   op.returns_value ? 1 : 0);
  }

  void spec() {
    names_.in_spec = true;
    names_.enter();
    variables(*text_.spec, p_.spec_variables, p_.initial_spec);
    std::vector<const OpText*> texts(p_.ops.size(), nullptr);
    for (const OpText& text : text_.spec->ops) {
      const auto same = std::find_if(p_.ops.begin(), p_.ops.end(),
                                     [&](const Op& op) { return op.name == text.name; });
      if (same == p_.ops.end())
        reject(text.place, fmt::format("the object has no operation '{}'", text.name),
               "specification and object have the same operations");
      const OpText*& place = texts[static_cast<std::size_t>(same - p_.ops.begin())];
      if (place)
        reject(text.place, fmt::format("a second operation '{}'", text.name), "remove one");
      place = &text;
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Op& of_object = p_.ops[i];
      if (!texts[i])
        reject(text_.spec->place,
               fmt::format("the specification has no operation '{}'", of_object.name),
               "say what it does sequentially");
      Op op = compile_operation(*texts[i], &of_object, names_, output(p_.spec_code));
      if (op.returns_value != of_object.returns_value)
        reject(texts[i]->place,
               fmt::format("'{}' returns {} here, but {} in the object", op.name,
                           op.returns_value ? "a value" : "nothing",
                           op.returns_value ? "nothing" : "a value"),
               "both must return the same");
      if (op.returns_value) names_.same_type(texts[i]->place, of_object.result, op.result);
      p_.spec_frame = std::max(p_.spec_frame, slots(op));
      p_.spec_ops.push_back(std::move(op));
    }
    names_.leave();
    names_.in_spec = false;
  }

  CodeOutput output(std::vector<Instruction>& code) {
    return {code, p_.points, p_.statements, static_cast<std::uint32_t>(p_.ops.size()), processes_};
  }

  const ModelText& text_;
  const Settings& settings_;
  Names names_;
  Program p_;
  Cell processes_ = 1;
  std::string unknown_setting_;
};

}  // namespace

Compiled compile(std::string_view text, const Settings& settings) {
  Compiled out;
  try {
    const ModelText parsed = parse(text);
    Compiler compiler(parsed, settings);
    out.program = compiler.run();
    out.unknown_setting = compiler.unknown_setting();
  } catch (const Mistake& mistake) { out.diagnostic = mistake.diagnostic; }
  return out;
}

}  // namespace plumb::model
