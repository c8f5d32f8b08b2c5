// SPDX-License-Identifier: MIT
#include "lineup/simulated.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "plumb/test_abi.hpp"

namespace plumb::lineup {

struct Simulated::State {
  struct Thread {
    std::vector<int> operations;  // cells
    std::size_t next = 0;
    bool inside = false;
    int pc = 0;
    Local local;

    bool done() const { return next == operations.size(); }
  };
  Shared shared;
  std::vector<Thread> threads;  // the first is main
  std::vector<Cell> cells;
  std::size_t initial = 0;  // operations of main before the others
  std::vector<std::pair<int, int>> after;
  ObservedHistory history;
  int current = -1;
  int preemptions = -1;  // left; -1: any number

  // Main is alone before and after the others.
  bool may_run(std::size_t thread) const {
    bool others_are_done = true;
    for (std::size_t t = 1; t < threads.size(); ++t) others_are_done &= threads[t].done();
    const bool turn_of_main = threads[0].next < initial || others_are_done;
    return !threads[thread].done() && (thread == 0) == turn_of_main &&
           may_call(threads[thread].operations[threads[thread].next]);
  }

  // Whether all that has to be over before is.
  bool may_call(int cell) const {
    return std::ranges::all_of(after, [&](const auto& pair) {
      return pair.first != cell ||
             std::ranges::any_of(history.events, [&](const ObservedEvent& event) {
               return event.is_return && event.operation == pair.second;
             });
    });
  }
};

Simulated::Simulated(std::string name, Shared initial, std::vector<SimulatedMethod> methods)
    : initial_(std::move(initial)), methods_(std::move(methods)) {
  object_.name = std::move(name);
  for (const SimulatedMethod& method : methods_)
    object_.invocations.push_back({method.name, method.text});
  results_.number(kLeftOut);  // first, as in real runs
}

Matrix Simulated::test(const std::string& text) const {
  Matrix test;
  EXPECT_EQ(parse(text, object_, test), "");
  return test;
}

// False: it has to wait.
bool Simulated::step(State& state, std::size_t number) {
  State::Thread& thread = state.threads[number];
  const int cell = thread.operations[thread.next];
  const int invocation = state.cells[static_cast<std::size_t>(cell)].invocation;
  if (!thread.inside) {
    thread.inside = true;
    thread.pc = 0;
    thread.local = {static_cast<int>(number), 0};
    state.history.events.push_back({cell, false, 0});
  }
  const auto& steps = methods_[static_cast<std::size_t>(invocation)].steps;
  const Step step = steps[static_cast<std::size_t>(thread.pc)](state.shared, thread.local);
  if (step.what == Step::What::blocks) return false;
  if (step.what == Step::What::next) ++thread.pc;
  if (step.what == Step::What::go_to) thread.pc = step.to;
  if (step.what == Step::What::returns) {
    thread.inside = false;
    ++thread.next;
    state.history.events.push_back({cell, true, results_.number(step.result)});
  }
  state.current = static_cast<int>(number);
  return true;
}

// Serially, an operation that may have done nothing is also left out (lineup/relaxed.hpp).
void Simulated::explore_left_out(const State& state, std::size_t number,
                                 const OnHistory& on_history, RunResult& ran) {
  const int cell = state.threads[number].operations[state.threads[number].next];
  const auto invocation =
      static_cast<std::size_t>(state.cells[static_cast<std::size_t>(cell)].invocation);
  const Invocation& called = object_.invocations[invocation];
  if (!called.may_fail && !called.weak_read) return;
  State after = state;
  ++after.threads[number].next;
  after.history.events.push_back({cell, false, 0});
  after.history.events.push_back({cell, true, results_.number(kLeftOut)});
  explore_serially(after, on_history, ran);
}

void Simulated::explore_serially(const State& state, const OnHistory& on_history, RunResult& ran) {
  bool any = false;
  for (std::size_t t = 0; t < state.threads.size(); ++t) {
    if (!state.may_run(t)) continue;
    any = true;
    explore_left_out(state, t, on_history, ran);
    State after = state;
    bool blocked = false;
    do blocked = !step(after, t);
    while (!blocked && after.threads[t].inside);
    if (!blocked) {
      explore_serially(after, on_history, ran);
    } else {
      after.history.stuck = true;
      ++ran.executions;
      on_history(after.history);
    }
  }
  if (any) return;
  ++ran.executions;
  on_history(state.history);
}

void Simulated::explore(const State& state, const OnHistory& on_history, RunResult& ran) {
  if (ran.end == RunResult::End::stopped) return;
  std::vector<State> successors;
  ObservedHistory stuck = state.history;
  bool could_go_on = false;
  for (std::size_t t = 0; t < state.threads.size(); ++t) {
    if (!state.may_run(t)) continue;
    State after = state;
    if (step(after, t)) {
      could_go_on |= after.current == state.current;
      successors.push_back(std::move(after));
    } else {
      stuck.stuck = true;
      if (!state.threads[t].inside) stuck.events.push_back(after.history.events.back());
    }
  }
  if (successors.empty()) {
    ++ran.executions;
    if (!on_history(stuck)) ran.end = RunResult::End::stopped;
    return;
  }
  for (State& after : successors) {
    if (state.preemptions >= 0 && could_go_on && after.current != state.current) {
      if (state.preemptions == 0) continue;
      --after.preemptions;
    }
    explore(after, on_history, ran);
  }
}

namespace {

// Equal histories come once.
Runner::OnHistory once(const Runner::OnHistory& on_history,
                       std::set<std::pair<std::vector<std::uint64_t>, bool>>& seen) {
  return [&on_history, &seen](const ObservedHistory& history) {
    std::vector<std::uint64_t> key;
    for (const ObservedEvent& event : history.events) {
      key.push_back(static_cast<std::uint64_t>(event.operation) * 2 + (event.is_return ? 1 : 0));
      key.push_back(event.result);
    }
    return !seen.insert({key, history.stuck}).second || on_history(history);
  };
}

}  // namespace

Simulated::State Simulated::beginning(const Matrix& test) const {
  State state{initial_, {}, cells(test), test.initial.size(), test.after, {}};
  state.threads.resize(test.columns.size() + 1);
  for (std::size_t i = 0; i < state.cells.size(); ++i) {
    auto& thread = state.threads[static_cast<std::size_t>(state.cells[i].thread)];
    thread.operations.push_back(static_cast<int>(i));
  }
  return state;
}

RunResult Simulated::serial(const Matrix& test, const OnHistory& on_history) {
  RunResult ran;
  explore_serially(beginning(test), on_history, ran);
  return ran;
}

RunResult Simulated::concurrent(const Matrix& test, int preemptions, const OnHistory& on_history) {
  if (preemptions == kSerial) return serial(test, on_history);
  State state = beginning(test);
  state.preemptions = preemptions;
  RunResult ran;
  std::set<std::pair<std::vector<std::uint64_t>, bool>> seen;
  explore(state, once(on_history, seen), ran);
  ran.all_schedules = preemptions < 0;
  return ran;
}

}  // namespace plumb::lineup
