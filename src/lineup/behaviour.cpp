// SPDX-License-Identifier: MIT
#include "lineup/behaviour.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "lineup/serial.hpp"

namespace plumb::lineup {

bool Behaviour::add(const std::vector<Call>& sequence) {
  int at = kStart;
  for (const Call& seen : sequence) {
    const auto [known, is_new] =
        next_.try_emplace({at, seen.invocation, seen.thread}, static_cast<int>(calls_.size()));
    if (is_new) {
      calls_.push_back(seen);
      calls_.back().before = at;
      calls_.back().length = call(at).length + 1;
    }
    const Call& first = call(known->second);
    if (first.waits != seen.waits || first.result != seen.result) return false;
    at = known->second;
  }
  return true;
}

std::optional<int> Behaviour::next(int call, int invocation) const {
  const auto found = next_.lower_bound({call, invocation, 0});
  if (found == next_.end() || found->first[0] != call || found->first[1] != invocation)
    return std::nullopt;
  return found->second;
}

std::vector<int> Behaviour::path(int number) const {
  std::vector<int> all;
  for (; number != kStart; number = call(number).before) all.push_back(number);
  std::ranges::reverse(all);
  return all;
}

BehaviourSearch::BehaviourSearch(Runner& runner, const Object& object, Column initial,
                                 BehaviourLimits limits)
    : runner_(runner), object_(object), initial_(std::move(initial)), limits_(limits) {}

int BehaviourSearch::explore(const std::vector<Column>& units) {
  if (units.empty()) return 0;
  const int failures = failures_;
  const int whole = run_short(units);
  run_repeated(units);
  run_random(units);
  const bool are_calls =
      std::ranges::all_of(units, [](const Column& unit) { return unit.size() == 1; });
  return are_calls && initial_.empty() && failures_ == failures ? whole : 0;
}

int BehaviourSearch::column_of(int invocation, int wish) const {
  const Invocation& it = object_.invocations[static_cast<std::size_t>(invocation)];
  if (it.only_on >= 0) return it.only_on;
  return it.one_thread ? 0 : wish;
}

void BehaviourSearch::append(Sequence& to, const Column& unit, int wish) const {
  for (const int invocation : unit) to.push_back({invocation, column_of(invocation, wish)});
}

// Level by level. What waits, or cannot be run, is not extended.
int BehaviourSearch::run_short(const std::vector<Column>& units) {
  std::vector<Sequence> level = {{}}, last;
  int length = 0;
  std::size_t runs = 0;
  while (!level.empty() && length < limits_.short_length &&
         runs + level.size() * units.size() <= limits_.short_runs) {
    std::vector<Sequence> longer;
    for (const Sequence& begin : level) {
      for (const Column& unit : units) {
        Sequence sequence = begin;
        append(sequence, unit, 0);
        ++runs;
        if (!is_good()) return 0;
        if (observe(sequence)) longer.push_back(std::move(sequence));
      }
    }
    level = std::move(longer);
    ++length;
  }
  run_by_turns(level);
  return length;
}

// The same calls, each by another thread than the one before it.
void BehaviourSearch::run_by_turns(const std::vector<Sequence>& all) {
  for (Sequence sequence : all) {
    bool is_new = false;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      const int column = column_of(sequence[i].invocation, static_cast<int>(i % 2));
      is_new |= column != sequence[i].column;
      sequence[i].column = column;
    }
    if (is_new && is_good()) observe(sequence);
  }
}

void BehaviourSearch::run_repeated(const std::vector<Column>& units) {
  int repeated = 0;
  for (const Column& unit : units) {
    if (repeated++ == limits_.most_repeated || !is_good()) return;
    Sequence sequence;
    for (int i = 0; i < limits_.repetitions; ++i) append(sequence, unit, 0);
    observe(sequence);
  }
}

// Bursts of calls of one or two of a few units: so containers are filled and emptied.
void BehaviourSearch::run_random(const std::vector<Column>& units) {
  std::mt19937_64 random(1);
  for (int run = 0; run < limits_.random_runs && is_good(); ++run) {
    std::vector<std::size_t> few(2 + random() % 4);
    for (std::size_t& unit : few) unit = random() % units.size();
    // Some are long.
    const int length = run % 8 == 0 ? limits_.longest_random : 4 + static_cast<int>(random() % 17);
    const bool takes_turns = random() % 2 == 0;
    std::size_t burst[2] = {few[0], few[1]};
    Sequence sequence;
    for (int i = 0; i < length; ++i) {
      if (random() % 4 == 0)
        for (std::size_t& unit : burst) unit = few[random() % few.size()];
      append(sequence, units[burst[random() % 2]],
             takes_turns ? static_cast<int>(random() % 2) : 0);
    }
    observe(sequence);
  }
}

void BehaviourSearch::explore_parts(int number) {
  Sequence whole;
  for (const int at : behaviour_.path(number)) {
    const Behaviour::Call& call = behaviour_.call(at);
    if (call.thread > 0) whole.push_back({call.invocation, call.thread - 1});
  }
  Sequence by_one = whole;
  for (Planned& call : by_one) call.column = column_of(call.invocation, 0);
  if (is_good()) observe(by_one);
  for (std::size_t gone = whole.size() / 2; gone > 0; gone /= 2) {
    for (std::size_t at = 0; at + gone <= whole.size() && is_good(); ++at) {
      Sequence part = whole;
      const auto from = part.begin() + static_cast<std::ptrdiff_t>(at);
      part.erase(from, from + static_cast<std::ptrdiff_t>(gone));
      observe(part);
    }
  }
}

// The calls in this order, also of several threads.
Matrix BehaviourSearch::matrix_of(const Sequence& sequence) const {
  Matrix test;
  test.initial = initial_;
  for (const Planned& call : sequence) {
    const auto column = static_cast<std::size_t>(call.column);
    if (test.columns.size() <= column) test.columns.resize(column + 1);
    test.columns[column].push_back(call.invocation);
  }
  std::vector<int> next;  // the next cell of each column
  int begin = static_cast<int>(test.initial.size());
  for (const Column& column : test.columns) {
    next.push_back(begin);
    begin += static_cast<int>(column.size());
  }
  std::size_t last = 0;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const auto column = static_cast<std::size_t>(sequence[i].column);
    if (i > 0 && column != last) test.after.emplace_back(next[column], next[last] - 1);
    ++next[column];
    last = column;
  }
  return test;
}

// Whether it can be extended: all calls returned.
bool BehaviourSearch::observe(const Sequence& sequence) {
  const Matrix test = matrix_of(sequence);
  const std::vector<Cell> all = cells(test);
  bool returned = true;
  const RunResult ran = runner_.serial(test, [&](const ObservedHistory& history) {
    std::vector<Behaviour::Call> calls;
    for (const SerialStep& step : to_serial(history)) {
      const Cell& cell = all[static_cast<std::size_t>(step.operation)];
      calls.push_back({0, cell.invocation, cell.thread, 0, step.stuck,
                       step.stuck ? std::string() : runner_.results().text(step.result)});
      returned &= !step.stuck;
    }
    failed_ |= !behaviour_.add(calls);
    return !failed_;
  });
  if (ran.end == RunResult::End::cut || ran.end == RunResult::End::unusable) failed_ = true;
  if (ran.end == RunResult::End::finding) ++failures_;
  return ran.end == RunResult::End::complete && returned;
}

}  // namespace plumb::lineup
