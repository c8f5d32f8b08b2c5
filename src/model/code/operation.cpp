// SPDX-License-Identifier: MIT
// One operation into code: statements, and the rule of one shared access per statement.
//
// Granularity (why a proof about the model says something about the algorithm): a machine makes one
// access to shared memory at a time, so a statement outside `atomic` may have one, and before it
// stands a boundary. Everything else a statement does concerns the process alone, so no other
// process can tell when it happens, and it is done in the step before. A call, a return and an
// atomic block are steps of their own.
#include "model/code/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "model/code/operation_compiler.hpp"
#include "model/syntax/diagnostic.hpp"

namespace plumb::model {
namespace {

constexpr Cell kLow16 = -32768, kHigh16 = 32767;

}  // namespace

Op OperationCompiler::operation(const OpText& text, const Op* like) {
  op_.name = text.name;
  op_.place = text.place;
  if (like && like->parameters.size() != text.parameters.size())
    reject(text.place,
           fmt::format("'{}' has {} parameters here, but {} in the object", text.name,
                       text.parameters.size(), like->parameters.size()),
           "both need the same parameters");
  names_.enter();
  for (std::size_t i = 0; i < text.parameters.size(); ++i) {
    const ParameterText& p = text.parameters[i];
    Type type;
    if (like) {
      type = like->parameters[i].type;
      if (p.type) names_.same_type(p.place, type, names_.scalar_type(*p.type));
    } else {
      type = parameter_type(p);
      visible(p.place, type);
    }
    op_.parameters.push_back(local(p.place, p.name, type));
  }
  if (text.requires_) demand(*text.requires_);
  block(text.body);
  names_.leave();
  op_.returns_value = returns_.kind == Returns::value;
  op_.result = returns_.type;
  emit(op_.returns_value ? Code::no_result : Code::give_back, text.end);
  if (!names_.in_spec) {
    op_.return_point = static_cast<Cell>(points_.size());
    points_.push_back({Point::returning, op_number_, 0, text.end.line, 0});
    mark_live(op_, code_, std::span(points_).subspan(first_point_), names_.first_local());
  }
  return std::move(op_);
}

Op OperationCompiler::init(const OpText& text) {
  block(text.body);
  if (returns_.kind != Returns::unknown) reject(text.place, "init returns nothing", "remove it");
  emit(Code::give_back, text.end);
  return std::move(op_);
}

Op OperationCompiler::invariant(const Expr& e) {
  condition(e);
  emit(Code::give_back, e.place, 1);
  return std::move(op_);
}

Type OperationCompiler::parameter_type(const ParameterText& p) const {
  if (!p.type)
    reject(p.place, fmt::format("parameter '{}' has no type", p.name),
           fmt::format("say which values it may have: {} : 0..K-1", p.name));
  return names_.scalar_type(*p.type);
}

// What clients see must mean the same to the specification, which knows no nodes.
void OperationCompiler::visible(Place place, const Type& type) const {
  if (names_.has_names(type))
    reject(place, "a pointer or a process that clients see",
           "clients pass and receive numbers, bools and enums");
}

// A client makes a call only if this is true; it knows only what is its own.
void OperationCompiler::demand(const Expr& e) {
  if (!names_.knows_processes())
    reject(e.place, "requires in a specification", "the object says what clients may do");
  if (shared_accesses(e) > 0)
    reject(e.place, "a shared access in requires", "use only private variables and arguments");
  condition(e);
  op_.demand = emit(Code::await, e.place);
}

void OperationCompiler::boundary(Place place) {
  const auto point = static_cast<Cell>(points_.size());
  points_.push_back(
      {Point::inside, op_number_, static_cast<std::uint32_t>(here()), place.line, 0, place.column});
  emit(Code::boundary, place, point);
}

// Counts the shared accesses of what one statement evaluates at once, and puts the boundary
// before it where there is one.
void OperationCompiler::accesses(Place place, std::initializer_list<const Expr*> parts) {
  int count = 0;
  for (const Expr* e : parts)
    if (e) count += shared_accesses(*e);
  accesses(place, count);
}

void OperationCompiler::accesses(Place place, int count) {
  if (atomic_) return;
  if (count > 1)
    reject(place, fmt::format("{} shared accesses in one step", count),
           "read into a local first, or put the statement into atomic { }");
  if (count == 1) boundary(place);
}

// What a statement evaluates: an expression, in one step, or the call of a procedure.
Type OperationCompiler::value(Place place, const Expr& e, const Type* wanted) {
  const bool called = is_call(e);
  if (!called) accesses(place, {&e});
  if (!called && wanted) return expression_of(e, *wanted);
  const Type type = called ? load_result(e.place, call(e)) : expression(e);
  if (wanted) names_.same_type(e.place, *wanted, type);
  return type;
}

void OperationCompiler::truth(Place place, const Expr& e) {
  const bool inverted = e.kind == ExprKind::unary && e.text == "!" && is_call(*e.kids[0]);
  names_.same_type(e.place, kTruth, value(place, inverted ? *e.kids[0] : e));
  if (inverted) emit(Code::invert, e.place);
}

void OperationCompiler::block(const Block& body) {
  names_.enter();
  for (const auto& s : body) statement(*s);
  names_.leave();
}

void OperationCompiler::statement(const Stmt& s) {
  if (!names_.in_spec && !limits_.deterministic)
    statements_.push_back({s.place, op_number_, static_cast<std::uint32_t>(here()), depth_});
  ++depth_;
  code_of(s);
  --depth_;
}

void OperationCompiler::code_of(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::local: return declaration(s);
    case StmtKind::assign: return assignment(s);
    case StmtKind::expression:
      if (is_call(*s.value)) {
        call(*s.value);
        return;
      }
      if (s.value->text == "min" || s.value->text == "max" || names_.record(s.value->text))
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
      // A procedure may be called from an atomic block, too.
      if (atomic_ && !calls_.empty()) return block(s.body);
      if (atomic_)
        reject(s.place, names_.in_spec ? "atomic in a specification" : "atomic inside atomic",
               "it is atomic already");
      boundary(s.place);
      atomic_ = true;
      block(s.body);
      atomic_ = false;
      return;
    }
    case StmtKind::await:
      if (limits_.deterministic) reject(s.place, "await in init", "nothing could happen meanwhile");
      // Waiting is a step of its own even if it reads locals only: it may never end.
      accesses(s.place, {s.value.get()});
      if (!atomic_ && shared_accesses(*s.value) == 0) boundary(s.place);
      condition(*s.value);
      emit(Code::await, s.place);
      return;
    case StmtKind::assertion:
      truth(s.place, *s.value);
      emit(Code::assertion, s.place);
      return;
    case StmtKind::linearize: return linearize(s);
    case StmtKind::release: return release(s);
  }
}

void OperationCompiler::declaration(const Stmt& s) {
  Type type = integer_type(kLow16, kHigh16);
  if (s.value) {
    if (s.type) type = names_.scalar_type(*s.type);
    const Type given = value(s.place, *s.value, s.type ? &type : nullptr);
    if (!s.type && given.kind != Type::integer) type = given;
    if (type.id == kAnyPool)
      reject(s.place, fmt::format("the type of the pointer '{}' is unknown", s.name),
             fmt::format("declare it: local {} : *Node = null", s.name));
  } else {
    if (s.type) type = names_.scalar_type(*s.type);
    emit(Code::push, s.place, std::clamp(0, type.low, type.high));
  }
  const Variable v = local(s.place, s.name, type);
  emit(Code::store_local, s.place, v.first, type.low, type.high);
}

void OperationCompiler::assignment(const Stmt& s) {
  if (is_call(*s.value)) {
    const CallResult result = call(*s.value);
    accesses(s.place, {s.target.get()});
    Spot to = spot(*s.target);
    if (to.variable.busy >= 0)
      reject(s.place, "a procedure's result in a register that is not atomic",
             "assign it to a local first");
    begin_store(s.place, to);
    names_.same_type(s.value->place, to.type, load_result(s.place, result));
    return store(s.place, to);
  }
  accesses(s.place, {s.target.get(), s.value.get()});
  Spot to = spot(*s.target);
  if (to.variable.busy >= 0) return slow_write(s, to);
  begin_store(s.place, to);
  expression_of(*s.value, to.type);
  store(s.place, to);
}

// A write of a safe or regular register takes time: two steps. A read that overlaps it takes only
// one; that is enough, because a read that takes longer could as well wait for the moment between
// the two, or before, or after them.
void OperationCompiler::slow_write(const Stmt& s, Spot to) {
  if (atomic_)
    reject(s.place, "a write of a register that is not atomic takes two steps",
           "put it outside of atomic { }");
  const Variable v = to.variable;
  if (!to.indexed) emit(Code::push, s.place, 0);
  to.indexed = true;
  to = kept(s.place, to);
  const auto index = [&] { emit(Code::load_local, s.place, to.index); };
  index();
  emit(Code::begin_write, s.place, v.first, v.before, 0, v.size, v.busy);
  index();
  expression_of(*s.value, to.type);
  store(s.place, to);
  boundary(s.place);
  index();
  emit(Code::end_write, s.place, v.first, v.before, 0, v.size, v.busy);
}

void OperationCompiler::release(const Stmt& s) {
  if (names_.in_spec) reject(s.place, "free in a specification", "it has no nodes");
  accesses(s.place, 1 + shared_accesses(*s.value));
  const Type type = expression(*s.value);
  if (type.kind != Type::pointer || type.id == kAnyPool)
    reject(s.value->place, "only nodes can be freed", "free takes a pointer to one");
  emit(Code::release, s.place, static_cast<Cell>(type.id));
}

Op compile_operation(const OpText& text, const Op* like, Names& names, const CodeOutput& output) {
  return OperationCompiler(names, output, {.atomic = names.in_spec}).operation(text, like);
}

Op compile_init(const OpText& text, Names& names, const CodeOutput& output) {
  return OperationCompiler(names, output, {.atomic = true, .deterministic = true}).init(text);
}

Op compile_invariant(const Expr& e, Names& names, const CodeOutput& output) {
  return OperationCompiler(names, output, {.atomic = true, .deterministic = true, .pure = true})
      .invariant(e);
}

}  // namespace plumb::model
