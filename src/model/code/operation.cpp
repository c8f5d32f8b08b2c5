// SPDX-License-Identifier: MIT
// One operation into code: statements, and the rule of one shared access a statement.
//
// Granularity (why a proof about the model says something about the algorithm): a machine makes one
// access to shared memory at a time, so a statement outside `atomic` may have one, and before it
// stands a boundary. Everything else a statement does concerns the process alone, so no other
// process can tell when it happens, and it is done in the step before. A call, a return and an
// atomic block are steps of their own.
//
// Procedures are compiled anew wherever they are called, with slots of their own. So there is no
// stack to keep in a state, no procedure can call itself, and a call is no step.
#include "model/code/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "model/syntax/diagnostic.hpp"

namespace plumb::model {
namespace {

constexpr Cell kLow16 = -32768, kHigh16 = 32767;

class OperationCompiler : ExpressionCompiler {
 public:
  OperationCompiler(Names& names, const CodeOutput& output, const Limits& limits)
      : ExpressionCompiler(names, output, limits), points_(output.points),
        statements_(output.statements), op_number_(output.op_number),
        first_point_(output.points.size()), scopes_(names.depth()), atomic_(limits.atomic) {
    op_.entry = static_cast<std::uint32_t>(code_.size());
  }

  Op operation(const OpText& text, const Op* like) {
    op_.name = text.name;
    op_.place = text.place;
    if (like && like->parameters.size() != text.parameters.size())
      reject(text.place,
             fmt::format("'{}' has {} parameters here, but {} in the object", text.name,
                         text.parameters.size(), like->parameters.size()),
             "both must take the same");
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

  Op init(const OpText& text) {
    block(text.body);
    if (returns_.kind != Returns::unknown) reject(text.place, "init returns nothing", "remove it");
    emit(Code::give_back, text.end);
    return std::move(op_);
  }

  Op invariant(const Expr& e) {
    condition(e);
    emit(Code::give_back, e.place, 1);
    return std::move(op_);
  }

 private:
  Type parameter_type(const ParameterText& p) const {
    if (!p.type)
      reject(p.place, fmt::format("parameter '{}' has no type", p.name),
             fmt::format("say which values it may have: {} : 0..K-1", p.name));
    return names_.scalar_type(*p.type);
  }

  // What clients see must mean the same to the specification, which knows no nodes.
  void visible(Place place, const Type& type) const {
    if (names_.has_names(type))
      reject(place, "a pointer or a process that clients see",
             "they pass and get numbers, bools and enums");
  }

  // A client makes a call only if this is true; it can look at what is its own.
  void demand(const Expr& e) {
    if (!names_.knows_processes())
      reject(e.place, "requires in a specification", "the object says what clients may do");
    if (shared_accesses(e) > 0)
      reject(e.place, "a shared access in requires",
             "a client knows its private variables and the arguments");
    condition(e);
    op_.demand = emit(Code::await, e.place);
  }

  void boundary(Place place) {
    const auto point = static_cast<Cell>(points_.size());
    points_.push_back({Point::inside, op_number_, static_cast<std::uint32_t>(here()), place.line, 0,
                       place.column});
    emit(Code::boundary, place, point);
  }

  // Counts the shared accesses of what one statement evaluates at once, and puts the boundary
  // before it where there is one.
  void accesses(Place place, std::initializer_list<const Expr*> parts) {
    int count = 0;
    for (const Expr* e : parts)
      if (e) count += shared_accesses(*e);
    accesses(place, count);
  }
  void accesses(Place place, int count) {
    if (atomic_) return;
    if (count > 1)
      reject(place, fmt::format("{} shared accesses in one step", count),
             "read into a local first, or put the statement into atomic { }");
    if (count == 1) boundary(place);
  }

  // What a statement evaluates: an expression, in one step, or the call of a procedure.
  Type value(Place place, const Expr& e, const Type* wanted = nullptr) {
    const bool called = is_call(e);
    if (!called) accesses(place, {&e});
    if (!called && wanted) return expression_of(e, *wanted);
    const Type type = called ? load_result(e.place, call(e)) : expression(e);
    if (wanted) names_.same_type(e.place, *wanted, type);
    return type;
  }
  void truth(Place place, const Expr& e) {
    const bool inverted = e.kind == ExprKind::unary && e.text == "!" && is_call(*e.kids[0]);
    names_.same_type(e.place, kTruth, value(place, inverted ? *e.kids[0] : e));
    if (inverted) emit(Code::invert, e.place);
  }

  // ---- statements

  void block(const Block& body) {
    names_.enter();
    for (const auto& s : body) statement(*s);
    names_.leave();
  }

  void statement(const Stmt& s) {
    if (!names_.in_spec && !limits_.deterministic)
      statements_.push_back({s.place, op_number_, static_cast<std::uint32_t>(here()), depth_});
    ++depth_;
    code_of(s);
    --depth_;
  }

  void code_of(const Stmt& s) {
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
        if (limits_.deterministic)
          reject(s.place, "await in init", "nothing could happen meanwhile");
        // Waiting is a step of its own even if it looks at locals only: it may never end.
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

  void declaration(const Stmt& s) {
    Type type = integer_type(kLow16, kHigh16);
    if (s.value) {
      if (s.type) type = names_.scalar_type(*s.type);
      const Type given = value(s.place, *s.value, s.type ? &type : nullptr);
      if (!s.type && given.kind != Type::integer) type = given;
      if (type.id == kAnyPool)
        reject(s.place, fmt::format("what does '{}' point to?", s.name),
               fmt::format("say it: local {} : *Node = null", s.name));
    } else {
      if (s.type) type = names_.scalar_type(*s.type);
      emit(Code::push, s.place, std::clamp(0, type.low, type.high));
    }
    const Variable v = local(s.place, s.name, type);
    emit(Code::store_local, s.place, v.first, type.low, type.high);
  }

  void assignment(const Stmt& s) {
    if (is_call(*s.value)) {
      const Result result = call(*s.value);
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
  void slow_write(const Stmt& s, Spot to) {
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

  void release(const Stmt& s) {
    if (names_.in_spec) reject(s.place, "free in a specification", "it has no nodes");
    accesses(s.place, 1 + shared_accesses(*s.value));
    const Type type = expression(*s.value);
    if (type.kind != Type::pointer || type.id == kAnyPool)
      reject(s.value->place, "only nodes can be freed", "free takes a pointer to one");
    emit(Code::release, s.place, static_cast<Cell>(type.id));
  }

  // It belongs to the step before it, like all that is local: so what it depends on must be known
  // when that step is over.
  void linearize(const Stmt& s) {
    if (names_.in_spec || limits_.deterministic)
      reject(s.place, fmt::format("linearize in {}", names_.in_spec ? "a specification" : "init"),
             "it says where an operation of the object takes effect");
    if (!s.value) {
      emit(Code::linearize, s.place);
      return;
    }
    if (!atomic_ && shared_accesses(*s.value) > 0)
      reject(s.place, "a shared access in linearize",
             "it says something of the step before it: read into a local there");
    condition(*s.value);
    const std::size_t to_end = emit(Code::jump_if_false, s.place);
    emit(Code::linearize, s.place);
    land(to_end);
  }

  void branch(const Stmt& s) {
    truth(s.place, *s.value);
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
    truth(s.place, *s.value);
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
    names_.enter();
    for (const auto& inner : s.body) statement(*inner);
    if (s.value) {
      truth(s.value->place, *s.value);
      emit(Code::jump_if_false, s.place, begin);
    } else {
      emit(Code::jump, s.place, begin);
    }
    names_.leave();
    end_loop();
  }

  void loop_for(const Stmt& s) {
    names_.enter();
    accesses(s.place, {s.value.get(), s.bound.get()});
    const Type first = number(*s.value);
    // The bound is evaluated once.
    const auto fixed_bound = names_.folded(*s.bound);
    Type last;
    Variable bound;
    if (fixed_bound) {
      last = integer_type(names_.constant(*s.bound), names_.constant(*s.bound));
    } else {
      last = number(*s.bound);
      bound = local(s.place, "", last);
      emit(Code::store_local, s.place, bound.first, last.low, last.high);
    }
    // One beyond the bound is where it ends.
    const Type type = s.down ? integer_type(std::min(last.low - 1, first.low), first.high)
                             : integer_type(first.low, std::max(last.high + 1, first.high));
    const Variable v = local(s.place, s.name, type);
    const auto load_bound = [&] {
      if (fixed_bound) emit(Code::push, s.place, static_cast<Cell>(*fixed_bound));
      else emit(Code::load_local, s.place, bound.first);
    };
    emit(Code::store_local, s.place, v.first, type.low, type.high);
    const Cell begin = here();
    enter_loop();
    if (s.down) load_bound();
    emit(Code::load_local, s.place, v.first);
    if (!s.down) load_bound();
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
    names_.leave();
  }

  // ---- returns and procedures

  struct Returns {
    enum Kind { unknown, nothing, value } kind = unknown;
    Type type;
  };
  struct Result {
    Returns returns;
    Variable slot;
  };
  struct Call {
    const OpText* procedure;
    Variable slot;  // of the result
    std::vector<std::size_t> ends;
  };

  void give_back(const Stmt& s) {
    const Returns::Kind now = s.value ? Returns::value : Returns::nothing;
    if (returns_.kind != Returns::unknown && returns_.kind != now)
      reject(s.place,
             fmt::format("{} returns a value always or never",
                         calls_.empty() ? "an operation" : "a procedure"),
             "give all of its returns a value, or none");
    if (s.value) {
      const Type type = value(s.place, *s.value);
      if (calls_.empty()) visible(s.value->place, type);
      if (returns_.kind == Returns::unknown) {
        returns_.type = type;
      } else {
        names_.same_type(s.value->place, returns_.type, type);
        if (returns_.type.id == kAnyPool) returns_.type.id = type.id;
        returns_.type.low = std::min(returns_.type.low, type.low);
        returns_.type.high = std::max(returns_.type.high, type.high);
      }
    }
    returns_.kind = now;
    if (calls_.empty()) {
      emit(Code::give_back, s.place, s.value ? 1 : 0);
      return;
    }
    if (s.value) emit(Code::store_local, s.place, calls_.back().slot.first, kLow, kHigh);
    calls_.back().ends.push_back(emit(Code::jump, s.place));
  }

  bool is_call(const Expr& e) const {
    return e.kind == ExprKind::call && names_.is_procedure(e.text);
  }

  Result call(const Expr& e) {
    const OpText& procedure = *names_.procedure(e.text);
    for (const Call& other : calls_)
      if (other.procedure == &procedure)
        reject(e.place, fmt::format("'{}' calls itself", e.text),
               "procedures are written out where they are called: use a loop");
    if (e.kids.size() != procedure.parameters.size())
      reject(e.place, fmt::format("'{}' takes {} arguments", e.text, procedure.parameters.size()),
             "one for each of its parameters");
    names_.called(procedure);
    int count = 0;
    for (const ExprPtr& kid : e.kids) count += shared_accesses(*kid);
    accesses(e.place, count);
    std::vector<Type> types;
    for (std::size_t i = 0; i < e.kids.size(); ++i) {
      types.push_back(parameter_type(procedure.parameters[i]));
      expression_of(*e.kids[i], types[i]);
    }

    Names::Scopes aside = names_.set_aside(scopes_);
    names_.enter();
    std::vector<Variable> parameters;
    for (std::size_t i = 0; i < types.size(); ++i)
      parameters.push_back(
          local(procedure.parameters[i].place, procedure.parameters[i].name, types[i]));
    for (std::size_t i = types.size(); i-- > 0;)
      emit(Code::store_local, e.place, parameters[i].first, parameters[i].type.low,
           parameters[i].type.high);
    calls_.push_back({&procedure, local(e.place, "", integer_type(0, 0)), {}});
    const Returns outer = std::exchange(returns_, {});
    std::vector<Loop> outer_loops = std::exchange(leaving_, {});
    block(procedure.body);
    Result result = {std::exchange(returns_, outer), calls_.back().slot};
    leaving_ = std::move(outer_loops);
    if (result.returns.kind == Returns::value) emit(Code::no_result, procedure.end);
    for (const std::size_t jump : calls_.back().ends) land(jump);
    calls_.pop_back();
    names_.leave();
    names_.bring_back(std::move(aside));
    if (result.returns.type.id == kAnyPool)
      reject(procedure.place, fmt::format("what does the result of '{}' point to?", procedure.name),
             "it is always null");
    result.slot.type = result.returns.type;
    op_.locals[static_cast<std::size_t>(result.slot.first) - names_.first_local()].type =
        result.returns.type;
    return result;
  }

  Type load_result(Place place, const Result& result) {
    if (result.returns.kind != Returns::value)
      reject(place, "this procedure returns nothing", "call it as a statement");
    emit(Code::load_local, place, result.slot.first);
    return result.returns.type;
  }

  struct Loop {
    bool atomic;
    std::vector<std::size_t> jumps;
  };

  std::vector<Point>& points_;
  std::vector<Statement>& statements_;
  std::uint32_t depth_ = 0;  // of statements
  const std::uint32_t op_number_;
  const std::size_t first_point_;
  const std::size_t scopes_;  // outside the operation
  Returns returns_;
  std::vector<Call> calls_;
  std::vector<Loop> leaving_;
  bool atomic_;
};

}  // namespace

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
