// SPDX-License-Identifier: MIT
#include "every_history.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "model/code/sequential.hpp"

namespace plumb::refine {

History history_of(const model::Program& program, const std::vector<RunEvent>& events, bool stuck) {
  HistoryBuilder builder;
  builder.begin_object(Value::nil(), program.object);
  std::vector<ProcessId> processes;
  for (std::uint32_t p = 0; p < program.processes(); ++p)
    processes.push_back(builder.process(Value::integer(p)));
  for (const RunEvent& e : events) {
    Status done;
    if (e.call) {
      const model::ConcreteCall& call = program.calls[e.number];
      const model::Op& op = program.ops[call.op];
      std::vector<Value> args;
      for (std::size_t a = 0; a < call.args.size(); ++a)
        args.push_back(value_of(program, op.parameters[a].type, call.args[a]));
      done = builder.call(processes[e.process], 0, builder.intern_call(op.name, args));
    } else {
      const model::Op& op = program.ops[e.number];
      done = builder.returned(processes[e.process], op.returns_value
                                                        ? value_of(program, op.result, e.result)
                                                        : Value::nil());
    }
    EXPECT_TRUE(done.ok());
  }
  if (stuck) { EXPECT_TRUE(builder.stuck().ok()); }
  Result<History> history = std::move(builder).finish();
  EXPECT_TRUE(history.ok());
  return *std::move(history);
}

bool EveryHistory::is_new(const std::vector<model::Cell>& state) {
  std::string bytes;
  bytes.reserve((state.size() + 4 * events_.size()) * sizeof(model::Cell));
  const auto add = [&bytes](const auto number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  for (const model::Cell cell : state) add(cell);  // the same number of cells in every state
  for (const RunEvent& e : events_) add(e.call), add(e.process), add(e.number), add(e.result);
  return seen_.insert(std::move(bytes)).second;
}

void EveryHistory::step(const std::vector<model::Cell>& state) {
  if (!going_on_ || !is_new(state)) return;
  bool any = false;
  for (std::uint32_t p = 0; p < program_.processes(); ++p) {
    const std::uint32_t op = machine_.point(state.data(), p).op;
    std::vector<std::pair<std::vector<model::Cell>, std::optional<RunEvent>>> next;
    machine_.successors(state.data(), p, [&](const model::Successor& s) {
      std::optional<RunEvent> event;
      if (s.kind == model::StepKind::call) event = RunEvent{true, p, s.call, 0};
      if (s.kind == model::StepKind::give_back) event = RunEvent{false, p, op, s.result};
      next.emplace_back(std::vector<model::Cell>(s.state, s.state + program_.cells()), event);
    });
    for (const auto& [to, event] : next) {
      any = true;
      if (event) events_.push_back(*event);
      step(to);
      if (event) events_.pop_back();
    }
  }
  if (!any && histories_.insert(events_).second) judge(state);
}

void EveryHistory::judge(const std::vector<model::Cell>& state) {
  bool stuck = false;
  for (std::uint32_t p = 0; p < program_.processes(); ++p)
    stuck = stuck || state[program_.block_of(p)] != 0;
  going_on_ = visit_(history_of(program_, events_, stuck));
}

bool every_history_holds(const model::Program& program, const CheckOptions& options) {
  bool all = true;
  EveryHistory(program, [&](const History& history) {
    const Result<CheckReport> report = check(history, options);
    EXPECT_TRUE(report.ok()) << report.error().to_string();
    EXPECT_NE(report->verdict, Verdict::undecided) << report->reason;
    return all = report->verdict == Verdict::holds;
  });
  return all;
}

}  // namespace plumb::refine
