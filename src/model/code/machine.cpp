// SPDX-License-Identifier: MIT
#include "model/code/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace plumb::model {

Machine::Machine(const Program& program, NodeNames names)
    : program_(program), interpreter_(program), heap_(program), names_(names) {
  next_.resize(program.cells());
  coverage_.code.resize(program.code.size(), 0);
  coverage_.returned.resize(program.ops.size(), 0);
  spec_covered_.resize(program.spec_code.size(), 0);
}

std::vector<Cell> Machine::initial() const {
  std::vector<Cell> state(program_.initial_shared);
  state.resize(program_.cells(), 0);
  for (std::uint32_t p = 0; p < program_.processes(); ++p) {
    Cell* block = state.data() + program_.block_of(p);
    block[2] = program_.classes[program_.class_of[p]].at_most;
    std::copy(program_.initial_private.begin(), program_.initial_private.end(), block + 3);
  }
  return state;
}

std::optional<Fault> Machine::begin(std::vector<Cell>& state) {
  if (program_.init) {
    std::vector<Cell> locals(program_.init->locals.size() + program_.first_local(), 0);
    interpreter_.first_choice();
    Interpreter::Run init = object_run(state.data(), locals.data(), 0);
    init.object = false;  // no process is inside an operation yet
    const RunEnd end = interpreter_.run(init, program_.init->entry);
    if (end == RunEnd::cut) return Fault{program_.code[program_.init->entry].line, "too few nodes"};
    if (end == RunEnd::fault) return interpreter_.fault();
    if (heap_.any()) heap_.renumber(state.data());
  }
  if (!interpreter_.invariants_hold(state.data(), coverage_.code.data()))
    return interpreter_.fault();
  return {};
}

void Machine::tidy(Cell* state) {
  if (names_ == NodeNames::canonical) heap_.renumber(state);
  else heap_.collect(state);
}

void Machine::finish(RunEnd end, std::uint32_t process, const Op& op, Successor& successor,
                     const Visitor& visit) {
  if (end == RunEnd::cut) ++cuts_;
  if (end == RunEnd::cut || end == RunEnd::blocked) return;
  Cell* next = next_.data();
  Cell* block = next + program_.block_of(process);
  Cell* locals = block + 3;
  const std::uint32_t first_local = program_.first_local();
  successor.marks = interpreter_.marks();
  std::uint64_t live = 0;
  if (end == RunEnd::boundary) {
    block[0] = interpreter_.point();
    live = program_.points[static_cast<std::size_t>(block[0])].live;
  } else if (end == RunEnd::returned) {
    block[0] = op.return_point;
    coverage_.returned[static_cast<std::size_t>(&op - program_.ops.data())] = 1;
  }
  for (std::uint32_t slot = first_local; slot < program_.frame; ++slot)
    if (!(live >> slot & 1)) locals[slot] = 0;
  if (end == RunEnd::returned && op.returns_value)
    locals[first_local] = static_cast<Cell>(interpreter_.result());
  if (end != RunEnd::fault && heap_.any()) tidy(next);
  if (end != RunEnd::fault && !program_.invariants.empty() &&
      !interpreter_.invariants_hold(next, coverage_.code.data()))
    end = RunEnd::fault;
  successor.fault = end == RunEnd::fault ? &interpreter_.fault() : nullptr;
  successor.state = next;
  visit(successor);
}

void Machine::run_each(const Cell* state, std::uint32_t process, const Op& op, std::uint32_t ip,
                       const ConcreteCall* call, Successor& successor, const Visitor& visit) {
  const ClientClass& client = program_.classes[program_.class_of[process]];
  Cell* next = next_.data();
  Cell* block = next + program_.block_of(process);
  Cell* locals = block + 3;
  interpreter_.first_choice();
  do {
    std::copy(state, state + program_.cells(), next);
    if (call) {
      std::copy(call->args.begin(), call->args.end(), locals + program_.first_local());
      block[1] = (block[1] + 1) % static_cast<Cell>(client.steps.size());
      if (client.at_most) --block[2];
    }
    const RunEnd end = interpreter_.run(object_run(next, locals, process), ip);
    finish(end, process, op, successor, visit);
  } while (interpreter_.next_choice());
}

void Machine::successors(const Cell* state, std::uint32_t process, const Visitor& visit) {
  const std::uint32_t at = program_.block_of(process);
  const Point& from = point(state, process);
  const ClientClass& client = program_.classes[program_.class_of[process]];
  Successor successor;
  switch (from.kind) {
    case Point::idle:
      if (client.at_most && state[at + 2] == 0) return;
      successor.kind = StepKind::call;
      for (const CallNumber number : client.steps[static_cast<std::size_t>(state[at + 1])]) {
        const ConcreteCall& call = program_.calls[number];
        const Op& op = program_.ops[call.op];
        successor.call = number;
        run_each(state, process, op, op.entry, &call, successor, visit);
      }
      return;
    case Point::inside:
      successor.kind = StepKind::inside;
      successor.line = from.line;
      run_each(state, process, program_.ops[from.op], from.ip + 1, nullptr, successor, visit);
      return;
    case Point::returning: {
      const std::uint32_t first_local = program_.first_local();
      successor.kind = StepKind::give_back;
      successor.call = from.op;
      successor.result = program_.ops[from.op].returns_value ? state[at + 3 + first_local] : 0;
      Cell* next = next_.data();
      std::copy(state, state + program_.cells(), next);
      Cell* block = next + at;
      block[0] = 0;
      std::fill(block + 3 + first_local, block + 3 + program_.frame, 0);
      successor.state = next;
      visit(successor);
      return;
    }
  }
}

std::vector<Machine::Outcome> Machine::specified(const std::vector<Cell>& state,
                                                 const ConcreteCall& call,
                                                 std::optional<Fault>& fault) {
  std::vector<Outcome> outcomes;
  std::vector<Cell> locals;
  interpreter_.first_choice();
  do {
    Outcome outcome{state, 0};
    locals.assign(std::max<std::size_t>(program_.spec_frame, call.args.size()), 0);
    std::copy(call.args.begin(), call.args.end(), locals.begin());
    const RunEnd end = interpreter_.run({program_.spec_code.data(), outcome.state.data(),
                                         locals.data(), 0, spec_covered_.data(), false},
                                        program_.spec_ops[call.op].entry);
    if (end == RunEnd::fault) {
      fault = interpreter_.fault();
      return {};
    }
    if (end == RunEnd::blocked) continue;
    outcome.result = static_cast<Cell>(interpreter_.result());
    add(outcomes, std::move(outcome));
  } while (interpreter_.next_choice());
  return outcomes;
}

void Machine::add(std::vector<Outcome>& outcomes, Outcome outcome) {
  const bool known = std::any_of(outcomes.begin(), outcomes.end(), [&](const Outcome& other) {
    return other.result == outcome.result && other.state == outcome.state;
  });
  if (!known) outcomes.push_back(std::move(outcome));
}

// A small search of its own: the code may choose, and it may go round in circles.
std::vector<Machine::Outcome> Machine::alone(const std::vector<Cell>& shared,
                                             const ConcreteCall& call,
                                             std::optional<Fault>& fault) {
  constexpr std::size_t kMostStates = 100'000;
  const Op& op = program_.ops[call.op];
  std::vector<Outcome> outcomes;
  std::set<std::vector<Cell>> met;
  std::vector<const std::vector<Cell>*> open;
  const auto meet = [&](const Successor& s) {
    if (s.fault && !fault) fault = *s.fault;
    if (s.fault) return;
    const auto [at, fresh] = met.emplace(s.state, s.state + program_.cells());
    if (fresh) open.push_back(&*at);
  };
  const std::uint64_t cuts_before = cuts_;
  std::vector<Cell> idle(shared);
  idle.resize(program_.cells(), 0);
  Successor successor;
  run_each(idle.data(), 0, op, op.entry, &call, successor, meet);
  while (!open.empty() && !fault && met.size() <= kMostStates && cuts_ == cuts_before) {
    const std::vector<Cell>& state = *open.back();
    open.pop_back();
    if (point(state.data(), 0).kind != Point::returning) {
      successors(state.data(), 0, meet);
      continue;
    }
    const auto end = state.begin() + static_cast<std::ptrdiff_t>(shared.size());
    add(outcomes, {{state.begin(), end}, op.returns_value ? end[3] : 0});
  }
  if (met.size() > kMostStates)
    fault = Fault{op.place.line, fmt::format("'{}' has too many states, even alone", op.name)};
  if (cuts_ > cuts_before)
    fault = Fault{op.place.line, fmt::format("'{}' finds no free node: declare more", op.name)};
  if (fault) outcomes.clear();
  return outcomes;
}

}  // namespace plumb::model
