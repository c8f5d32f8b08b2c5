// SPDX-License-Identifier: MIT
// Guerraoui and Vukolic, *A scalable and oblivious atomicity assertion*, 2008, sections 3 and 4: a
// model checker explores an algorithm whose operations write into history variables when they were
// called, when they returned, and what; and whenever an operation returns it evaluates an
// assertion on these variables: SOAR, or CLMT, or, to know what the rest costs, a dummy.
//
// So here a "set" is the whole history, and two states with different histories are different
// states: that is the price of this method, and why it needs clients that make so many calls and no
// more. The monitors beside this one keep just as much of a history as matters for what may come,
// and prove the same for any number of calls. This one exists for comparison.
//
// A history is a number: that of its last event, in a row with the history before it. The assertion
// is evaluated at every return of every state, as a model checker would that sees a predicate and
// variables; that it has seen this history in another state does not help it.
#include "refine/question/history_monitor.hpp"

#include <algorithm>
#include <atomic>

#include "check/monitors/monitors.hpp"
#include "spec/specifications.hpp"

namespace plumb::refine {
namespace {

enum HistoryEvent : std::uint32_t { calls, returns };
constexpr std::uint32_t kProcessBits = 4;  // at most 16 of them

std::uint32_t packed(HistoryEvent event, std::uint32_t process, std::uint32_t call) {
  return call << (kProcessBits + 1) | process << 1 | event;
}

/// The labels of a register's operations, for values by their number.
LabelId label_of_write(std::size_t value) { return static_cast<LabelId>(2 * value); }
LabelId label_of_read(std::size_t value) { return static_cast<LabelId>(2 * value + 1); }

/// Null: none is asked.
HistoryMonitor::Engine engine_of(Criterion criterion) {
  switch (criterion) {
    case Criterion::soar: return decide_soar;
    case Criterion::soar_literal: return decide_soar_literal;
    case Criterion::clmt: return decide_clmt;
    default: return nullptr;
  }
}

Problem problem_of(const std::vector<Value>& values) {
  Problem problem;
  problem.specification = &register_specification();
  problem.initial = values.front();
  const MethodId write = *problem.specification->find(Role::writes);
  const MethodId read = *problem.specification->find(Role::reads);
  for (const Value& value : values) {
    problem.labels.emplace_back(write, std::span(&value, 1), Value::nil(), true);
    problem.labels.emplace_back(read, std::span<const Value>(), value, true);
  }
  problem.pure.assign(problem.labels.size(), false);
  return problem;
}

std::vector<Value> values_of(const model::Program& program, const RegisterShape& shape) {
  std::vector<Value> values;
  for (const model::Cell cell : shape.values)
    values.push_back(value_of(program, program.ops[shape.read].result, cell));
  return values;
}

void add_call(Problem& problem, LabelId label) {
  const auto op = static_cast<OperationId>(problem.ops.size());
  problem.ops.emplace_back();
  problem.ops[op].label = label;
  problem.ops[op].call = static_cast<std::uint32_t>(problem.events.size());
  problem.ops[op].source = op;
  problem.events.emplace_back(op, false);
}

void add_return(Problem& problem, OperationId op) {
  problem.ops[op].ret = static_cast<std::uint32_t>(problem.events.size());
  problem.events.emplace_back(op, true);
}

}  // namespace

HistoryMonitor::HistoryMonitor(Sets& sets, Criterion criterion)
    : Monitor(sets), engine_(engine_of(criterion)), shape_(register_shape(program())),
      values_(values_of(program(), shape_)), problem_(problem_of(values_)) {}

SetId HistoryMonitor::initial() {
  const std::uint32_t row[] = {kEmpty, 0, 0};
  return histories().number(row) + 1;
}

SetId HistoryMonitor::after_call(SetId set, std::uint32_t process, model::CallNumber call) {
  const std::uint32_t row[] = {set, packed(calls, process, call), 0};
  return histories().number(row) + 1;
}

SetId HistoryMonitor::returned(SetId set, std::uint32_t process, model::Cell result) {
  const std::uint32_t row[] = {set, packed(returns, process, 0),
                               static_cast<std::uint32_t>(result)};
  const SetId to = histories().number(row) + 1;
  return assertion(to) ? to : kEmpty;
}

bool HistoryMonitor::assertion(SetId history) {
  if (!engine_) return true;
  path_.clear();
  for (const std::uint32_t* row = histories()[history - 1]; row[0] != kEmpty;
       row = histories()[row[0] - 1])
    path_.push_back(row);
  problem_.ops.clear();
  problem_.events.clear();
  OperationId pending[1u << kProcessBits];
  for (std::size_t i = path_.size(); i-- > 0;) {
    const std::uint32_t word = path_[i][1];
    OperationId& own = pending[word >> 1 & ((1u << kProcessBits) - 1)];
    const auto number_of = [&](model::Cell value) {
      return static_cast<std::size_t>(std::find(shape_.values.begin(), shape_.values.end(), value) -
                                      shape_.values.begin());
    };
    if ((word & 1) == calls) {
      const model::ConcreteCall& call = program().calls[word >> (kProcessBits + 1)];
      own = static_cast<OperationId>(problem_.ops.size());
      // A read that does not return is left out by the engines, whatever its label.
      add_call(problem_, call.op == shape_.write ? label_of_write(number_of(call.args[0]))
                                                 : label_of_read(0));
      continue;
    }
    add_return(problem_, own);
    LabelId& label = problem_.ops[own].label;
    if (label % 2 == label_of_write(0)) continue;
    const std::size_t value = number_of(static_cast<model::Cell>(path_[i][2]));
    if (value == shape_.values.size()) return false;  // it is never written
    label = label_of_read(value);
  }
  Budget unlimited;
  return engine_(problem_, unlimited, {}).verdict != Verdict::violation;
}

std::string why_not_recorded(const model::Program& program, Criterion criterion) {
  const RegisterShape shape = register_shape(program);
  const std::vector<Value> values = values_of(program, shape);
  Problem problem = problem_of(values);
  OperationId next = 0;
  for (const model::ClientClass& c : program.classes) {
    if (c.count == 0) continue;
    if (c.at_most == 0) return "some clients call forever; say at most how often";
    const std::uint32_t op = program.calls[c.steps[0][0]].op;
    for (const auto& step : c.steps)
      for (const model::CallNumber call : step)
        if (program.calls[call].op != op) return "a client both reads and writes";
    const bool writer = op == shape.write;
    for (std::uint32_t i = 0; i < c.count * static_cast<std::uint32_t>(c.at_most); ++i) {
      add_call(problem, writer ? label_of_write(0) : label_of_read(0));
      add_return(problem, next++);
    }
  }
  const HistoryMonitor::Engine engine = engine_of(criterion);
  if (!engine) return {};
  // Engines look at their preconditions first: those, and nothing else, are what counts here.
  const std::atomic<bool> at_once{true};
  Budget nothing(0, 0, &at_once);
  const Answer answer = engine(problem, nothing, {});
  return nothing.stopped() == Budget::Stop::none ? answer.reason : "";
}

}  // namespace plumb::refine
