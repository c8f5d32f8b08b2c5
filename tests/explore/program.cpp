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
        joins_ |= i.code == Code::join || i.code == Code::timed_join;
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
      case Code::set: r[i.a] = i.b; break;
      case Code::peek: r[i.a] = variables_[i.b + r[i.c]]; break;
      case Code::poke: variables_[i.a + r[i.b]] = r[i.c]; break;
      case Code::choose: r[i.a] = values(i.b, i.c); break;
      case Code::yield: thread.gave_way = true; break;
      case Code::jump: thread.pc = i.a; continue;
      case Code::jump_if:
        if (r[i.a] != i.b) break;
        thread.pc = i.c;
        continue;
      case Code::returns:
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
  if (i.code == Code::returns) return;
  step.count = 1;
  // As Execution::stand: what it stands before can be taken only while something is so.
  const auto stands = [&](const Access& access, bool is_timed = false) {
    step.accesses[0] = access;
    step.blocks = access.touch != Touch::acquire || is_timed;
  };
  Access& access = step.accesses[0];
  switch (i.code) {
    case Code::load: access = to_variable(i.b, Touch::read); break;
    case Code::await: access = to_variable(i.a, Touch::read); break;
    case Code::store:
    case Code::cas: access = to_variable(i.a, Touch::write); break;
    case Code::add: access = to_variable(i.b, Touch::write); break;
    case Code::lock:
    case Code::timed_lock: stands(to_lock(i.a, Touch::acquire), i.code == Code::timed_lock); break;
    case Code::try_lock: access = to_lock(i.a, Touch::write); break;
    case Code::unlock: access = to_lock(i.a, Touch::release); break;
    case Code::post:
    case Code::try_wait: access = object(kSemaphoresAt, i.a, Touch::write); break;
    case Code::wait:
    case Code::timed_wait: stands(object(kSemaphoresAt, i.a, Touch::write)); break;
    case Code::share:
    case Code::timed_share:
    case Code::exclude:
    case Code::timed_exclude: stands(object(kRwLocksAt, i.a, Touch::write)); break;
    case Code::give_back: access = object(kRwLocksAt, i.a, Touch::write); break;
    case Code::sleep:
    case Code::timed_sleep:
      if (thread.timed_out) {
        stands(to_lock(i.b, Touch::acquire));
      } else if (thread.sleeps) {
        stands(object(kConditionsAt, i.a, Touch::write));
      } else {
        access = object(kConditionsAt, i.a, Touch::write);
        also(step, to_lock(i.b, Touch::release));
      }
      break;
    case Code::signal:
    case Code::broadcast: access = object(kConditionsAt, i.a, Touch::write); break;
    case Code::join:
    case Code::timed_join:
      stands(object(kThreadsAt, i.a, Touch::acquire), i.code == Code::timed_join);
      break;
    case Code::meet:
      if (thread.sleeps) stands(object(kBarriersAt, i.a, Touch::read));
      else access = object(kBarriersAt, i.a, Touch::write);
      break;
    case Code::futex_wait:
    case Code::timed_futex_wait:
      if (thread.sleeps) {
        stands(object(kQueuesAt, i.a, Touch::write));
      } else {
        access = to_variable(i.a, Touch::read);
        also(step, object(kQueuesAt, i.a, Touch::write));
      }
      break;
    case Code::futex_wake: access = object(kQueuesAt, i.a, Touch::write); break;
    case Code::begin: stands(object(kOnceAt, i.a, Touch::write)); break;
    case Code::finish: access = object(kOnceAt, i.a, Touch::write); break;
    default: break;
  }
}

// Can it take its step now?
bool Machine::can(int t) const {
  const Thread& thread = threads_[t];
  const Instruction& i = at(thread, t);
  switch (i.code) {
    case Code::lock:
    case Code::timed_lock: return is_free(i.a);
    case Code::wait:
    case Code::timed_wait: return semaphores_[i.a] > 0;
    case Code::share:
    case Code::timed_share: return readers_[i.a] >= 0;
    case Code::exclude:
    case Code::timed_exclude: return readers_[i.a] == 0;
    case Code::sleep:
    case Code::timed_sleep:
      return !thread.sleeps || ((thread.woken || thread.timed_out) && is_free(i.b));
    case Code::join:
    case Code::timed_join: return threads_[i.a].ended;
    case Code::meet:
    case Code::futex_wait:
    case Code::timed_futex_wait: return !thread.sleeps || thread.woken;
    case Code::begin: return once_[i.a] != 1;
    default: return true;
  }
}

// What can be had at once does not run out of time.
bool Machine::may_time_out(int t) const {
  const Thread& thread = threads_[t];
  switch (at(thread, t).code) {
    case Code::timed_lock:
    case Code::timed_wait:
    case Code::timed_share:
    case Code::timed_exclude:
    case Code::timed_join: return !can(t);
    case Code::timed_sleep:
    case Code::timed_futex_wait: return thread.sleeps && !thread.woken && !thread.timed_out;
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
  const bool condition = by.code != Code::futex_wake;
  std::vector<int> who;
  for (int t = 0; t < static_cast<int>(threads_.size()); ++t) {
    const Thread& thread = threads_[t];
    if (thread.ended || !thread.started || !thread.sleeps || thread.woken || thread.timed_out)
      continue;
    const Instruction& i = at(thread, t);
    const bool on_condition = i.code == Code::sleep || i.code == Code::timed_sleep;
    const bool on_futex = i.code == Code::futex_wait || i.code == Code::timed_futex_wait;
    if (i.a == by.a && (condition ? on_condition : on_futex)) who.push_back(t);
  }
  if (who.empty()) step.accesses[0].touch = Touch::read;
  int woken = 0;
  for (; woken < most && !who.empty(); ++woken) {
    const int count = static_cast<int>(who.size());
    const int chosen = most - woken >= count ? 0 : values(count, 0);
    const int t = who[chosen];
    threads_[t].woken = true;
    if (condition) {
      Step& next = next_[t];
      next.accesses = {to_lock(at(threads_[t], t).b, Touch::acquire),
                       waking(wakings_ + woken, 1, Touch::acquire)};
      next.count = 2;
      next.blocks = at(threads_[t], t).code == Code::timed_sleep;
    }
    who.erase(who.begin() + chosen);
  }
  if (condition && woken > 0) also(step, waking(wakings_, woken, Touch::release));
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
    if (at(thread, t).code != Code::returns) ++thread.pc;
    step.returns = settle(t, values);
    if (thread.ended && joins_) also(step, object(kThreadsAt, t, Touch::release));
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
    if (!in_time) touch = Touch::read;
    return in_time;
  };
  switch (i.code) {
    case Code::load: r[i.a] = variables_[i.b]; break;
    case Code::store:
      variables_[i.a] = r[i.b];
      written(i.a);
      break;
    case Code::add:
      r[i.a] = variables_[i.b]++;
      written(i.b);
      break;
    case Code::cas:
      r[i.d] = variables_[i.a] == r[i.b];
      if (r[i.d]) {
        variables_[i.a] = r[i.c];
        written(i.a);
      } else {
        r[i.b] = variables_[i.a];
        touch = Touch::read;
      }
      break;
    case Code::timed_lock:
      if (!got(i.b)) break;
      [[fallthrough]];
    case Code::lock: held_ |= 1u << i.a; break;
    case Code::try_lock:
      r[i.b] = is_free(i.a);
      if (r[i.b]) held_ |= 1u << i.a;
      else touch = Touch::read;
      break;
    case Code::unlock: held_ &= ~(1u << i.a); break;
    case Code::await:
      again = variables_[i.a] == 0;
      if (again) thread.awaits = i.a;
      break;
    case Code::post: ++semaphores_[i.a]; break;
    case Code::timed_wait:
      if (!got(i.b)) break;
      [[fallthrough]];
    case Code::wait: --semaphores_[i.a]; break;
    case Code::try_wait:
      r[i.b] = semaphores_[i.a] > 0;
      if (r[i.b]) --semaphores_[i.a];
      else touch = Touch::read;
      break;
    case Code::timed_share:
      if (!got(i.b)) break;
      [[fallthrough]];
    case Code::share: ++readers_[i.a]; break;
    case Code::timed_exclude:
      if (!got(i.b)) break;
      [[fallthrough]];
    case Code::exclude: readers_[i.a] = -1; break;
    case Code::give_back: readers_[i.a] = std::max(readers_[i.a] - 1, 0); break;
    case Code::sleep:
    case Code::timed_sleep:
      if (!thread.sleeps) {
        held_ &= ~(1u << i.b);
        goes_to_sleep();
      } else if (!in_time) {
        again = thread.timed_out = true;
      } else {
        held_ |= 1u << i.b;
        if (i.code == Code::timed_sleep) r[i.c] = !thread.timed_out;
      }
      break;
    case Code::signal: wake(i, 1, step, values); break;
    case Code::broadcast: wake(i, kMaxThreads, step, values); break;
    case Code::timed_join:
      // As the hook: the touch stays.
      r[i.b] = in_time;
      break;
    case Code::meet:
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
        if (at_what.code == Code::meet && at_what.a == i.a) sleeper.woken = true;
      }
      break;
    case Code::timed_futex_wait:
    case Code::futex_wait:
      if (thread.sleeps) {
        if (i.code == Code::timed_futex_wait) r[i.c] = in_time;
        if (in_time) touch = Touch::read;
      } else if (variables_[i.a] == r[i.b]) {
        goes_to_sleep();
      }
      break;
    case Code::futex_wake: wake(i, i.b, step, values); break;
    case Code::begin:
      r[i.b] = once_[i.a] == 0;
      if (r[i.b]) once_[i.a] = 1;
      else touch = Touch::read;
      break;
    case Code::finish: once_[i.a] = 2; break;
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
    const Operation push = {{Code::set, 1, t + 1},    {Code::load, 0, 0},
                            {Code::poke, 0, 1, 0},    {Code::cas, 0, 0, 1, 2},
                            {Code::jump_if, 2, 0, 2}, {Code::returns, 2}};
    const Operation pop = {{Code::load, 0, 0},      {Code::jump_if, 0, 0, 5}, {Code::peek, 1, 0, 0},
                           {Code::cas, 0, 0, 1, 2}, {Code::jump_if, 2, 0, 1}, {Code::returns, 0}};
    program.threads.push_back({push, pop});
  }
  return program;
}

Program independent(int threads, int steps) {
  Program program;
  program.variables.assign(static_cast<std::size_t>(threads), 0);
  for (int t = 0; t < threads; ++t) {
    Operation operation(static_cast<std::size_t>(steps), {Code::store, t, 0});
    operation.push_back({Code::returns, 0});
    program.threads.push_back({operation});
  }
  return program;
}

Program registers(int threads, int operations) {
  Program program;
  program.variables.assign(static_cast<std::size_t>(threads), 0);
  for (int t = 0; t < threads; ++t)
    program.threads.emplace_back(static_cast<std::size_t>(operations),
                                 Operation{{Code::store, t, 0}, {Code::returns, 0}});
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
      started.insert(started.begin(), {Code::lock, 3});
      relocate(started, 0);
      auto& starter = program_.threads[0][0];
      starter.insert(starter.begin(), {Code::unlock, 3});
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
      if (i.code == Code::jump_if && i.c >= from) ++i.c;
      if (i.code == Code::jump && i.a >= from) ++i.a;
    }
  }

  Operation operation() {
    Operation o;
    const int steps = 1 + static_cast<int>(below(static_cast<std::uint32_t>(size_)));
    int lock = -1;
    if (locks_ > 0 && below(2)) {
      lock = static_cast<int>(below(locks_));
      if (flavour_ == 1 && below(2)) {
        o.push_back({Code::timed_lock, lock, 3});
        o.push_back({Code::jump_if, 3, 1, 3});
        o.push_back({Code::returns, 3});
      } else {
        o.push_back({Code::lock, lock});
      }
    }
    for (int s = 0; s < steps; ++s) access(o);
    if (lock >= 0) {
      // Sometimes another one inside, for deadlocks.
      if (locks_ > 1 && below(3) == 0) {
        o.push_back({Code::lock, 1 - lock});
        o.push_back({Code::unlock, 1 - lock});
      }
      if (below(8)) o.push_back({Code::unlock, lock});
      if (below(4) == 0) access(o);
    }
    o.push_back({Code::returns, 0});
    return o;
  }

  void access(Operation& o) {
    const int x = variable();
    const int constant = 1 + static_cast<int>(below(3));
    const auto here = [&] { return static_cast<int>(o.size()); };
    switch (below(8)) {
      case 0:
      case 1: o.push_back({Code::load, 0, x}); break;
      case 2:
        o.push_back({Code::set, 1, constant});
        o.push_back({Code::store, x, 1});
        break;
      case 3: o.push_back({Code::add, 0, x}); break;
      case 4:  // one attempt, or as many as it takes
        o.push_back({Code::load, 0, x});
        o.push_back({Code::set, 1, constant});
        o.push_back({Code::cas, x, 0, 1, 2});
        if (below(2)) o.push_back({Code::jump_if, 2, 0, here() - 1});
        break;
      case 5:
        o.push_back({Code::set, 0, 0});
        o.push_back({Code::set, 1, constant});
        o.push_back({Code::cas, x, 0, 1, 2});
        o.push_back({Code::jump_if, 2, 1, here() + 2});
        o.push_back({Code::add, 0, variable()});
        break;
      case 6:
        if (flavour_ == 2) {
          o.push_back({Code::choose, 2, 2 + static_cast<int>(below(2)), 1});
          o.push_back({Code::jump_if, 2, 1, here() + 2});
        }
        o.push_back({Code::store, x, 2});
        break;
      case 7:
        if (flavour_ == 3) o.push_back({Code::await, x});
        else if (flavour_ == 4) {
          o.push_back({Code::add, 0, x});
          o.push_back({Code::yield});
        } else o.push_back({Code::load, 0, x});
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
        o.push_back({Code::returns, 0});
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
      case 0: o.push_back({Code::load, 0, x}); break;
      case 1: o.push_back({Code::add, 0, x}); break;
      default:
        o.push_back({Code::set, 1, 1 + static_cast<int>(below(2))});
        o.push_back({Code::store, x, 1});
    }
  }

  // Waits by `code`, or by `timed`, whose result is the operation's if the time runs out.
  void wait(Operation& o, Code code, Code timed, int a) {
    if (!timed_ || below(2)) {
      o.push_back({code, a});
      return;
    }
    o.push_back({timed, a, 3});
    const bool gives_back = timed != Code::timed_wait && timed != Code::timed_join;
    if (!gives_back && below(4) == 0) {  // whatever came of it
      o.push_back({Code::set, 0, 7});
      return;
    }
    o.push_back({Code::jump_if, 3, 1, here(o) + 3});
    o.push_back({Code::set, 0, 9});
    o.push_back({Code::returns, 0});
  }

  void inside(Operation& o) {
    if (below(3)) access(o);
  }

  void piece(Operation& o) {
    const int a = object();
    switch (family_[below(2)]) {
      case 0:  // semaphores
        if (below(2)) {
          wait(o, Code::wait, Code::timed_wait, a);
          inside(o);
          if (below(2)) o.push_back({Code::post, a});
        } else if (below(3)) {
          o.push_back({Code::post, a});
        } else {
          o.push_back({Code::try_wait, a, 0});
        }
        break;
      case 1:  // readers and writers
        if (below(2)) wait(o, Code::share, Code::timed_share, a);
        else wait(o, Code::exclude, Code::timed_exclude, a);
        inside(o);
        if (below(8)) o.push_back({Code::give_back, a});
        break;
      case 2:  // conditions
      case 3: condition(o, a); break;
      case 4:  // joins
        if (below(3) == 0 || threads_ == 1) {
          access(o);
        } else {
          const auto whom = static_cast<int>(below(static_cast<std::uint32_t>(threads_) - 1));
          wait(o, Code::join, Code::timed_join, whom + (whom >= me_));
        }
        break;
      case 5: o.push_back({Code::meet, a}); break;
      case 6: futex(o); break;
      case 7: {
        o.push_back({Code::begin, a, 2});
        const int test = here(o);
        o.push_back({Code::jump_if, 2, 0, 0});
        inside(o);
        o.push_back({Code::finish, a});
        o[test].c = here(o);
        break;
      }
      default:  // locks that are tried
        if (below(2)) {
          o.push_back({Code::try_lock, a, 0});
          o.push_back({Code::jump_if, 0, 1, here(o) + 2});
          o.push_back({Code::returns, 0});
        } else {
          wait(o, Code::lock, Code::timed_lock, a);
        }
        inside(o);
        if (below(8)) o.push_back({Code::unlock, a});
    }
  }

  void condition(Operation& o, int a) {
    const bool locked = below(2);
    const auto wake = [&] { o.push_back({below(3) ? Code::signal : Code::broadcast, a}); };
    if (below(2)) {
      if (locked) o.push_back({Code::lock, 0});
      if (below(2)) {
        o.push_back({Code::set, 1, 1});
        o.push_back({Code::store, 0, 1});
      }
      if (locked && below(3) == 0) {
        o.push_back({Code::unlock, 0});
        wake();
        return;
      }
      wake();
      if (locked) o.push_back({Code::unlock, 0});
      return;
    }
    o.push_back({Code::lock, 0});
    const int loop = here(o);
    const bool asks = below(2);
    if (asks) {
      o.push_back({Code::load, 0, 0});
      o.push_back({Code::jump_if, 0, 1, 0});
    }
    const bool timed = timed_ && below(2);
    if (timed) o.push_back({Code::timed_sleep, a, 0, 3});
    else o.push_back({Code::sleep, a, 0});
    if (timed) o.push_back({Code::jump_if, 3, 0, here(o) + (asks ? 2 : 1)});
    if (asks) {
      o.push_back({below(2) ? Code::jump : Code::set, loop, 0});
      o[loop + 1].c = here(o);
      if (o.back().code == Code::set) o.back() = {Code::set, 2, 0};
    }
    if (below(3) == 0) access(o);
    if (timed) {
      o.push_back({Code::jump_if, 3, 1, here(o) + 2});
      o.push_back({Code::set, 0, 9});
    }
    o.push_back({Code::unlock, 0});
  }

  void futex(Operation& o) {
    const auto v = static_cast<int>(below(static_cast<std::uint32_t>(program_.variables.size())));
    if (below(2)) {
      o.push_back({Code::set, 1, 0});
      const bool timed = timed_ && below(2);
      o.push_back({timed ? Code::timed_futex_wait : Code::futex_wait, v, 1, 0});
      return;
    }
    if (below(4)) {
      o.push_back({Code::set, 1, 1});
      o.push_back({Code::store, v, 1});
    }
    if (below(5)) o.push_back({Code::futex_wake, v, 1 + static_cast<int>(below(2))});
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
