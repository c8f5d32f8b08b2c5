// SPDX-License-Identifier: MIT
// The tree into a program: variables, the object's operations, the specification's, the clients.
#include <fmt/format.h>

#include <algorithm>

#include "model/code/clients.hpp"
#include "model/code/machine.hpp"
#include "model/code/operation.hpp"
#include "model/code/spec_file.hpp"
#include "model/syntax/parser.hpp"

namespace plumb::model {
namespace {

constexpr std::size_t kMostCells = 4096;

class Compiler {
 public:
  Compiler(const ModelText& text, const Settings& settings) : text_(text), settings_(settings) {}

  Program run(const Origin& origin) {
    declarations();
    object();
    if (text_.spec_file) spec_model(origin);
    else if (text_.spec) spec();
    else
      reject(text_.object->place, "there is no specification",
             "write: spec { state ... op ... } with the same operations, as they are sequentially");
    if (text_.clients.empty())
      reject(text_.clients_place.line ? text_.clients_place : text_.object->place,
             "there are no clients", "write: clients { 2 x any }");
    add_clients(text_, names_, p_);
    p_.layout = make_layout(p_);
    start();
    return std::move(p_);
  }

  /// The object, for one process; the caller decides what it calls.
  Program run_alone() {
    names_.alone = true;
    declarations();
    object();
    p_.class_of = {0};
    p_.classes.push_back({0, 1, {{}}, 0, false});
    start();
    return std::move(p_);
  }

  /// Constants that were set, and that there are not.
  const std::set<std::string>& unknown_settings() const { return unknown_settings_; }

 private:
  void declarations() {
    unknown_settings_ = names_.declare_constants(text_, settings_);
    names_.declare_enumerations(text_);
    if (!text_.clients.empty() && !names_.alone) names_.processes = count_processes(text_, names_);
    names_.declare_records_and_nodes(text_, p_);
    if (p_.initial_shared.size() > kMostCells)
      reject(text_.nodes[0].place, "too many nodes", fmt::format("at most {} cells", kMostCells));
    p_.constants = names_.constants();
    p_.enumerations = names_.enumerations();
    if (!text_.object)
      reject({1, 1}, "there is no object", "write: object NAME { shared ... op ... }");
    p_.object = text_.object->name;
    p_.points.push_back({});
  }

  // ---- variables

  void variables(const PartText& part, std::vector<Variable>& out, std::vector<Cell>& initial) {
    for (const VariableText& v : part.variables) {
      Variable variable;
      variable.name = v.name;
      if (v.type) {
        variable.type = names_.type_of(*v.type);
        if (v.type->size) {
          variable.by_process = by_process(*v.type);
          const std::int64_t size =
              variable.by_process ? names_.processes : names_.constant(*v.type->size);
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
      out.push_back(variable);
      if (v.type && !v.type->steadiness.empty()) variable = unsteady(v, variable, out, initial);
      names_.declare(v.place, v.name, {Symbol::shared, 0, variable.type, variable});
    }
  }

  // "bit[process]": an element for each process.
  bool by_process(const TypeText& type) const {
    if (type.size->kind != ExprKind::name || type.size->text != "process") return false;
    if (!names_.knows_processes())
      reject(type.size->place, "processes in a specification", "a specification has no processes");
    if (!type.steadiness.empty())
      reject(type.size->place, fmt::format("a {} register for each process", type.steadiness),
             "number them: [N], and [self]");
    return true;
  }

  // A safe register has a bit beside it that says whether it is being written, a regular one also
  // what was there before.
  Variable unsteady(const VariableText& v, Variable variable, std::vector<Variable>& out,
                    std::vector<Cell>& initial) const {
    const bool regular = v.type->steadiness == "regular";
    if (names_.in_spec)
      reject(v.type->place, fmt::format("a {} register in a specification", v.type->steadiness),
             "it is sequential: nothing overlaps");
    if (names_.has_names(variable.type) || variable.type.kind == Type::record)
      reject(v.type->place, fmt::format("a {} register of such values", v.type->steadiness),
             "numbers, bools and enums can be safe or regular");
    const auto size = static_cast<std::size_t>(variable.size);
    if (initial.size() + 2 * size > kMostCells)
      reject(v.place, "too many variables", fmt::format("at most {} cells", kMostCells));
    const auto beside = [&](const std::string& name, const Type& type) {
      Variable other = variable;
      other.name = name;
      other.type = type;
      other.first = static_cast<Cell>(initial.size());
      out.push_back(other);
      return other.first;
    };
    variable.busy = beside(v.name + ".busy", integer_type(0, 1));
    initial.resize(initial.size() + size, 0);
    if (regular) {
      variable.before = beside("", variable.type);
      for (std::size_t i = 0; i < size; ++i)
        initial.push_back(initial[static_cast<std::size_t>(variable.first) + i]);
    }
    return variable;
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
    privates();
    names_.declare_procedures(*text_.object);
    if (text_.object->ops.empty())
      reject(text_.object->place, "the object has no operation", "write: op name() { ... }");
    for (const OpText& op : text_.object->ops) {
      for (const Op& other : p_.ops)
        if (other.name == op.name)
          reject(op.place, fmt::format("a second operation '{}'", op.name), "choose another name");
      p_.ops.push_back(compile_operation(op, nullptr, names_, output(p_.code)));
    }
    for (const Op& op : p_.ops) p_.frame = std::max(p_.frame, p_.first_local() + slots(op));
    if (text_.object->init) p_.init = compile_init(*text_.object->init, names_, output(p_.code));
    for (const ExprPtr& e : text_.object->invariants) {
      p_.invariants.push_back(compile_invariant(*e, names_, output(p_.code)));
      p_.invariants.back().name = std::to_string(e->place.line);
    }
    if (const auto& assertion = text_.object->assertion)
      p_.asserted = {assertion->predicate, assertion->place.line};
    if (const OpText* idle = names_.never_called())
      reject(idle->place, fmt::format("procedure '{}' is never called", idle->name), "remove it");
    names_.leave();
  }

  static std::uint32_t slots(const Op& op) {
    return std::max<std::uint32_t>(static_cast<std::uint32_t>(op.locals.size()),
                                   op.returns_value ? 1 : 0);
  }

  void privates() {
    constexpr std::size_t kMostPrivates = 32;
    for (const VariableText& v : text_.object->privates) {
      if (!names_.knows_processes())
        reject(v.place, "a private variable in a specification",
               "a specification has no processes: choose a model without, or write spec { state "
               "... }");
      if (!v.type)
        reject(v.place, fmt::format("'{}' has no type, so it is unbounded", v.name),
               fmt::format("say which values it may have: private {} : 0..K = 0", v.name));
      Variable variable;
      variable.name = v.name;
      variable.type = names_.scalar_type(*v.type);
      variable.first = static_cast<Cell>(p_.privates.size());
      cells(v, variable, p_.initial_private);
      names_.declare_private(v.place, variable);
      p_.privates.push_back(std::move(variable));
      if (p_.privates.size() > kMostPrivates)
        reject(v.place, "too many private variables", fmt::format("at most {}", kMostPrivates));
    }
  }

  // Runs init and checks the invariants: a fault there is not the algorithm's.
  void start() {
    Machine machine(p_);
    std::vector<Cell> state = machine.initial();
    if (const std::optional<Fault> fault = machine.begin(state))
      reject({fault->line, 1}, fmt::format("the model is wrong from the start: {}", fault->message),
             "no process has done anything yet");
    p_.initial_shared.assign(state.begin(),
                             state.begin() + static_cast<std::ptrdiff_t>(p_.initial_shared.size()));
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

  // spec "FILE". What is wrong with that file is said of that file.
  void spec_model(const Origin& origin) {
    auto model = std::make_shared<SpecModel>();
    NamedModel named = read_named_model(*text_.spec_file, origin);
    model->file = std::move(named.file);
    model->text = std::move(named.text);
    try {
      const ModelText parsed = parse(model->text);
      Compiler compiler(parsed, settings_);
      model->program = compiler.run_alone();
      std::erase_if(unknown_settings_, [&](const std::string& name) {
        return !compiler.unknown_settings().contains(name);
      });
    } catch (Mistake& mistake) {
      mistake.diagnostic.file = model->file;
      mistake.diagnostic.text = model->text;
      throw;
    }
    model->ops = same_operations(p_, *model, text_.spec_file->place);
    p_.initial_spec = model->program.initial_shared;
    p_.spec_model = std::move(model);
  }

  CodeOutput output(std::vector<Instruction>& code) {
    return {code, p_.points, p_.statements, static_cast<std::uint32_t>(p_.ops.size())};
  }

  const ModelText& text_;
  const Settings& settings_;
  Names names_;
  Program p_;
  std::set<std::string> unknown_settings_;
};

}  // namespace

bool has_marks(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(),
                     [](const Instruction& i) { return i.code == Code::linearize; });
}

Compiled compile(std::string_view text, const Settings& settings, const Origin& origin) {
  Compiled out;
  try {
    const ModelText parsed = parse(text);
    Compiler compiler(parsed, settings);
    out.program = compiler.run(origin);
    if (!compiler.unknown_settings().empty())
      out.unknown_setting = *compiler.unknown_settings().begin();
  } catch (const Mistake& mistake) { out.diagnostic = mistake.diagnostic; }
  return out;
}

}  // namespace plumb::model
