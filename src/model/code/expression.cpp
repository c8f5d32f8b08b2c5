// SPDX-License-Identifier: MIT
// Ranges: every expression has a type with the values that it can have at most. A variable's type
// says which values it may have, and every store checks it. So nothing wraps around silently; a
// store out of range is a fault of the object.
#include "model/code/expression.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/syntax/diagnostic.hpp"

namespace plumb::model {
namespace {

constexpr std::uint32_t kMostLocals = 64;
constexpr std::size_t kMostCode = 60'000;

struct Primitive {
  std::string_view name;
  std::size_t arguments;
  std::string_view form;
};
constexpr Primitive kPrimitives[] = {
    {"CAS", 3, "CAS(variable, old, new)"},
    {"DCAS", 6, "DCAS(one, another, old one, old other, new one, new other)"},
    {"FAA", 2, "FAA(variable, addend)"},
    {"LL", 1, "LL(variable)"},
    {"SC", 2, "SC(variable, new)"},
    {"SWAP", 2, "SWAP(variable, new)"},
    {"min", 2, "min(a, b)"},
    {"max", 2, "max(a, b)"}};

const Primitive* primitive(const std::string& name) {
  for (const Primitive& p : kPrimitives)
    if (p.name == name) return &p;
  return nullptr;
}

}  // namespace

std::size_t ExpressionCompiler::emit(Code code, Place place, Cell a, Cell b, Cell c, Cell d,
                                     Cell e) {
  if (code_.size() >= kMostCode) reject(place, "the model is too long", "leave something out");
  code_.push_back({code, a, b, c, d, e, place.line, place.column});
  return code_.size() - 1;
}

Variable ExpressionCompiler::local(Place place, const std::string& name, const Type& type) {
  const std::size_t slot = names_.first_local() + op_.locals.size();
  if (slot == kMostLocals)
    reject(place, "too many local variables", fmt::format("at most {}", kMostLocals));
  Variable v;
  v.name = name;
  v.type = type;
  v.first = static_cast<Cell>(slot);
  if (!name.empty()) names_.declare(place, name, {Symbol::local, 0, type, v});
  op_.locals.push_back(v);
  return v;
}

// ---- places

// The index expression of an access, null where it is no array; and complaints.
const Expr* ExpressionCompiler::element(const Expr& e, const Symbol& found) const {
  if (found.variable.array && e.kind != ExprKind::index)
    reject(e.place, fmt::format("'{}' is an array", e.text),
           fmt::format("say which cell: {}[0]", e.text));
  if (!found.variable.array && e.kind == ExprKind::index)
    reject(e.place, fmt::format("'{}' is not an array", e.text), "leave the index out");
  return e.kind == ExprKind::index ? e.kids[0].get() : nullptr;
}

Type ExpressionCompiler::place_type(const Expr& e) const {
  if (e.kind == ExprKind::field) return names_.field(e.place, place_type(*e.kids[0]), e.text).type;
  return names_.symbol(e.place, e.text).type;
}

int ExpressionCompiler::shared_accesses(const Expr& e) const {
  int count = 0;
  if (e.kind == ExprKind::name || e.kind == ExprKind::index) {
    const Symbol* found = names_.find(e.text);
    count += found && found->kind == Symbol::shared;
  } else if (e.kind == ExprKind::field) {
    // A field of a record comes with the record; one of a node is somewhere else than the pointer.
    count += place_type(*e.kids[0]).kind == Type::pointer;
  } else if (e.kind == ExprKind::fresh) {
    // No other process sees a new node. But where nodes are freed, the order decides who gets
    // which.
    count += !names_.collected;
  } else if (e.kind == ExprKind::call && e.text == "DCAS") {
    --count;  // two places, one access
  }
  for (const ExprPtr& kid : e.kids) count += shared_accesses(*kid);
  return count;
}

ExpressionCompiler::Spot ExpressionCompiler::spot(const Expr& e) {
  switch (e.kind) {
    case ExprKind::name:
    case ExprKind::index: return named(e);
    case ExprKind::field: return field(e);
    default: reject(e.place, "this is not a variable", "use a variable or a field of one");
  }
}

ExpressionCompiler::Spot ExpressionCompiler::named(const Expr& e) {
  const Symbol found = names_.symbol(e.place, e.text);
  if (found.kind == Symbol::constant || found.kind == Symbol::value)
    reject(e.place, fmt::format("'{}' is a constant", e.text), "only variables can be changed");
  if (limits_.deterministic && found.kind == Symbol::local &&
      static_cast<std::size_t>(found.variable.first) < names_.first_local())
    reject(e.place, fmt::format("'{}' is private to each process", e.text),
           "here are no processes");
  const Expr* index = element(e, found);
  if (index && found.variable.by_process) {
    expression_of(*index, names_.process_type());
    emit(Code::push, e.place, 1);
    emit(Code::subtract, e.place);
  } else if (index) {
    number(*index);
  }
  return {found.kind, found.variable, index != nullptr, found.type};
}

ExpressionCompiler::Spot ExpressionCompiler::field(const Expr& e) {
  Spot s = spot(*e.kids[0]);
  const Variable& v = names_.field(e.place, s.type, e.text);
  if (s.type.kind == Type::record) {
    s.worth = std::max(s.worth, 1) * v.first;
    s.type = v.type;
    return s;
  }
  load(e.place, s);
  emit(Code::dereference, e.place, static_cast<Cell>(s.type.id));
  return {Symbol::shared, v, true, v.type};
}

void ExpressionCompiler::load_whole(Place place, const Spot& s) {
  const Variable& v = s.variable;
  if (s.index >= 0) emit(Code::load_local, place, s.index);
  if (v.busy >= 0 && !s.indexed) emit(Code::push, place, 0);
  if (v.before >= 0) emit(Code::load_regular, place, v.first, v.before, 0, v.size, v.busy);
  else if (v.busy >= 0)
    emit(Code::load_safe, place, v.first, v.type.low, v.type.high, v.size, v.busy);
  else if (s.kind == Symbol::local) emit(Code::load_local, place, v.first);
  else if (s.indexed) emit(Code::load_indexed, place, v.first, v.size);
  else emit(Code::load_shared, place, v.first);
}

Type ExpressionCompiler::load(Place place, const Spot& s) {
  load_whole(place, s);
  if (s.worth) emit(Code::part, place, s.worth, s.type.low, s.type.high);
  return s.type;
}

// Who stores a field of a record puts the others back with it.
void ExpressionCompiler::begin_store(Place place, Spot& s) {
  if (!s.worth) return;
  s = kept(place, s);
  if (s.indexed) emit(Code::load_local, place, s.index);
  load_whole(place, s);
}

void ExpressionCompiler::store(Place place, const Spot& s) {
  if (limits_.pure) reject(place, "an invariant must not change anything", "compare values");
  const Variable& v = s.variable;
  if (s.worth) emit(Code::replace, place, s.worth, s.type.low, s.type.high);
  emit(s.kind == Symbol::local ? Code::store_local
       : s.indexed             ? Code::store_indexed
                               : Code::store_shared,
       place, v.first, v.type.low, v.type.high, v.size);
}

ExpressionCompiler::Spot ExpressionCompiler::kept(Place place, Spot s) {
  if (!s.indexed) return s;
  s.index = local(place, "", integer_type(0, s.variable.size - 1)).first;
  emit(Code::store_local, place, s.index, 0, s.variable.size - 1);
  return s;
}

// ---- expressions

Type ExpressionCompiler::number(const Expr& e) { return expression_of(e, integer_type(0, 0)); }

Type ExpressionCompiler::expression_of(const Expr& e, const Type& wanted) {
  const bool name = e.kind == ExprKind::self && wanted.kind == Type::process;
  const bool numbers = op_.uses_self;
  Type type = expression(e);
  if (name) {
    op_.uses_self = numbers;
    emit(Code::push, e.place, 1);
    emit(Code::add, e.place);
    type = names_.process_type();
  }
  names_.same_type(e.place, wanted, type);
  return type;
}

/// Leaves the value on the stack. The range of the type is what the value can be at most.
Type ExpressionCompiler::expression(const Expr& e) {
  switch (e.kind) {
    case ExprKind::number:
      emit(Code::push, e.place, static_cast<Cell>(e.value));
      return integer_type(e.value, e.value);
    case ExprKind::truth: emit(Code::push, e.place, static_cast<Cell>(e.value)); return kTruth;
    case ExprKind::null: emit(Code::push, e.place, 0); return kNull;
    case ExprKind::self:
      if (!names_.knows_processes())
        reject(e.place, "self in a specification", "a specification has no processes");
      if (limits_.deterministic)
        reject(e.place, "self outside of an operation", "only operations run in a process");
      op_.uses_self = true;
      emit(Code::self, e.place);
      return integer_type(0, names_.processes - 1);
    case ExprKind::name: {
      const Symbol& found = names_.symbol(e.place, e.text);
      if (found.kind == Symbol::constant || found.kind == Symbol::value) {
        emit(Code::push, e.place, found.number);
        return found.type;
      }
      return load(e.place, spot(e));
    }
    case ExprKind::index: {
      const Symbol& found = names_.symbol(e.place, e.text);
      if (found.kind == Symbol::constant || found.kind == Symbol::value)
        reject(e.place, fmt::format("'{}' is not an array", e.text), "leave the index out");
      return load(e.place, spot(e));
    }
    case ExprKind::field: return load(e.place, spot(e));
    case ExprKind::unary: return unary(e);
    case ExprKind::binary: return binary(e);
    case ExprKind::call:
      if (const auto id = names_.record(e.text)) return record(e, *id);
      return function(e);
    case ExprKind::fresh: return fresh(e);
    case ExprKind::choose: {
      if (limits_.deterministic)
        reject(e.place, "choose outside of an operation", "init and invariant are deterministic");
      const Type low = number(*e.kids[0]), high = number(*e.kids[1]);
      emit(Code::choose, e.place);
      return integer_type(low.low, high.high);
    }
  }
  return {};
}

Type ExpressionCompiler::unary(const Expr& e) {
  if (e.text == "!") {
    condition(*e.kids[0]);
    emit(Code::invert, e.place);
    return kTruth;
  }
  const Type type = number(*e.kids[0]);
  emit(Code::negate, e.place);
  return integer_type(-std::int64_t{type.high}, -std::int64_t{type.low});
}

Type ExpressionCompiler::binary(const Expr& e) {
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
  if (e.text == "==" || e.text == "!=") {
    // `self` second: then it is known what it is compared with.
    const bool turned = e.kids[0]->kind == ExprKind::self;
    const Type left = expression(*e.kids[turned ? 1 : 0]);
    expression_of(*e.kids[turned ? 0 : 1], left);
    emit(e.text == "==" ? Code::equal : Code::different, e.place);
    return kTruth;
  }
  const Type left = number(*e.kids[0]), right = number(*e.kids[1]);
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

// ---- primitives

Type ExpressionCompiler::function(const Expr& e) {
  const Primitive* p = primitive(e.text);
  const bool of_histories = e.text == "soar" || e.text == "clmt" || e.text == "dummy";
  if (!p)
    reject(e.place,
           names_.is_procedure(e.text)
               ? fmt::format("the call of '{}' does not stand alone", e.text)
               : fmt::format("there is no procedure '{}'", e.text),
           names_.is_procedure(e.text)
               ? fmt::format("a procedure takes several steps: local r = {}(...) first", e.text)
           : of_histories
               ? fmt::format("assert {}(history) is about the object: put it beside its operations",
                             e.text)
               : "declare it in the object: proc name(parameter : 0..3) { ... }");
  if (e.kids.size() != p->arguments)
    reject(
        e.place,
        fmt::format("{} takes {} argument{}", e.text, p->arguments, p->arguments == 1 ? "" : "s"),
        std::string(p->form));
  if (e.text == "min" || e.text == "max") {
    const Type a = number(*e.kids[0]), b = number(*e.kids[1]);
    const bool least = e.text == "min";
    emit(least ? Code::minimum : Code::maximum, e.place);
    return least ? integer_type(std::min(a.low, b.low), std::min(a.high, b.high))
                 : integer_type(std::max(a.low, b.low), std::max(a.high, b.high));
  }
  if (names_.in_spec)
    reject(e.place, fmt::format("{} in a specification", e.text),
           "it is sequential: assign to the variable");
  if (limits_.pure) reject(e.place, "an invariant must not change anything", "compare values");
  if (e.text == "DCAS") return double_compare_and_swap(e);
  if (e.text == "LL" || e.text == "SC") return linked(e);
  const Spot s = target(e, *e.kids[0]);
  if (!s.indexed) emit(Code::push, e.place, 0);
  for (std::size_t i = 1; i < e.kids.size(); ++i) expression_of(*e.kids[i], s.type);
  if (e.text == "FAA" && s.type.kind != Type::integer)
    reject(e.kids[0]->place, "FAA adds numbers", "use SWAP or CAS");
  emit(e.text == "CAS"   ? Code::compare_and_swap
       : e.text == "FAA" ? Code::fetch_and_add
                         : Code::swap,
       e.place, s.variable.first, s.type.low, s.type.high, s.variable.size);
  return e.text == "CAS" ? kTruth : s.type;
}

// The first argument of a primitive.
ExpressionCompiler::Spot ExpressionCompiler::target(const Expr& call, const Expr& e) {
  if (e.kind != ExprKind::name && e.kind != ExprKind::index && e.kind != ExprKind::field)
    reject(e.place, fmt::format("{} works on a shared variable", call.text),
           "its first argument is the variable");
  Spot s = spot(e);
  if (s.kind != Symbol::shared)
    reject(e.place, fmt::format("'{}' is not a shared variable", e.text),
           fmt::format("{} works on shared variables", call.text));
  if (s.worth)
    reject(e.place, fmt::format("{} of a field of a record", call.text),
           "it works on whole words: give it the whole record");
  if (s.variable.busy >= 0)
    reject(e.place, fmt::format("{} of a register that is not atomic", call.text),
           "safe and regular registers are only read and written");
  return s;
}

// Two comparisons and two stores in one step.
Type ExpressionCompiler::double_compare_and_swap(const Expr& e) {
  for (std::size_t i = 2; i < e.kids.size(); ++i)
    if (shared_accesses(*e.kids[i]) > 0)
      reject(e.kids[i]->place, "a shared access inside DCAS", "read into a local first");
  Spot places[2];
  for (std::size_t i = 0; i < 2; ++i) places[i] = kept(e.place, target(e, *e.kids[i]));
  std::size_t differ[2];
  for (std::size_t i = 0; i < 2; ++i) {
    load(e.place, places[i]);
    expression_of(*e.kids[2 + i], places[i].type);
    emit(Code::equal, e.place);
    differ[i] = emit(Code::jump_if_false, e.place);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (places[i].indexed) emit(Code::load_local, e.place, places[i].index);
    expression_of(*e.kids[4 + i], places[i].type);
    store(e.place, places[i]);
  }
  emit(Code::push, e.place, 1);
  const std::size_t end = emit(Code::jump, e.place);
  for (const std::size_t jump : differ) land(jump);
  emit(Code::push, e.place, 0);
  land(end);
  return kTruth;
}

// LL(x) remembers in a slot which cell was read, and a write to that cell makes the process
// forget it (Machine::written). That is what a version does that counts all writes, but it is
// finite.
Type ExpressionCompiler::linked(const Expr& e) {
  Spot s = target(e, *e.kids[0]);
  if (!s.indexed) emit(Code::push, e.place, 0);
  s.indexed = true;
  const Cell slot = link_of(e.place, s).first;
  emit(Code::duplicate, e.place);
  if (e.text == "LL") {
    emit(Code::link, e.place, slot);
    return load(e.place, s);
  }
  emit(Code::linked, e.place, slot);
  const std::size_t lost = emit(Code::jump_if_false, e.place);
  expression_of(*e.kids[1], s.type);
  store(e.place, s);
  emit(Code::push, e.place, 1);
  const std::size_t end = emit(Code::jump, e.place);
  land(lost);
  emit(Code::pop, e.place);
  emit(Code::push, e.place, 0);
  land(end);
  return kTruth;
}

// The slot has the number of the cell, from 1; 0: none. For a field that is a pointer to its node,
// so that it survives when nodes are numbered anew; for an element of a process its name.
Variable ExpressionCompiler::link_of(Place place, const Spot& s) {
  for (const Link& link : op_.links)
    if (link.first == s.variable.first)
      return op_.locals[static_cast<std::size_t>(link.slot) - names_.first_local()];
  Type type = integer_type(0, s.variable.size);
  if (!s.variable.field.empty())
    type = {Type::pointer, names_.pool(place, s.variable.name), 0, s.variable.size};
  if (s.variable.by_process) type = names_.process_type();
  Variable v = local(place, "", type);
  op_.links.push_back({s.variable.first, s.variable.size, v.first});
  return v;
}

// ---- records and nodes

// Digit by digit; what is not given is 0, or as near to it as there is.
Type ExpressionCompiler::record(const Expr& e, std::uint32_t id) {
  const std::vector<Variable>& fields = names_.records()[id].fields;
  const std::vector<const Expr*> given = names_.fields_of(e, fields);
  emit(Code::push, e.place, 0);
  Cell high = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Type& type = fields[i].type;
    if (given[i]) expression_of(*given[i], type);
    else emit(Code::push, e.place, std::clamp(0, type.low, type.high));
    emit(Code::check, e.place, 0, type.low, type.high);
    emit(Code::push, e.place, type.low);
    emit(Code::subtract, e.place);
    emit(Code::push, e.place, fields[i].first);
    emit(Code::multiply, e.place);
    emit(Code::add, e.place);
    high += (type.high - type.low) * fields[i].first;
  }
  return {Type::record, id, 0, high};
}

Type ExpressionCompiler::fresh(const Expr& e) {
  if (names_.in_spec) reject(e.place, "new in a specification", "it has no nodes: use arrays");
  if (limits_.pure) reject(e.place, "an invariant must not change anything", "compare values");
  const std::uint32_t id = names_.pool(e.place, e.text);
  const std::vector<Variable>& fields = names_.pools()[id].fields;
  const std::vector<const Expr*> given = names_.fields_of(e, fields);
  emit(Code::allocate, e.place, static_cast<Cell>(id));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!given[i]) continue;
    emit(Code::duplicate, e.place);
    emit(Code::dereference, e.place, static_cast<Cell>(id));
    expression_of(*given[i], fields[i].type);
    store(e.place, {Symbol::shared, fields[i], true, fields[i].type});
  }
  return {Type::pointer, id, 0, names_.pools()[id].size};
}

}  // namespace plumb::model
