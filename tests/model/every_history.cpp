// SPDX-License-Identifier: MIT
#include "every_history.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace plumb::refine {

void EveryHistory::step(const std::vector<model::Cell>& state) {
  if (!going_on_ || !seen_.emplace(state, events_).second) return;
  bool any = false;
  model::Machine machine(program_);
  for (std::uint32_t p = 0; p < program_.processes(); ++p) {
    const std::uint32_t op = machine.point(state.data(), p).op;
    std::vector<std::pair<std::vector<model::Cell>, std::optional<Event>>> next;
    machine.successors(state.data(), p, [&](const model::Successor& s) {
      std::optional<Event> event;
      if (s.kind == model::StepKind::call) event = Event{true, p, s.call, 0};
      if (s.kind == model::StepKind::give_back) event = Event{false, p, op, s.result};
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
  HistoryBuilder builder;
  builder.begin_object(Value::nil(), program_.object);
  std::vector<ProcessId> processes;
  for (std::uint32_t p = 0; p < program_.processes(); ++p)
    processes.push_back(builder.process(Value::integer(p)));
  for (const Event& e : events_) {
    Status done;
    if (e.call) {
      std::vector<Value> args;
      for (const model::Cell arg : program_.calls[e.number].args)
        args.push_back(Value::integer(arg));
      done =
          builder.call(processes[e.process], 0,
                       builder.intern_call(program_.ops[program_.calls[e.number].op].name, args));
    } else {
      done = builder.returned(processes[e.process], program_.ops[e.number].returns_value
                                                        ? Value::integer(e.result)
                                                        : Value::nil());
    }
    ASSERT_TRUE(done.ok());
  }
  for (std::uint32_t p = 0; p < program_.processes(); ++p)
    if (state[program_.block_of(p)] != 0) {
      ASSERT_TRUE(builder.stuck().ok());
      break;
    }
  const Result<History> history = std::move(builder).finish();
  ASSERT_TRUE(history.ok());
  going_on_ = visit_(*history);
}

}  // namespace plumb::refine
