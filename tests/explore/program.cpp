// SPDX-License-Identifier: MIT
#include "explore/program.hpp"

#include <algorithm>

#include "explore/state.hpp"

namespace plumb::explore::test {

namespace {

constexpr std::uint64_t kVariablesAt = 0x1000, kLocksAt = 0x9000, kSemaphoresAt = 0xa000,
                        kRwLocksAt = 0xb000, kConditionsAt = 0xc000, kThreadsAt = 0xd000,
                        kBarriersAt = 0xe000, kOnceAt = 0xf000, kQueuesAt = 0x10000,
                        kWakingsAt = 0x11000;

Access object(std::uint64_t at, int number, Touch touch) {
  return {at + 8 * static_cast<std::uint64_t>(number), 8, touch};
}
Access to_variable(int variable, Touch touch) { return object(kVariablesAt, variable, touch); }
Access to_lock(int lock, Touch touch) { return object(kLocksAt, lock, touch); }

Access waking(int number, int count, Touch touch) {
  return {kWakingsAt + static_cast<std::uint64_t>(number), static_cast<std::uint32_t>(count),
          touch};
}

// As Execution::also.
void also(Step& step, const Access& access) {
  if (step.count == step.accesses.size()) step.everything = true;
  else step.accesses[step.count++] = access;
}

}  // namespace

bool Order::stuck() const {
  for (const int result : results)
    if (result == kPending) return true;
  return false;
}

bool Order::within(const Order& other) const {
  if (results != other.results) return false;
  for (std::size_t i = 0; i < precedes.size(); ++i)
    if (precedes[i] && !other.precedes[i]) return false;
  return true;
}

std::set<Order> maximal(const std::set<Order>& orders) {
  std::set<Order> result;
  for (const Order& order : orders) {
    bool dominated = false;
    for (const Order& other : orders) dominated |= order != other && order.within(other);
    if (!dominated) result.insert(order);
  }
  return result;
}

Machine::Machine(const Program& program, const Values& values)
    : program_(&program), variables_(program.variables), held_(program.held),
      semaphores_(program.semaphores), threads_(program.threads.size()),
      spans_(program.threads.size()), next_(program.threads.size()) {
  for (const auto& thread : program.threads)
    for (const Operation& operation : thread)
      for (const Instruction& i : operation)
        joins_ |= i.code == Code::kJoin || i.code == Code::kTimedJoin;
  for (int t = 0; t < static_cast<int>(threads_.size()); ++t) {
    spans_[t].resize(program.threads[t].size());
    threads_[t].started = !program.starts;
    if (program.starts) next_[t].thread = static_cast<std::uint8_t>(t);
    else settle(t, values);
    threads_[t].gave_way = false;
  }
}

const Instruction& Machine::at(const Thread& thread, int t) const {
  return program_->threads[t][thread.operation][thread.pc];
}

// Runs thread t until it stands before an access or has ended. Did an operation return?
bool Machine::settle(int t, const Values& values) {
  Thread& thread = threads_[t];
  bool returned = false;
  for (;;) {
    if (thread.operation == program_->threads[t].size()) {
      thread.ended = true;
      return returned;
    }
    const Instruction& i = at(thread, t);
    int* const r = thread.registers;
    switch (i.code) {
      case Code::kSet: r[i.a] = i.b; break;
      case Code::kPeek: r[i.a] = variables_[i.b + r[i.c]]; break;
      case Code::kPoke: variables_[i.a + r[i.b]] = r[i.c]; break;
      case Code::kChoose: r[i.a] = values(i.b, i.c); break;
      case Code::kYield: thread.gave_way = true; break;
      case Code::kJump: thread.pc = i.a; continue;
      case Code::kJumpIf:
        if (r[i.a] != i.b) break;
        thread.pc = i.c;
        continue;
      case Code::kReturn:
        if (!thread.called) {  // it touches nothing, which is a step of its own
          foresee(t);
          return returned;
        }
        spans_[t][thread.operation].result = r[i.a];
        spans_[t][thread.operation].end = steps_;
        returned = true;
        ++thread.operation;
        thread.pc = 0;
        thread.called = false;
        for (int& value : thread.registers) value = 0;
        continue;
      default: foresee(t); return returned;
    }
    ++thread.pc;
  }
}

void Machine::foresee(int t) {
  const Thread& thread = threads_[t];
  const Instruction& i = at(thread, t);
  Step& step = next_[t];
  step = Step{};
  step.thread = static_cast<std::uint8_t>(t);
  step.calls = !thread.called;
  if (i.code == Code::kReturn) return;
  step.count = 1;
  // As Execution::stand: what it stands before can be taken only while something is so.
  const auto stands = [&](const Access& access, bool is_timed = false) {
    step.accesses[0] = access;
    step.blocks = access.touch != Touch::kAcquire || is_timed;
  };
  Access& access = step.accesses[0];
  switch (i.code) {
    case Code::kLoad: access = to_variable(i.b, Touch::kRead); break;
    case Code::kAwait: access = to_variable(i.a, Touch::kRead); break;
    case Code::kStore:
    case Code::kCas: access = to_variable(i.a, Touch::kWrite); break;
    case Code::kAdd: access = to_variable(i.b, Touch::kWrite); break;
    case Code::kLock:
    case Code::kTimedLock: stands(to_lock(i.a, Touch::kAcquire), i.code == Code::kTimedLock); break;
    case Code::kTryLock: access = to_lock(i.a, Touch::kWrite); break;
    case Code::kUnlock: access = to_lock(i.a, Touch::kRelease); break;
    case Code::kPost:
    case Code::kTryWait: access = object(kSemaphoresAt, i.a, Touch::kWrite); break;
    case Code::kWait:
    case Code::kTimedWait: stands(object(kSemaphoresAt, i.a, Touch::kWrite)); break;
    case Code::kShare:
    case Code::kTimedShare:
    case Code::kExclude:
    case Code::kTimedExclude: stands(object(kRwLocksAt, i.a, Touch::kWrite)); break;
    case Code::kGiveBack: access = object(kRwLocksAt, i.a, Touch::kWrite); break;
    case Code::kSleep:
    case Code::kTimedSleep:
      if (thread.timed_out) {
        stands(to_lock(i.b, Touch::kAcquire));
      } else if (thread.sleeps) {
        stands(object(kConditionsAt, i.a, Touch::kWrite));
      } else {
        access = object(kConditionsAt, i.a, Touch::kWrite);
        also(step, to_lock(i.b, Touch::kRelease));
      }
      break;
    case Code::kSignal:
    case Code::kBroadcast: access = object(kConditionsAt, i.a, Touch::kWrite); break;
    case Code::kJoin:
    case Code::kTimedJoin:
      stands(object(kThreadsAt, i.a, Touch::kAcquire), i.code == Code::kTimedJoin);
      break;
    case Code::kMeet:
      if (thread.sleeps) stands(object(kBarriersAt, i.a, Touch::kRead));
      else access = object(kBarriersAt, i.a, Touch::kWrite);
      break;
    case Code::kFutexWait:
    case Code::kTimedFutexWait:
      if (thread.sleeps) {
        stands(object(kQueuesAt, i.a, Touch::kWrite));
      } else {
        access = to_variable(i.a, Touch::kRead);
        also(step, object(kQueuesAt, i.a, Touch::kWrite));
      }
      break;
    case Code::kFutexWake: access = object(kQueuesAt, i.a, Touch::kWrite); break;
    case Code::kBegin: stands(object(kOnceAt, i.a, Touch::kWrite)); break;
    case Code::kFinish: access = object(kOnceAt, i.a, Touch::kWrite); break;
    default: break;
  }
}

// Can it take its step now?
bool Machine::can(int t) const {
  const Thread& thread = threads_[t];
  const Instruction& i = at(thread, t);
  switch (i.code) {
    case Code::kLock:
    case Code::kTimedLock: return is_free(i.a);
    case Code::kWait:
    case Code::kTimedWait: return semaphores_[i.a] > 0;
    case Code::kShare:
    case Code::kTimedShare: return readers_[i.a] >= 0;
    case Code::kExclude:
    case Code::kTimedExclude: return readers_[i.a] == 0;
    case Code::kSleep:
    case Code::kTimedSleep:
      return !thread.sleeps || ((thread.woken || thread.timed_out) && is_free(i.b));
    case Code::kJoin:
    case Code::kTimedJoin: return threads_[i.a].ended;
    case Code::kMeet:
    case Code::kFutexWait:
    case Code::kTimedFutexWait: return !thread.sleeps || thread.woken;
    case Code::kBegin: return once_[i.a] != 1;
    default: return true;
  }
}

// What can be had at once does not run out of time.
bool Machine::may_time_out(int t) const {
  const Thread& thread = threads_[t];
  switch (at(thread, t).code) {
    case Code::kTimedLock:
    case Code::kTimedWait:
    case Code::kTimedShare:
    case Code::kTimedExclude:
    case Code::kTimedJoin: return !can(t);
    case Code::kTimedSleep:
    case Code::kTimedFutexWait: return thread.sleeps && !thread.woken && !thread.timed_out;
    default: return false;
  }
}

std::uint64_t Machine::enabled() const {
  std::uint64_t actions = 0;
  for (int t = 0; t < static_cast<int>(threads_.size()); ++t) {
    const Thread& thread = threads_[t];
    if (!thread.started) actions |= std::uint64_t{1} << t;
    if (!thread.started || thread.ended || thread.awaits >= 0) continue;
    if (can(t)) actions |= std::uint64_t{1} << t;
    if (may_time_out(t)) actions |= std::uint64_t{1} << (kTimeout + t);
  }
  return actions;
}

std::uint32_t Machine::waiting() const {
  std::uint32_t threads = 0;
  for (std::size_t t = 0; t < threads_.size(); ++t)
    if (!threads_[t].ended) threads |= 1u << t;
  return threads;
}

void Machine::written(int variable) {
  for (Thread& thread : threads_)
    if (thread.awaits == variable) thread.awaits = -1;
}

// Wakes at most so many of those that sleep on the same as `by`; which, if not all, is chosen.
void Machine::wake(const Instruction& by, int most, Step& step, const Values& values) {
  const bool condition = by.code != Code::kFutexWake;
  std::vector<int> who;
  for (int t = 0; t < static_cast<int>(threads_.size()); ++t) {
    const Thread& thread = threads_[t];
    if (thread.ended || !thread.started || !thread.sleeps || thread.woken || thread.timed_out)
      continue;
    const Instruction& i = at(thread, t);
    const bool on_condition = i.code == Code::kSleep || i.code == Code::kTimedSleep;
    const bool on_futex = i.code == Code::kFutexWait || i.code == Code::kTimedFutexWait;
    if (i.a == by.a && (condition ? on_condition : on_futex)) who.push_back(t);
  }
  if (who.empty()) step.accesses[0].touch = Touch::kRead;
  int woken = 0;
  for (; woken < most && !who.empty(); ++woken) {
    const int count = static_cast<int>(who.size());
    const int chosen = most - woken >= count ? 0 : values(count, 0);
    const int t = who[chosen];
    threads_[t].woken = true;
    if (condition) {
      Step& next = next_[t];
      next.accesses = {to_lock(at(threads_[t], t).b, Touch::kAcquire),
                       waking(wakings_ + woken, 1, Touch::kAcquire)};
      next.count = 2;
      next.blocks = at(threads_[t], t).code == Code::kTimedSleep;
    }
    who.erase(who.begin() + chosen);
  }
  if (condition && woken > 0) also(step, waking(wakings_, woken, Touch::kRelease));
  wakings_ += woken;
}

Step Machine::take(int action, const Values& values) {
  const int t = action % kTimeout;
  Thread& thread = threads_[t];
  Step step = next_[t];
  if (!thread.started) {
    thread.started = true;
    settle(t, values);
    current_ = thread.ended ? -1 : t;
    ++steps_;
    return step;
  }
  Span& span = spans_[t][thread.operation];
  if (step.calls) span.call = steps_;
  thread.called = true;
  bool again = false;
  act(t, action < kTimeout, step, again, values);
  if (again) {
    foresee(t);
  } else {
    thread.sleeps = thread.woken = thread.timed_out = false;
    if (at(thread, t).code != Code::kReturn) ++thread.pc;
    step.returns = settle(t, values);
    if (thread.ended && joins_) also(step, object(kThreadsAt, t, Touch::kRelease));
  }
  ++steps_;
  current_ = thread.gave_way || !(enabled() >> t & 1) ? -1 : t;
  thread.gave_way = false;
  return step;
}

// What the step does to memory; `again`: the instruction has another one.
void Machine::act(int t, bool in_time, Step& step, bool& again, const Values& values) {
  Thread& thread = threads_[t];
  int* const r = thread.registers;
  const Instruction& i = at(thread, t);
  Touch& touch = step.accesses[0].touch;
  const auto goes_to_sleep = [&] { again = thread.sleeps = true; };
  // Of a wait that may run out.
  const auto got = [&](int where) {
    r[where] = in_time;
    if (!in_time) touch = Touch::kRead;
    return in_time;
  };
  switch (i.code) {
    case Code::kLoad: r[i.a] = variables_[i.b]; break;
    case Code::kStore:
      variables_[i.a] = r[i.b];
      written(i.a);
      break;
    case Code::kAdd:
      r[i.a] = variables_[i.b]++;
      written(i.b);
      break;
    case Code::kCas:
      r[i.d] = variables_[i.a] == r[i.b];
      if (r[i.d]) {
        variables_[i.a] = r[i.c];
        written(i.a);
      } else {
        r[i.b] = variables_[i.a];
        touch = Touch::kRead;
      }
      break;
    case Code::kTimedLock:
      if (!got(i.b)) break;
      [[fallthrough]];
    case Code::kLock: held_ |= 1u << i.a; break;
    case Code::kTryLock:
      r[i.b] = is_free(i.a);
      if (r[i.b]) held_ |= 1u << i.a;
      else touch = Touch::kRead;
      break;
    case Code::kUnlock: held_ &= ~(1u << i.a); break;
    case Code::kAwait:
      again = variables_[i.a] == 0;
      if (again) thread.awaits = i.a;
      break;
    case Code::kPost: ++semaphores_[i.a]; break;
    case Code::kTimedWait:
      if (!got(i.b)) break;
      [[fallthrough]];
    case Code::kWait: --semaphores_[i.a]; break;
    case Code::kTryWait:
      r[i.b] = semaphores_[i.a] > 0;
      if (r[i.b]) --semaphores_[i.a];
      else touch = Touch::kRead;
      break;
    case Code::kTimedShare:
      if (!got(i.b)) break;
      [[fallthrough]];
    case Code::kShare: ++readers_[i.a]; break;
    case Code::kTimedExclude:
      if (!got(i.b)) break;
      [[fallthrough]];
    case Code::kExclude: readers_[i.a] = -1; break;
    case Code::kGiveBack: readers_[i.a] = std::max(readers_[i.a] - 1, 0); break;
    case Code::kSleep:
    case Code::kTimedSleep:
      if (!thread.sleeps) {
        held_ &= ~(1u << i.b);
        goes_to_sleep();
      } else if (!in_time) {
        again = thread.timed_out = true;
      } else {
        held_ |= 1u << i.b;
        if (i.code == Code::kTimedSleep) r[i.c] = !thread.timed_out;
      }
      break;
    case Code::kSignal: wake(i, 1, step, values); break;
    case Code::kBroadcast: wake(i, kMaxThreads, step, values); break;
    case Code::kTimedJoin:
      // As the hook: the touch stays.
      r[i.b] = in_time;
      break;
    case Code::kMeet:
      if (thread.sleeps) break;
      if (++come_[i.a] < program_->barriers[i.a]) {
        goes_to_sleep();
        break;
      }
      come_[i.a] = 0;
      for (int other = 0; other < static_cast<int>(threads_.size()); ++other) {
        Thread& sleeper = threads_[other];
        if (!sleeper.sleeps) continue;
        const Instruction& at_what = at(sleeper, other);
        if (at_what.code == Code::kMeet && at_what.a == i.a) sleeper.woken = true;
      }
      break;
    case Code::kTimedFutexWait:
    case Code::kFutexWait:
      if (thread.sleeps) {
        if (i.code == Code::kTimedFutexWait) r[i.c] = in_time;
        if (in_time) touch = Touch::kRead;
      } else if (variables_[i.a] == r[i.b]) {
        goes_to_sleep();
      }
      break;
    case Code::kFutexWake: wake(i, i.b, step, values); break;
    case Code::kBegin:
      r[i.b] = once_[i.a] == 0;
      if (r[i.b]) once_[i.a] = 1;
      else touch = Touch::kRead;
      break;
    case Code::kFinish: once_[i.a] = 2; break;
    default: break;
  }
}

Order Machine::order() const {
  std::vector<Span> all;
  for (const auto& spans : spans_) all.insert(all.end(), spans.begin(), spans.end());
  Order order;
  for (const Span& span : all) order.results.push_back(span.call < 0 ? -1001 : span.result);
  for (const Span& a : all)
    for (const Span& b : all)
      order.precedes.push_back(a.result != Order::kPending && b.call >= 0 && a.end < b.call);
  return order;
}

bool run(const Program& program, Strategy& strategy, Order* order, std::vector<Step>* steps) {
  const Machine::Values values = [&](int count, int cost) {
    return strategy.choose_value(count, cost);
  };
  Machine machine(program, values);
  while (const std::uint64_t enabled = machine.enabled()) {
    const int action = strategy.choose({machine.current(), enabled, machine.next()});
    if (action == kPrune) return false;
    const Step step = machine.take(action, values);
    if (steps) steps->push_back(step);
    strategy.taken(step);
  }
  strategy.ended(machine.waiting(), machine.next());
  if (order) *order = machine.order();
  return true;
}

Totals run_all(const Program& program, Strategy& strategy, std::uint64_t most,
               const std::function<void()>& after) {
  Totals totals;
  do {
    Order order;
    if (!run(program, strategy, &order)) {
      ++totals.pruned;
      continue;
    }
    ++totals.executions;
    totals.orders.insert(std::move(order));
    if (after) after();
  } while (totals.executions < most && strategy.advance());
  return totals;
}

namespace {

// Calls back with every way in which values can be chosen.
template <class F>
void for_all_values(F body) {
  std::vector<int> chosen, counts;
  for (;;) {
    std::size_t asked = 0;
    std::vector<std::uint8_t> bytes;
    int spent = 0;
    body(
        [&](int count, int cost) {
          if (asked == chosen.size()) {
            chosen.push_back(0);
            counts.push_back(count);
          }
          const int value = chosen[asked++];
          bytes.push_back(static_cast<std::uint8_t>(kValue + value));
          spent += value != 0 ? cost : 0;
          return value;
        },
        bytes, spent);
    while (!chosen.empty() && chosen.back() + 1 == counts.back()) {
      chosen.pop_back();
      counts.pop_back();
    }
    if (chosen.empty()) return;
    ++chosen.back();
  }
}

struct Enumeration {
  std::vector<Execution> all;
  std::vector<std::uint8_t> schedule;
  std::vector<Step> steps;
  std::size_t most;

  void from(const Machine& machine, int preemptions) {
    if (all.size() >= most) return;
    const std::uint64_t enabled = machine.enabled();
    if (enabled == 0) {
      all.push_back({schedule, steps, preemptions, machine.order()});
      return;
    }
    const bool only_timeouts = (enabled & 0xffffffffu) == 0;
    for (int action = 0; action < kValue; ++action) {
      if (!(enabled >> action & 1)) continue;
      const bool times_out = action >= kTimeout && !only_timeouts;
      const bool switches = machine.current() >= 0 && action != machine.current();
      const int cost = times_out || switches;
      for_all_values([&](const Machine::Values& values, const auto& bytes, const int& spent) {
        Machine next = machine;
        steps.push_back(next.take(action, values));
        const std::size_t length = schedule.size();
        schedule.push_back(static_cast<std::uint8_t>(action));
        schedule.insert(schedule.end(), bytes.begin(), bytes.end());
        from(next, preemptions + cost + spent);
        schedule.resize(length);
        steps.pop_back();
      });
    }
  }
};

}  // namespace

std::vector<Execution> enumerate(const Program& program, std::size_t most) {
  Enumeration enumeration{{}, {}, {}, most};
  for_all_values([&](const Machine::Values& values, const auto& bytes, const int& spent) {
    const Machine machine(program, values);
    enumeration.schedule = bytes;
    enumeration.from(machine, spent);
  });
  return std::move(enumeration.all);
}

// v[0] is head, v[n] the next of node n. A retry uses the value that the failed CAS saw; popped
// nodes are never used again.
Program treiber(int threads) {
  Program program;
  program.starts = true;
  program.variables.assign(static_cast<std::size_t>(threads) + 1, 0);
  for (int t = 0; t < threads; ++t) {
    const Operation push = {{Code::kSet, 1, t + 1},   {Code::kLoad, 0, 0},
                            {Code::kPoke, 0, 1, 0},   {Code::kCas, 0, 0, 1, 2},
                            {Code::kJumpIf, 2, 0, 2}, {Code::kReturn, 2}};
    const Operation pop = {{Code::kLoad, 0, 0},      {Code::kJumpIf, 0, 0, 5},
                           {Code::kPeek, 1, 0, 0},   {Code::kCas, 0, 0, 1, 2},
                           {Code::kJumpIf, 2, 0, 1}, {Code::kReturn, 0}};
    program.threads.push_back({push, pop});
  }
  return program;
}

Program independent(int threads, int steps) {
  Program program;
  program.variables.assign(static_cast<std::size_t>(threads), 0);
  for (int t = 0; t < threads; ++t) {
    Operation operation(static_cast<std::size_t>(steps), {Code::kStore, t, 0});
    operation.push_back({Code::kReturn, 0});
    program.threads.push_back({operation});
  }
  return program;
}

Program registers(int threads, int operations) {
  Program program;
  program.variables.assign(static_cast<std::size_t>(threads), 0);
  for (int t = 0; t < threads; ++t)
    program.threads.emplace_back(static_cast<std::size_t>(operations),
                                 Operation{{Code::kStore, t, 0}, {Code::kReturn, 0}});
  return program;
}

namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {
    for (int i = 0; i < 4; ++i) below(2);
  }

 protected:
  std::uint32_t below(std::uint32_t n) {
    state_ += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) % n);
  }

 private:
  std::uint64_t state_;
};

class ProgramMaker : private Dice {
 public:
  using Dice::Dice;

  Program make() {
    static constexpr int kShapes[][2] = {{2, 2}, {3, 1}, {3, 2}, {2, 3}, {2, 1}};
    const auto& shape = kShapes[below(5)];
    program_.variables.assign(1 + below(3), 0);
    locks_ = below(3);
    flavour_ = below(6);
    size_ = shape[0] * shape[1] > 4 ? 2 : 3;
    for (int t = 0; t < shape[0]; ++t) {
      std::vector<Operation> operations;
      for (int i = 0; i < shape[1]; ++i) operations.push_back(operation());
      program_.threads.push_back(std::move(operations));
    }
    // A thread that another one starts: the lock is held from the beginning, and given back once.
    if (below(5) == 0 && shape[0] > 1) {
      program_.held = 1u << 3;
      auto& started = program_.threads.back()[0];
      started.insert(started.begin(), {Code::kLock, 3});
      relocate(started, 0);
      auto& starter = program_.threads[0][0];
      starter.insert(starter.begin(), {Code::kUnlock, 3});
      relocate(starter, 0);
    }
    return std::move(program_);
  }

 private:
  int variable() {
    return static_cast<int>(below(static_cast<std::uint32_t>(program_.variables.size())));
  }

  static void relocate(Operation& operation, int from) {
    for (Instruction& i : operation) {
      if (i.code == Code::kJumpIf && i.c >= from) ++i.c;
      if (i.code == Code::kJump && i.a >= from) ++i.a;
    }
  }

  Operation operation() {
    Operation o;
    const int steps = 1 + static_cast<int>(below(static_cast<std::uint32_t>(size_)));
    int lock = -1;
    if (locks_ > 0 && below(2)) {
      lock = static_cast<int>(below(locks_));
      if (flavour_ == 1 && below(2)) {
        o.push_back({Code::kTimedLock, lock, 3});
        o.push_back({Code::kJumpIf, 3, 1, 3});
        o.push_back({Code::kReturn, 3});
      } else {
        o.push_back({Code::kLock, lock});
      }
    }
    for (int s = 0; s < steps; ++s) access(o);
    if (lock >= 0) {
      // Sometimes another one inside, for deadlocks.
      if (locks_ > 1 && below(3) == 0) {
        o.push_back({Code::kLock, 1 - lock});
        o.push_back({Code::kUnlock, 1 - lock});
      }
      if (below(8)) o.push_back({Code::kUnlock, lock});
      if (below(4) == 0) access(o);
    }
    o.push_back({Code::kReturn, 0});
    return o;
  }

  void access(Operation& o) {
    const int x = variable();
    const int constant = 1 + static_cast<int>(below(3));
    const auto here = [&] { return static_cast<int>(o.size()); };
    switch (below(8)) {
      case 0:
      case 1: o.push_back({Code::kLoad, 0, x}); break;
      case 2:
        o.push_back({Code::kSet, 1, constant});
        o.push_back({Code::kStore, x, 1});
        break;
      case 3: o.push_back({Code::kAdd, 0, x}); break;
      case 4:  // one attempt, or as many as it takes
        o.push_back({Code::kLoad, 0, x});
        o.push_back({Code::kSet, 1, constant});
        o.push_back({Code::kCas, x, 0, 1, 2});
        if (below(2)) o.push_back({Code::kJumpIf, 2, 0, here() - 1});
        break;
      case 5:
        o.push_back({Code::kSet, 0, 0});
        o.push_back({Code::kSet, 1, constant});
        o.push_back({Code::kCas, x, 0, 1, 2});
        o.push_back({Code::kJumpIf, 2, 1, here() + 2});
        o.push_back({Code::kAdd, 0, variable()});
        break;
      case 6:
        if (flavour_ == 2) {
          o.push_back({Code::kChoose, 2, 2 + static_cast<int>(below(2)), 1});
          o.push_back({Code::kJumpIf, 2, 1, here() + 2});
        }
        o.push_back({Code::kStore, x, 2});
        break;
      case 7:
        if (flavour_ == 3) o.push_back({Code::kAwait, x});
        else if (flavour_ == 4) {
          o.push_back({Code::kAdd, 0, x});
          o.push_back({Code::kYield});
        } else o.push_back({Code::kLoad, 0, x});
        break;
    }
  }

  Program program_;
  std::uint32_t locks_ = 0;
  std::uint32_t flavour_ = 0;
  int size_ = 0;
};

// Programs whose threads wait for each other, by one or two of the ways there are.
class WaitingMaker : private Dice {
 public:
  using Dice::Dice;

  Program make() {
    static constexpr int kShapes[][2] = {{2, 2}, {3, 1}, {3, 1}, {4, 1}, {2, 3}, {3, 2}};
    const auto& shape = kShapes[below(6)];
    program_.variables.assign(1 + below(2), 0);
    for (int i = 0; i < 2; ++i) program_.semaphores.push_back(static_cast<int>(below(3)));
    for (int i = 0; i < 2; ++i) program_.barriers.push_back(2 + static_cast<int>(below(2)));
    family_[0] = below(kFamilies);
    family_[1] = below(3) == 0 ? below(kFamilies) : family_[0];
    objects_ = 1 + below(2);
    timed_ = below(3) == 0;
    threads_ = shape[0];
    for (int t = 0; t < shape[0]; ++t) {
      std::vector<Operation> operations;
      me_ = t;
      for (int i = 0; i < shape[1]; ++i) {
        Operation o;
        if (below(4) == 0) access(o);
        piece(o);
        if (below(shape[0] * shape[1] > 3 ? 6 : 3) == 0) piece(o);
        if (below(4) == 0) access(o);
        o.push_back({Code::kReturn, 0});
        operations.push_back(std::move(o));
      }
      program_.threads.push_back(std::move(operations));
    }
    return std::move(program_);
  }

 private:
  static constexpr std::uint32_t kFamilies = 9;

  int object() { return static_cast<int>(below(objects_)); }
  static int here(const Operation& o) { return static_cast<int>(o.size()); }

  void access(Operation& o) {
    const auto x = static_cast<int>(below(static_cast<std::uint32_t>(program_.variables.size())));
    switch (below(3)) {
      case 0: o.push_back({Code::kLoad, 0, x}); break;
      case 1: o.push_back({Code::kAdd, 0, x}); break;
      default:
        o.push_back({Code::kSet, 1, 1 + static_cast<int>(below(2))});
        o.push_back({Code::kStore, x, 1});
    }
  }

  // Waits by `code`, or by `timed`, whose result is the operation's if the time runs out.
  void wait(Operation& o, Code code, Code timed, int a) {
    if (!timed_ || below(2)) {
      o.push_back({code, a});
      return;
    }
    o.push_back({timed, a, 3});
    const bool gives_back = timed != Code::kTimedWait && timed != Code::kTimedJoin;
    if (!gives_back && below(4) == 0) {  // whatever came of it
      o.push_back({Code::kSet, 0, 7});
      return;
    }
    o.push_back({Code::kJumpIf, 3, 1, here(o) + 3});
    o.push_back({Code::kSet, 0, 9});
    o.push_back({Code::kReturn, 0});
  }

  void inside(Operation& o) {
    if (below(3)) access(o);
  }

  void piece(Operation& o) {
    const int a = object();
    switch (family_[below(2)]) {
      case 0:  // semaphores
        if (below(2)) {
          wait(o, Code::kWait, Code::kTimedWait, a);
          inside(o);
          if (below(2)) o.push_back({Code::kPost, a});
        } else if (below(3)) {
          o.push_back({Code::kPost, a});
        } else {
          o.push_back({Code::kTryWait, a, 0});
        }
        break;
      case 1:  // readers and writers
        if (below(2)) wait(o, Code::kShare, Code::kTimedShare, a);
        else wait(o, Code::kExclude, Code::kTimedExclude, a);
        inside(o);
        if (below(8)) o.push_back({Code::kGiveBack, a});
        break;
      case 2:  // conditions
      case 3: condition(o, a); break;
      case 4:  // joins
        if (below(3) == 0 || threads_ == 1) {
          access(o);
        } else {
          const auto whom = static_cast<int>(below(static_cast<std::uint32_t>(threads_) - 1));
          wait(o, Code::kJoin, Code::kTimedJoin, whom + (whom >= me_));
        }
        break;
      case 5: o.push_back({Code::kMeet, a}); break;
      case 6: futex(o); break;
      case 7: {
        o.push_back({Code::kBegin, a, 2});
        const int test = here(o);
        o.push_back({Code::kJumpIf, 2, 0, 0});
        inside(o);
        o.push_back({Code::kFinish, a});
        o[test].c = here(o);
        break;
      }
      default:  // locks that are tried
        if (below(2)) {
          o.push_back({Code::kTryLock, a, 0});
          o.push_back({Code::kJumpIf, 0, 1, here(o) + 2});
          o.push_back({Code::kReturn, 0});
        } else {
          wait(o, Code::kLock, Code::kTimedLock, a);
        }
        inside(o);
        if (below(8)) o.push_back({Code::kUnlock, a});
    }
  }

  void condition(Operation& o, int a) {
    const bool locked = below(2);
    const auto wake = [&] { o.push_back({below(3) ? Code::kSignal : Code::kBroadcast, a}); };
    if (below(2)) {
      if (locked) o.push_back({Code::kLock, 0});
      if (below(2)) {
        o.push_back({Code::kSet, 1, 1});
        o.push_back({Code::kStore, 0, 1});
      }
      if (locked && below(3) == 0) {
        o.push_back({Code::kUnlock, 0});
        wake();
        return;
      }
      wake();
      if (locked) o.push_back({Code::kUnlock, 0});
      return;
    }
    o.push_back({Code::kLock, 0});
    const int loop = here(o);
    const bool asks = below(2);
    if (asks) {
      o.push_back({Code::kLoad, 0, 0});
      o.push_back({Code::kJumpIf, 0, 1, 0});
    }
    const bool timed = timed_ && below(2);
    if (timed) o.push_back({Code::kTimedSleep, a, 0, 3});
    else o.push_back({Code::kSleep, a, 0});
    if (timed) o.push_back({Code::kJumpIf, 3, 0, here(o) + (asks ? 2 : 1)});
    if (asks) {
      o.push_back({below(2) ? Code::kJump : Code::kSet, loop, 0});
      o[loop + 1].c = here(o);
      if (o.back().code == Code::kSet) o.back() = {Code::kSet, 2, 0};
    }
    if (below(3) == 0) access(o);
    if (timed) {
      o.push_back({Code::kJumpIf, 3, 1, here(o) + 2});
      o.push_back({Code::kSet, 0, 9});
    }
    o.push_back({Code::kUnlock, 0});
  }

  void futex(Operation& o) {
    const auto v = static_cast<int>(below(static_cast<std::uint32_t>(program_.variables.size())));
    if (below(2)) {
      o.push_back({Code::kSet, 1, 0});
      const bool timed = timed_ && below(2);
      o.push_back({timed ? Code::kTimedFutexWait : Code::kFutexWait, v, 1, 0});
      return;
    }
    if (below(4)) {
      o.push_back({Code::kSet, 1, 1});
      o.push_back({Code::kStore, v, 1});
    }
    if (below(5)) o.push_back({Code::kFutexWake, v, 1 + static_cast<int>(below(2))});
  }

  Program program_;
  std::uint32_t family_[2] = {};
  std::uint32_t objects_ = 1;
  bool timed_ = false;
  int threads_ = 0, me_ = 0;
};

}  // namespace

Program random_program(std::uint64_t seed) { return ProgramMaker(seed).make(); }
Program random_waiting_program(std::uint64_t seed) { return WaitingMaker(seed).make(); }

std::string describe(const Program& program) {
  static constexpr const char* kNames[] = {
      "load",      "store",          "add",       "cas",       "lock",
      "unlock",    "timedlock",      "trylock",   "await",     "post",
      "wait",      "timedwait",      "trywait",   "share",     "timedshare",
      "exclude",   "timedexclude",   "giveback",  "sleep",     "timedsleep",
      "signal",    "broadcast",      "join",      "timedjoin", "meet",
      "futexwait", "timedfutexwait", "futexwake", "begin",     "finish",
      "set",       "peek",           "poke",      "jumpif",    "jump",
      "choose",    "yield",          "return"};
  std::string text = std::to_string(program.variables.size()) + " variables, held " +
                     std::to_string(program.held) + "\n";
  for (const auto& thread : program.threads) {
    for (const Operation& operation : thread) {
      text += " (";
      for (const Instruction& i : operation)
        text += std::string(kNames[static_cast<int>(i.code)]) + " " + std::to_string(i.a) + " " +
                std::to_string(i.b) + " " + std::to_string(i.c) + " " + std::to_string(i.d) + "; ";
      text += ")";
    }
    text += "\n";
  }
  return text;
}

}  // namespace plumb::explore::test
