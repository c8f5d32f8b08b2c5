// SPDX-License-Identifier: MIT
// The tree into code: names, types, the rule of one shared access a statement, and the layout.
//
// Granularity (why a proof about the model says something about the algorithm): a machine makes one
// access to shared memory at a time, so a statement outside `atomic` may have one, and before it
// stands a boundary. Everything else a statement does concerns the process alone, so no other
// process can tell when it happens, and it is done in the step before. A call, a return and an
// atomic block are steps of their own.
//
// Dead locals are cleared: two states that differ only in values that nobody will read behave
// alike. Liveness is the usual backward analysis over the code (live); a slot that is not live at a
// boundary is reset there.
//
// Ranges: a variable's type says which values it may have, and every store checks it. A local
// without a type has 16 bits. So nothing wraps around silently; a store out of range is a fault of
// the object.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/parser.hpp"
#include "model/program.hpp"

namespace plumb::model {
namespace {

constexpr Cell kLow16 = -32768, kHigh16 = 32767;
constexpr Cell kLow = -1'000'000'000, kHigh = 1'000'000'000;
constexpr std::uint32_t kMostProcesses = 16, kMostLocals = 64;
constexpr std::size_t kMostCalls = 4096, kMostCells = 4096, kMostCode = 60'000;

Type integer_type(std::int64_t low, std::int64_t high) {
  return {Type::integer, 0, static_cast<Cell>(std::clamp<std::int64_t>(low, kLow, kHigh)),
          static_cast<Cell>(std::clamp<std::int64_t>(high, kLow, kHigh))};
}
constexpr Type kTruth = {Type::boolean, 0, 0, 1};

struct Symbol {
  enum Kind { constant, value, shared, local } kind = constant;
  Cell number = 0;  // constant, value
  Type type;
  Variable variable;
};

class Compiler {
 public:
  Compiler(const ModelText& text, const Settings& settings) : text_(text), settings_(settings) {}

  Program run() {
    constants();
    enumerations();
    if (!text_.object)
      reject({1, 1}, "there is no object", "write: object NAME { shared ... op ... }");
    p_.object = text_.object->name;
    p_.points.push_back({});
    if (!text_.clients.empty()) count_processes();
    object();
    if (!text_.spec)
      reject(text_.object->place, "there is no specification",
             "write: spec { state ... op ... } with the same operations, as they are sequentially");
    spec();
    if (text_.clients.empty())
      reject(text_.clients_place.line ? text_.clients_place : text_.object->place,
             "there are no clients", "write: clients { 2 x any }");
    clients();
    layout();
    return std::move(p_);
  }

  const std::string& unknown_setting() const { return unknown_setting_; }

 private:
  // ---- names

  void declare(Place place, const std::string& name, Symbol symbol) {
    for (const auto& scope : scopes_)
      if (scope.contains(name))
        reject(place, fmt::format("'{}' is declared already", name), "choose another name");
    scopes_.back().emplace(name, std::move(symbol));
  }
  const Symbol* find(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(name); found != scope->end()) return &found->second;
    return nullptr;
  }
  const Symbol& symbol(Place place, const std::string& name) const {
    const Symbol* found = find(name);
    if (!found)
      reject(place, fmt::format("unknown name '{}'", name),
             in_spec_ ? "a specification knows its own state, parameters and locals"
                      : "declare it: shared in the object, local in the operation, const outside");
    return *found;
  }

  void constants() {
    std::vector<bool> used(settings_.size(), false);
    for (const ConstText& c : text_.constants) {
      std::int64_t value = constant(*c.value);
      for (std::size_t i = 0; i < settings_.size(); ++i)
        if (settings_[i].first == c.name) {
          value = settings_[i].second;
          used[i] = true;
        }
      declare(c.place, c.name,
              {Symbol::constant, static_cast<Cell>(value), integer_type(value, value), {}});
      p_.constants.emplace_back(c.name, value);
    }
    for (std::size_t i = 0; i < settings_.size(); ++i)
      if (!used[i]) unknown_setting_ = settings_[i].first;
  }

  void enumerations() {
    for (const EnumText& e : text_.enumerations) {
      const auto id = static_cast<std::uint32_t>(p_.enumerations.size());
      const Type type = {Type::enumeration, id, 0, static_cast<Cell>(e.values.size()) - 1};
      p_.enumerations.emplace_back();
      if (enumeration_ids_.contains(e.name) || find(e.name))
        reject(e.place, fmt::format("'{}' is declared already", e.name), "choose another name");
      enumeration_ids_[e.name] = id;
      for (const auto& [name, place] : e.values) {
        declare(place, name,
                {Symbol::value, static_cast<Cell>(p_.enumerations[id].size()), type, {}});
        p_.enumerations[id].push_back(name);
      }
    }
  }

  // ---- constants and types

  std::int64_t constant(const Expr& e) const {
    const std::optional<std::int64_t> value = folded(e);
    if (!value)
      reject(e.place, "this is not a constant", "only numbers, constants and + - * / % min max");
    if (*value < kLow || *value > kHigh)
      reject(e.place, "this number is too large", "numbers go up to 1000000000");
    return *value;
  }

  std::optional<std::int64_t> folded(const Expr& e) const {
    if (e.kind == ExprKind::number) return e.value;
    if (e.kind == ExprKind::name) {
      const Symbol* found = find(e.text);
      if (found && found->kind == Symbol::constant) return found->number;
      return {};
    }
    if (e.kind == ExprKind::unary && e.text == "-") {
      const auto value = folded(*e.kids[0]);
      return value ? std::optional(-*value) : std::nullopt;
    }
    const bool function =
        e.kind == ExprKind::call && (e.text == "min" || e.text == "max") && e.kids.size() == 2;
    if (e.kind != ExprKind::binary && !function) return {};
    const auto left = folded(*e.kids[0]), right = folded(*e.kids[1]);
    if (!left || !right) return {};
    const std::int64_t a =
        std::clamp<std::int64_t>(*left, 2 * std::int64_t{kLow}, 2 * std::int64_t{kHigh});
    const std::int64_t b =
        std::clamp<std::int64_t>(*right, 2 * std::int64_t{kLow}, 2 * std::int64_t{kHigh});
    if (e.text == "+") return a + b;
    if (e.text == "-") return a - b;
    if (e.text == "*") return a * b;
    if (e.text == "min") return std::min(a, b);
    if (e.text == "max") return std::max(a, b);
    if ((e.text == "/" || e.text == "%") && b == 0)
      reject(e.place, "division by zero", "the right side is 0");
    if (e.text == "/") return a / b;
    if (e.text == "%") return a % b;
    return {};
  }

  Type type_of(const TypeText& t) const {
    if (t.name == "bit") return integer_type(0, 1);
    if (t.name == "bool") return kTruth;
    if (!t.name.empty()) {
      const auto found = enumeration_ids_.find(t.name);
      if (found == enumeration_ids_.end())
        reject(t.place, fmt::format("unknown type '{}'", t.name),
               "a type is bit, bool, a range like 0..K-1, or an enum");
      return {Type::enumeration, found->second, 0,
              static_cast<Cell>(p_.enumerations[found->second].size()) - 1};
    }
    const std::int64_t low = constant(*t.low), high = constant(*t.high);
    if (low > high)
      reject(t.place, fmt::format("the range {}..{} is empty", low, high),
             "the smaller bound comes first");
    return integer_type(low, high);
  }
  Type scalar_type(const TypeText& t) const {
    if (t.size)
      reject(t.place, "an array can not stand here",
             "only shared variables and the state of a "
             "specification may be arrays");
    return type_of(t);
  }

  std::string words(const Type& type) const {
    if (type.kind == Type::boolean) return "bool";
    if (type.kind == Type::integer) return "number";
    for (const auto& [name, id] : enumeration_ids_)
      if (id == type.enumeration_id) return name;
    return "enum";
  }
  void same_type(Place place, const Type& wanted, const Type& given) const {
    if (wanted.kind == given.kind && wanted.enumeration_id == given.enumeration_id) return;
    reject(place, fmt::format("expected a {}, not a {}", words(wanted), words(given)),
           given.kind == Type::integer && wanted.kind == Type::boolean
               ? "compare it: x == 1"
               : "numbers, bools and the values of each enum are kept apart");
  }

  // A value that is known before anything runs: initial values, arguments of clients.
  Cell fixed(const Expr& e, const Type& wanted) const {
    std::int64_t value = 0;
    Type type = integer_type(0, 0);
    const Symbol* found = e.kind == ExprKind::name ? find(e.text) : nullptr;
    if (e.kind == ExprKind::truth) {
      value = e.value;
      type = kTruth;
    } else if (found && found->kind == Symbol::value) {
      value = found->number;
      type = found->type;
    } else {
      value = constant(e);
    }
    same_type(e.place, wanted, type);
    if (value < wanted.low || value > wanted.high)
      reject(e.place, fmt::format("{} is not in {}..{}", value, wanted.low, wanted.high),
             "change the value or the range");
    return static_cast<Cell>(value);
  }

  // ---- variables

  void variables(const PartText& part, std::vector<Variable>& out, std::vector<Cell>& initial) {
    for (const VariableText& v : part.variables) {
      Variable variable;
      variable.name = v.name;
      if (v.type) {
        variable.type = type_of(*v.type);
        if (v.type->size) {
          const std::int64_t size = constant(*v.type->size);
          if (size < 1 || size > static_cast<std::int64_t>(kMostCells))
            reject(v.type->size->place, fmt::format("an array of {} cells", size),
                   fmt::format("arrays have 1 to {} cells", kMostCells));
          variable.array = true;
          variable.size = static_cast<Cell>(size);
        }
      } else if (!in_spec_) {
        reject(v.place, fmt::format("'{}' has no type, so it is unbounded", v.name),
               fmt::format("say which values it may have: shared {} : 0..K = 0", v.name));
      } else {
        variable.type = untyped(v);
      }
      variable.first = static_cast<Cell>(initial.size());
      if (initial.size() + static_cast<std::size_t>(variable.size) > kMostCells)
        reject(v.place, "too many variables", fmt::format("at most {} cells", kMostCells));
      cells(v, variable, initial);
      declare(v.place, v.name, {Symbol::shared, 0, variable.type, variable});
      out.push_back(std::move(variable));
    }
  }

  Type untyped(const VariableText& v) const {
    if (!v.initial.empty()) {
      const Expr& e = *v.initial[0];
      if (e.kind == ExprKind::truth) return kTruth;
      if (const Symbol* found = e.kind == ExprKind::name ? find(e.text) : nullptr;
          found && found->kind == Symbol::value)
        return found->type;
    }
    return integer_type(kLow, kHigh);
  }

  void cells(const VariableText& v, const Variable& variable, std::vector<Cell>& initial) const {
    if (v.bracketed && !variable.array)
      reject(v.place, fmt::format("'{}' is not an array", v.name), "leave the brackets out");
    std::vector<Cell> values;
    for (const ExprPtr& e : v.initial) values.push_back(fixed(*e, variable.type));
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
    scopes_.emplace_back();
    variables(*text_.object, p_.shared, p_.initial_shared);
    if (text_.object->ops.empty())
      reject(text_.object->place, "the object has no operation", "write: op name() { ... }");
    code_ = &p_.code;
    for (const OpText& op : text_.object->ops) {
      for (const Op& other : p_.ops)
        if (other.name == op.name)
          reject(op.place, fmt::format("a second operation '{}'", op.name), "choose another name");
      p_.ops.push_back(operation(op, nullptr));
    }
    for (const Op& op : p_.ops) p_.frame = std::max(p_.frame, slots(op));
    scopes_.pop_back();
  }

  static std::uint32_t slots(const Op& op) {
    return std::max<std::uint32_t>(static_cast<std::uint32_t>(op.locals.size()),
                                   op.returns_value ? 1 : 0);
  }

  void spec() {
    in_spec_ = true;
    scopes_.emplace_back();
    variables(*text_.spec, p_.spec_variables, p_.initial_spec);
    code_ = &p_.spec_code;
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
      Op op = operation(*texts[i], &of_object);
      if (op.returns_value != of_object.returns_value)
        reject(texts[i]->place,
               fmt::format("'{}' returns {} here, but {} in the object", op.name,
                           op.returns_value ? "a value" : "nothing",
                           op.returns_value ? "nothing" : "a value"),
               "both must return the same");
      if (op.returns_value) same_type(texts[i]->place, of_object.result, op.result);
      p_.spec_frame = std::max(p_.spec_frame, slots(op));
      p_.spec_ops.push_back(std::move(op));
    }
    scopes_.pop_back();
    in_spec_ = false;
  }

  Op operation(const OpText& text, const Op* like) {
    op_ = Op{};
    op_.name = text.name;
    op_.entry = static_cast<std::uint32_t>(code_->size());
    op_number_ = static_cast<std::uint32_t>(p_.ops.size());
    first_point_ = p_.points.size();
    atomic_ = in_spec_;
    returns_ = Returns::unknown;
    if (like && like->parameters.size() != text.parameters.size())
      reject(text.place,
             fmt::format("'{}' has {} parameters here, but {} in the object", text.name,
                         text.parameters.size(), like->parameters.size()),
             "both must take the same");
    scopes_.emplace_back();
    for (std::size_t i = 0; i < text.parameters.size(); ++i) {
      const ParameterText& p = text.parameters[i];
      Type type;
      if (like) {
        type = like->parameters[i].type;
        if (p.type) same_type(p.place, type, scalar_type(*p.type));
      } else if (p.type) {
        type = scalar_type(*p.type);
      } else {
        reject(p.place, fmt::format("parameter '{}' has no type", p.name),
               fmt::format("say which values it may have: {} : 0..K-1", p.name));
      }
      op_.parameters.push_back(local(p.place, p.name, type));
    }
    block(text.body);
    scopes_.pop_back();
    op_.returns_value = returns_ == Returns::value;
    emit(op_.returns_value ? Code::no_result : Code::give_back, text.end);
    if (!in_spec_) {
      op_.return_point = static_cast<Cell>(p_.points.size());
      p_.points.push_back({Point::returning, op_number_, 0, text.end.line, 0});
      live();
    }
    return std::move(op_);
  }

  Variable local(Place place, const std::string& name, const Type& type) {
    if (op_.locals.size() == kMostLocals)
      reject(place, "too many local variables", fmt::format("at most {}", kMostLocals));
    Variable v;
    v.name = name;
    v.type = type;
    v.first = static_cast<Cell>(op_.locals.size());
    if (!name.empty()) declare(place, name, {Symbol::local, 0, type, v});
    op_.locals.push_back(v);
    return v;
  }

  // ---- code

  std::size_t emit(Code code, Place place, Cell a = 0, Cell b = 0, Cell c = 0, Cell d = 0) {
    if (code_->size() >= kMostCode) reject(place, "the model is too long", "leave something out");
    code_->push_back({code, a, b, c, d, place.line});
    return code_->size() - 1;
  }
  void land(std::size_t jump) { (*code_)[jump].a = here(); }
  Cell here() const { return static_cast<Cell>(code_->size()); }

  void boundary(Place place) {
    const auto point = static_cast<Cell>(p_.points.size());
    p_.points.push_back(
        {Point::inside, op_number_, static_cast<std::uint32_t>(here()), place.line, 0});
    emit(Code::boundary, place, point);
  }

  // Counts the shared accesses of what one statement evaluates at once, and puts the boundary
  // before it where there is one.
  void accesses(Place place, std::initializer_list<const Expr*> parts, int more = 0) {
    if (atomic_) return;
    int count = more;
    for (const Expr* e : parts)
      if (e) count += shared_accesses(*e);
    if (count > 1)
      reject(place, fmt::format("{} shared accesses in one step", count),
             "read into a local first, or put the statement into atomic { }");
    if (count == 1) boundary(place);
  }

  int shared_accesses(const Expr& e) const {
    int count = 0;
    if (e.kind == ExprKind::name || e.kind == ExprKind::index) {
      const Symbol* found = find(e.text);
      count += found && found->kind == Symbol::shared;
    }
    for (const ExprPtr& kid : e.kids) count += shared_accesses(*kid);
    return count;
  }

  void block(const Block& body) {
    scopes_.emplace_back();
    for (const auto& s : body) statement(*s);
    scopes_.pop_back();
  }

  void statement(const Stmt& s) {
    switch (s.kind) {
      case StmtKind::local: return declaration(s);
      case StmtKind::assign: return assignment(s);
      case StmtKind::expression:
        if (s.value->text == "min" || s.value->text == "max")
          reject(s.place, "this does nothing", "use its value: x = min(a, b)");
        accesses(s.place, {s.value.get()});
        expression(*s.value);
        emit(Code::pop, s.place);
        return;
      case StmtKind::branch: return branch(s);
      case StmtKind::loop_while: return loop_while(s);
      case StmtKind::loop_for: return loop_for(s);
      case StmtKind::loop_repeat: return loop_repeat(s);
      case StmtKind::leave:
        if (leaving_.empty()) reject(s.place, "break outside of a loop", "remove it");
        if (leaving_.back().atomic != atomic_)
          reject(s.place, "break out of an atomic block", "set a local, and test it outside");
        leaving_.back().jumps.push_back(emit(Code::jump, s.place));
        return;
      case StmtKind::give_back: return give_back(s);
      case StmtKind::atomic: {
        if (atomic_)
          reject(s.place, in_spec_ ? "atomic in a specification" : "atomic inside atomic",
                 "it is atomic already");
        boundary(s.place);
        atomic_ = true;
        block(s.body);
        atomic_ = false;
        return;
      }
      case StmtKind::await:
        // Waiting is a step of its own even if it looks at locals only: it may never end.
        accesses(s.place, {s.value.get()});
        if (!atomic_ && shared_accesses(*s.value) == 0) boundary(s.place);
        condition(*s.value);
        emit(Code::await, s.place);
        return;
      case StmtKind::assertion:
        accesses(s.place, {s.value.get()});
        condition(*s.value);
        emit(Code::assertion, s.place);
        return;
    }
  }

  void declaration(const Stmt& s) {
    Type type = integer_type(kLow16, kHigh16);
    if (s.value) {
      accesses(s.place, {s.value.get()});
      const Type given = expression(*s.value);
      if (!s.type && given.kind != Type::integer) type = given;
      if (s.type) type = scalar_type(*s.type);
      same_type(s.value->place, type, given);
    } else {
      if (s.type) type = scalar_type(*s.type);
      emit(Code::push, s.place, std::clamp(0, type.low, type.high));
    }
    const Variable v = local(s.place, s.name, type);
    emit(Code::store_local, s.place, v.first, type.low, type.high);
  }

  void assignment(const Stmt& s) {
    const Symbol& target = symbol(s.target->place, s.target->text);
    if (target.kind == Symbol::constant || target.kind == Symbol::value)
      reject(s.place, fmt::format("'{}' is a constant", s.target->text),
             "only variables can be assigned to");
    const Variable v = target.variable;
    const Expr* index = element(*s.target, target);
    accesses(s.place, {index, s.value.get()}, target.kind == Symbol::shared ? 1 : 0);
    if (index) number(*index);
    const Type given = expression(*s.value);
    same_type(s.value->place, v.type, given);
    const Code code = target.kind == Symbol::local ? Code::store_local
                      : index                      ? Code::store_indexed
                                                   : Code::store_shared;
    emit(code, s.place, v.first, v.type.low, v.type.high, v.size);
  }

  // The index expression of an access, null where it is no array; and complaints.
  const Expr* element(const Expr& e, const Symbol& found) const {
    if (found.variable.array && e.kind != ExprKind::index)
      reject(e.place, fmt::format("'{}' is an array", e.text),
             fmt::format("say which cell: {}[0]", e.text));
    if (!found.variable.array && e.kind == ExprKind::index)
      reject(e.place, fmt::format("'{}' is not an array", e.text), "leave the index out");
    return e.kind == ExprKind::index ? e.kids[0].get() : nullptr;
  }

  void branch(const Stmt& s) {
    accesses(s.place, {s.value.get()});
    condition(*s.value);
    const std::size_t to_other = emit(Code::jump_if_false, s.place);
    block(s.body);
    if (s.other.empty()) return land(to_other);
    const std::size_t to_end = emit(Code::jump, s.place);
    land(to_other);
    block(s.other);
    land(to_end);
  }

  void enter_loop() { leaving_.push_back({atomic_, {}}); }
  void end_loop() {
    for (const std::size_t jump : leaving_.back().jumps) land(jump);
    leaving_.pop_back();
  }

  void loop_while(const Stmt& s) {
    const Cell begin = here();
    enter_loop();
    accesses(s.place, {s.value.get()});
    condition(*s.value);
    const std::size_t to_end = emit(Code::jump_if_false, s.place);
    block(s.body);
    emit(Code::jump, s.place, begin);
    land(to_end);
    end_loop();
  }

  void loop_repeat(const Stmt& s) {
    const Cell begin = here();
    enter_loop();
    // What is declared in the body is known to its condition.
    scopes_.emplace_back();
    for (const auto& inner : s.body) statement(*inner);
    if (s.value) {
      accesses(s.value->place, {s.value.get()});
      condition(*s.value);
      emit(Code::jump_if_false, s.place, begin);
    } else {
      emit(Code::jump, s.place, begin);
    }
    scopes_.pop_back();
    end_loop();
  }

  void loop_for(const Stmt& s) {
    scopes_.emplace_back();
    accesses(s.place, {s.value.get(), s.bound.get()});
    const Type first = number(*s.value);
    // The bound is evaluated once.
    const auto fixed_bound = folded(*s.bound);
    Type last;
    Variable bound;
    if (fixed_bound) {
      last = integer_type(constant(*s.bound), constant(*s.bound));
    } else {
      last = number(*s.bound);
      bound = local(s.place, "", last);
      emit(Code::store_local, s.place, bound.first, last.low, last.high);
    }
    // One beyond the bound is where it ends.
    const Type type = s.down ? integer_type(std::min(last.low - 1, first.low), first.high)
                             : integer_type(first.low, std::max(last.high + 1, first.high));
    const Variable v = local(s.place, s.name, type);
    emit(Code::store_local, s.place, v.first, type.low, type.high);
    const Cell begin = here();
    enter_loop();
    emit(Code::load_local, s.place, s.down ? -1 : v.first);
    const std::size_t left = code_->size() - 1;
    if (fixed_bound) emit(Code::push, s.place, static_cast<Cell>(*fixed_bound));
    else emit(Code::load_local, s.place, bound.first);
    if (s.down) {  // bound <= variable
      (*code_)[left] = (*code_)[left + 1];
      (*code_)[left + 1] = {Code::load_local, v.first, 0, 0, 0, s.place.line};
    }
    emit(Code::less_equal, s.place);
    const std::size_t to_end = emit(Code::jump_if_false, s.place);
    block(s.body);
    emit(Code::load_local, s.place, v.first);
    emit(Code::push, s.place, s.down ? -1 : 1);
    emit(Code::add, s.place);
    emit(Code::store_local, s.place, v.first, type.low, type.high);
    emit(Code::jump, s.place, begin);
    land(to_end);
    end_loop();
    scopes_.pop_back();
  }

  void give_back(const Stmt& s) {
    const Returns now = s.value ? Returns::value : Returns::nothing;
    if (returns_ != Returns::unknown && returns_ != now)
      reject(s.place, "an operation returns a value always or never",
             "give all of its returns a value, or none");
    if (s.value) {
      accesses(s.place, {s.value.get()});
      const Type type = expression(*s.value);
      if (returns_ == Returns::unknown) {
        op_.result = type;
      } else {
        same_type(s.value->place, op_.result, type);
        op_.result.low = std::min(op_.result.low, type.low);
        op_.result.high = std::max(op_.result.high, type.high);
      }
    }
    returns_ = now;
    emit(Code::give_back, s.place, s.value ? 1 : 0);
  }

  // ---- expressions

  Type number(const Expr& e) {
    const Type type = expression(e);
    same_type(e.place, integer_type(0, 0), type);
    return type;
  }
  void condition(const Expr& e) { same_type(e.place, kTruth, expression(e)); }

  /// Leaves the value on the stack. The range of the type is what the value can be at most.
  Type expression(const Expr& e) {
    switch (e.kind) {
      case ExprKind::number:
        emit(Code::push, e.place, static_cast<Cell>(e.value));
        return integer_type(e.value, e.value);
      case ExprKind::truth: emit(Code::push, e.place, static_cast<Cell>(e.value)); return kTruth;
      case ExprKind::self:
        if (in_spec_) reject(e.place, "self in a specification", "it knows no processes");
        op_.uses_self = true;
        emit(Code::self, e.place);
        return integer_type(0, process_count_ - 1);
      case ExprKind::name:
      case ExprKind::index: return access(e);
      case ExprKind::unary: return unary(e);
      case ExprKind::binary: return binary(e);
      case ExprKind::call: return function(e);
      case ExprKind::choose: {
        const Type low = number(*e.kids[0]), high = number(*e.kids[1]);
        emit(Code::choose, e.place);
        return integer_type(low.low, high.high);
      }
    }
    return {};
  }

  Type access(const Expr& e) {
    const Symbol found = symbol(e.place, e.text);
    if (found.kind == Symbol::constant || found.kind == Symbol::value) {
      if (e.kind == ExprKind::index)
        reject(e.place, fmt::format("'{}' is not an array", e.text), "leave the index out");
      emit(Code::push, e.place, found.number);
      return found.type;
    }
    if (const Expr* index = element(e, found)) {
      number(*index);
      emit(Code::load_indexed, e.place, found.variable.first, found.variable.size);
    } else {
      emit(found.kind == Symbol::local ? Code::load_local : Code::load_shared, e.place,
           found.variable.first);
    }
    return found.type;
  }

  Type unary(const Expr& e) {
    if (e.text == "!") {
      condition(*e.kids[0]);
      emit(Code::invert, e.place);
      return kTruth;
    }
    const Type type = number(*e.kids[0]);
    emit(Code::negate, e.place);
    return integer_type(-std::int64_t{type.high}, -std::int64_t{type.low});
  }

  Type binary(const Expr& e) {
    if (e.text == "&&" || e.text == "||") {
      condition(*e.kids[0]);
      // Short circuit: what was decided stays on the stack.
      const std::size_t skip =
          emit(e.text == "&&" ? Code::jump_if_false : Code::jump_if_true, e.place);
      condition(*e.kids[1]);
      const std::size_t end = emit(Code::jump, e.place);
      land(skip);
      emit(Code::push, e.place, e.text == "&&" ? 0 : 1);
      land(end);
      return kTruth;
    }
    const Type left = expression(*e.kids[0]);
    const Type right = expression(*e.kids[1]);
    if (e.text == "==" || e.text == "!=") {
      same_type(e.place, left, right);
      emit(e.text == "==" ? Code::equal : Code::different, e.place);
      return kTruth;
    }
    same_type(e.kids[0]->place, integer_type(0, 0), left);
    same_type(e.kids[1]->place, integer_type(0, 0), right);
    // a > b is !(a <= b)
    if (e.text == "<" || e.text == ">=") {
      emit(Code::less, e.place);
      if (e.text == ">=") emit(Code::invert, e.place);
      return kTruth;
    }
    if (e.text == "<=" || e.text == ">") {
      emit(Code::less_equal, e.place);
      if (e.text == ">") emit(Code::invert, e.place);
      return kTruth;
    }
    const std::int64_t a = left.low, b = left.high, c = right.low, d = right.high;
    if (e.text == "+") return emit(Code::add, e.place), integer_type(a + c, b + d);
    if (e.text == "-") return emit(Code::subtract, e.place), integer_type(a - d, b - c);
    if (e.text == "*") {
      emit(Code::multiply, e.place);
      const auto [low, high] = std::minmax({a * c, a * d, b * c, b * d});
      return integer_type(low, high);
    }
    emit(e.text == "/" ? Code::divide : Code::modulo, e.place);
    const std::int64_t most = std::max(std::abs(a), std::abs(b));
    return integer_type(a < 0 || c < 0 ? -most : 0, most);
  }

  Type function(const Expr& e) {
    const std::size_t wanted = e.text == "CAS" ? 3 : 2;
    if (e.kids.size() != wanted)
      reject(e.place, fmt::format("{} takes {} arguments", e.text, wanted),
             e.text == "CAS"    ? "CAS(variable, old, new)"
             : e.text == "FAA"  ? "FAA(variable, addend)"
             : e.text == "SWAP" ? "SWAP(variable, new)"
                                : "min(a, b), max(a, b)");
    if (e.text == "min" || e.text == "max") {
      const Type a = number(*e.kids[0]), b = number(*e.kids[1]);
      const bool least = e.text == "min";
      emit(least ? Code::minimum : Code::maximum, e.place);
      return least ? integer_type(std::min(a.low, b.low), std::min(a.high, b.high))
                   : integer_type(std::max(a.low, b.low), std::max(a.high, b.high));
    }
    if (in_spec_)
      reject(e.place, fmt::format("{} in a specification", e.text),
             "it is sequential: assign to the variable");
    const Expr& target = *e.kids[0];
    if (target.kind != ExprKind::name && target.kind != ExprKind::index)
      reject(target.place, fmt::format("{} works on a shared variable", e.text),
             "its first argument is the variable");
    const Symbol found = symbol(target.place, target.text);
    if (found.kind != Symbol::shared)
      reject(target.place, fmt::format("'{}' is not a shared variable", target.text),
             fmt::format("{} works on shared variables", e.text));
    const Variable& v = found.variable;
    if (const Expr* index = element(target, found)) number(*index);
    else emit(Code::push, e.place, 0);
    for (std::size_t i = 1; i < e.kids.size(); ++i)
      same_type(e.kids[i]->place, v.type, expression(*e.kids[i]));
    if (e.text == "FAA" && v.type.kind != Type::integer)
      reject(target.place, "FAA adds numbers", "use SWAP or CAS");
    emit(e.text == "CAS"   ? Code::compare_and_swap
         : e.text == "FAA" ? Code::fetch_and_add
                           : Code::swap,
         e.place, v.first, v.type.low, v.type.high, v.size);
    return e.text == "CAS" ? kTruth : v.type;
  }

  // ---- liveness

  void live() {
    const std::vector<Instruction>& code = *code_;
    const std::size_t begin = op_.entry, size = code.size() - begin;
    std::vector<std::uint64_t> in(size + 1, 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = size; i-- > 0;) {
        const Instruction& instruction = code[begin + i];
        std::uint64_t out = 0;
        const auto target = [&] { return in[static_cast<std::size_t>(instruction.a) - begin]; };
        switch (instruction.code) {
          case Code::jump: out = target(); break;
          case Code::jump_if_false:
          case Code::jump_if_true: out = in[i + 1] | target(); break;
          case Code::give_back:
          case Code::no_result: break;
          case Code::store_local: out = in[i + 1] & ~(std::uint64_t{1} << instruction.a); break;
          case Code::load_local: out = in[i + 1] | std::uint64_t{1} << instruction.a; break;
          default: out = in[i + 1];
        }
        if (out != in[i]) {
          in[i] = out;
          changed = true;
        }
      }
    }
    for (std::size_t point = first_point_; point < p_.points.size(); ++point)
      if (p_.points[point].kind == Point::inside)
        p_.points[point].live = in[p_.points[point].ip - begin];
  }

  // ---- clients and layout

  void count_processes() {
    std::int64_t count = 0;
    for (const ClientsText& c : text_.clients) {
      const std::int64_t here = constant(*c.count);
      if (here < 0) reject(c.count->place, "a negative number of processes", "0 or more");
      count += here;
      if (count > kMostProcesses)
        reject(c.count->place, "too many processes", fmt::format("at most {}", kMostProcesses));
    }
    if (count == 0) reject(text_.clients_place, "there are no processes", "clients { 2 x any }");
    process_count_ = static_cast<Cell>(count);
  }

  void clients() {
    for (const ClientsText& text : text_.clients) {
      ClientClass c;
      c.first = static_cast<std::uint32_t>(p_.class_of.size());
      c.count = static_cast<std::uint32_t>(constant(*text.count));
      c.symmetric = true;
      for (const auto& choice : text.steps) {
        c.steps.emplace_back();
        for (const ClientCallText& call : choice) add_calls(call, c.steps.back());
        for (const CallNumber number : c.steps.back())
          if (p_.ops[p_.calls[number].op].uses_self) c.symmetric = false;
      }
      if (text.at_most) {
        const std::int64_t most = constant(*text.at_most);
        if (most < 1 || most > 1000)
          reject(text.at_most->place, fmt::format("at most {} operations", most), "1 to 1000");
        c.at_most = static_cast<Cell>(most);
      }
      const auto number = static_cast<std::uint32_t>(p_.classes.size());
      p_.class_of.insert(p_.class_of.end(), c.count, number);
      p_.classes.push_back(std::move(c));
    }
  }

  void add_calls(const ClientCallText& text, std::vector<CallNumber>& out) {
    bool found = false;
    for (std::uint32_t op = 0; op < p_.ops.size(); ++op) {
      if (!text.op.empty() && p_.ops[op].name != text.op) continue;
      found = true;
      const std::vector<Variable>& parameters = p_.ops[op].parameters;
      if (!text.op.empty() && text.args.size() != parameters.size())
        reject(text.place, fmt::format("'{}' takes {} arguments", text.op, parameters.size()),
               "`any` stands for any value of a parameter");
      std::vector<std::pair<Cell, Cell>> ranges;
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Type& type = parameters[i].type;
        if (text.op.empty() || !text.args[i]) {
          ranges.emplace_back(type.low, type.high);
        } else {
          const Cell value = fixed(*text.args[i], type);
          ranges.emplace_back(value, value);
        }
      }
      std::vector<Cell> args;
      for (const auto& [low, high] : ranges) args.push_back(low);
      for (bool more = true; more;) {
        out.push_back(call_number(text.place, {op, args}));
        more = false;
        for (std::size_t i = args.size(); i-- > 0 && !more;) {
          if (args[i] < ranges[i].second) {
            ++args[i];
            more = true;
          } else {
            args[i] = ranges[i].first;
          }
        }
      }
    }
    if (!found)
      reject(text.place, fmt::format("the object has no operation '{}'", text.op),
             "name one of its operations, or any");
  }

  CallNumber call_number(Place place, const ConcreteCall& call) {
    for (CallNumber i = 0; i < p_.calls.size(); ++i)
      if (p_.calls[i].op == call.op && p_.calls[i].args == call.args) return i;
    if (p_.calls.size() == kMostCalls)
      reject(place, "too many different calls", fmt::format("at most {}", kMostCalls));
    p_.calls.push_back(call);
    return static_cast<CallNumber>(p_.calls.size() - 1);
  }

  void layout() {
    Layout& l = p_.layout;
    std::uint32_t used = 64;
    const auto field = [&](std::int64_t low, std::int64_t high) {
      std::uint32_t bits = 0;
      while ((high - low) >> bits) ++bits;
      if (used + bits > 64) {
        ++l.words;
        used = 0;
      }
      l.fields.push_back(
          {static_cast<Cell>(low), l.words - 1, bits ? used : 0, (std::uint64_t{1} << bits) - 1});
      used += bits;
    };
    for (const Variable& v : p_.shared)
      for (Cell i = 0; i < v.size; ++i) field(v.type.low, v.type.high);
    // A slot is shared by all operations, and the first one keeps the result while it returns.
    std::vector<std::pair<Cell, Cell>> ranges(p_.frame, {0, 0});
    const auto widen = [&](std::size_t slot, const Type& type) {
      ranges[slot] = {std::min(ranges[slot].first, type.low),
                      std::max(ranges[slot].second, type.high)};
    };
    for (const Op& op : p_.ops) {
      for (std::size_t i = 0; i < op.locals.size(); ++i) widen(i, op.locals[i].type);
      if (op.returns_value) widen(0, op.result);
    }
    for (std::uint32_t process = 0; process < p_.processes(); ++process) {
      const ClientClass& c = p_.classes[p_.class_of[process]];
      field(0, static_cast<std::int64_t>(p_.points.size()) - 1);
      field(0, static_cast<std::int64_t>(c.steps.size()) - 1);
      field(0, c.at_most);
      for (const auto& [low, high] : ranges) field(low, high);
    }
    if (l.words == 0) l.words = 1;
  }

  enum class Returns { unknown, nothing, value };
  struct Loop {
    bool atomic;
    std::vector<std::size_t> jumps;
  };

  const ModelText& text_;
  const Settings& settings_;
  Program p_;
  std::string unknown_setting_;
  std::vector<std::map<std::string, Symbol>> scopes_ = {{}};
  std::map<std::string, std::uint32_t> enumeration_ids_;
  std::vector<Instruction>* code_ = nullptr;
  Op op_;
  std::uint32_t op_number_ = 0;
  std::size_t first_point_ = 0;
  Returns returns_ = Returns::unknown;
  std::vector<Loop> leaving_;
  Cell process_count_ = 1;
  bool atomic_ = false, in_spec_ = false;
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
