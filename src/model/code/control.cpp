// SPDX-License-Identifier: MIT
// Branches, loops, returns and procedures.
//
// Procedures are compiled anew wherever they are called, with slots of their own. So there is no
// stack to keep in a state, no procedure can call itself, and a call is no step.
#include <fmt/format.h>

#include <algorithm>

#include "model/code/operation_compiler.hpp"
#include "model/syntax/diagnostic.hpp"

namespace plumb::model {

// It belongs to the step before it, like all that is local: so what it depends on must be known
// when that step is over.
void OperationCompiler::linearize(const Stmt& s) {
  if (names_.in_spec || limits_.deterministic)
    reject(s.place, fmt::format("linearize in {}", names_.in_spec ? "a specification" : "init"),
           "it marks where an operation of the object takes effect");
  if (!s.value) {
    emit(Code::linearize, s.place);
    return;
  }
  if (!atomic_ && shared_accesses(*s.value) > 0)
    reject(s.place, "a shared access in linearize",
           "it belongs to the previous step: read into a local there");
  condition(*s.value);
  const std::size_t to_end = emit(Code::jump_if_false, s.place);
  emit(Code::linearize, s.place);
  land(to_end);
}

void OperationCompiler::branch(const Stmt& s) {
  truth(s.place, *s.value);
  const std::size_t to_other = emit(Code::jump_if_false, s.place);
  block(s.body);
  if (s.other.empty()) return land(to_other);
  const std::size_t to_end = emit(Code::jump, s.place);
  land(to_other);
  block(s.other);
  land(to_end);
}

void OperationCompiler::loop_while(const Stmt& s) {
  const Cell begin = here();
  enter_loop();
  truth(s.place, *s.value);
  const std::size_t to_end = emit(Code::jump_if_false, s.place);
  block(s.body);
  emit(Code::jump, s.place, begin);
  land(to_end);
  end_loop();
}

void OperationCompiler::loop_repeat(const Stmt& s) {
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

void OperationCompiler::loop_for(const Stmt& s) {
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

void OperationCompiler::give_back(const Stmt& s) {
  const Returns::Kind now = s.value ? Returns::value : Returns::nothing;
  if (returns_.kind != Returns::unknown && returns_.kind != now)
    reject(s.place,
           fmt::format("{} must return a value either always or never",
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

OperationCompiler::CallResult OperationCompiler::call(const Expr& e) {
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
  CallResult result = {std::exchange(returns_, outer), calls_.back().slot};
  leaving_ = std::move(outer_loops);
  if (result.returns.kind == Returns::value) emit(Code::no_result, procedure.end);
  for (const std::size_t jump : calls_.back().ends) land(jump);
  calls_.pop_back();
  names_.leave();
  names_.bring_back(std::move(aside));
  if (result.returns.type.id == kAnyPool)
    reject(procedure.place,
           fmt::format("the pointer type of the result of '{}' is unknown", procedure.name),
           "it is always null");
  result.slot.type = result.returns.type;
  op_.locals[static_cast<std::size_t>(result.slot.first) - names_.first_local()].type =
      result.returns.type;
  return result;
}

Type OperationCompiler::load_result(Place place, const CallResult& result) {
  if (result.returns.kind != Returns::value)
    reject(place, "this procedure returns nothing", "call it as a statement");
  emit(Code::load_local, place, result.slot.first);
  return result.returns.type;
}

}  // namespace plumb::model
