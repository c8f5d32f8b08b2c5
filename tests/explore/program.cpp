// SPDX-License-Identifier: MIT
#include "explore/program.hpp"

#include "explore/state.hpp"

namespace plumb::explore::test {

namespace {

constexpr std::uint64_t kVariablesAt = 0x1000, kLocksAt = 0x9000;

Access to_variable(int variable, Touch touch) {
  return {kVariablesAt + 8 * static_cast<std::uint64_t>(variable), 8, touch};
}
Access to_lock(int lock, Touch touch) {
  return {kLocksAt + 8 * static_cast<std::uint64_t>(lock), 8, touch};
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
      threads_(program.threads.size()), spans_(program.threads.size()),
      next_(program.threads.size()) {
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
  const Instruction& i = at(threads_[t], t);
  Step& step = next_[t];
  step = Step{};
  step.thread = static_cast<std::uint8_t>(t);
  step.calls = !threads_[t].called;
  step.count = i.code != Code::kReturn;
  switch (i.code) {
    case Code::kLoad: step.accesses[0] = to_variable(i.b, Touch::kRead); break;
    case Code::kAwait: step.accesses[0] = to_variable(i.a, Touch::kRead); break;
    case Code::kStore:
    case Code::kCas: step.accesses[0] = to_variable(i.a, Touch::kWrite); break;
    case Code::kAdd: step.accesses[0] = to_variable(i.b, Touch::kWrite); break;
    case Code::kLock:
    case Code::kTimedLock: step.accesses[0] = to_lock(i.a, Touch::kAcquire); break;
    case Code::kUnlock: step.accesses[0] = to_lock(i.a, Touch::kRelease); break;
    default: break;
  }
}

std::uint64_t Machine::enabled() const {
  std::uint64_t actions = 0;
  for (int t = 0; t < static_cast<int>(threads_.size()); ++t) {
    const Thread& thread = threads_[t];
    if (!thread.started) actions |= std::uint64_t{1} << t;
    if (!thread.started || thread.ended || thread.awaits >= 0) continue;
    const Instruction& i = at(thread, t);
    const bool locks = i.code == Code::kLock || i.code == Code::kTimedLock;
    if (!locks || !(held_ >> i.a & 1)) actions |= std::uint64_t{1} << t;
    if (i.code == Code::kTimedLock) actions |= std::uint64_t{1} << (kTimeout + t);
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
  int* const r = thread.registers;
  const Instruction& i = at(thread, t);
  bool again = false;
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
        step.accesses[0].touch = Touch::kRead;
      }
      break;
    case Code::kLock: held_ |= 1u << i.a; break;
    case Code::kUnlock: held_ &= ~(1u << i.a); break;
    case Code::kTimedLock:
      r[i.b] = action < kTimeout;
      if (r[i.b]) held_ |= 1u << i.a;
      else step.accesses[0].touch = Touch::kRead;
      break;
    case Code::kAwait:
      again = variables_[i.a] == 0;
      if (again) thread.awaits = i.a;
      break;
    default: break;
  }
  if (again) {
    foresee(t);
  } else {
    if (i.code != Code::kReturn) ++thread.pc;
    step.returns = settle(t, values);
  }
  ++steps_;
  current_ = thread.gave_way || !(enabled() >> t & 1) ? -1 : t;
  thread.gave_way = false;
  return step;
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

class ProgramMaker {
 public:
  explicit ProgramMaker(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {
    for (int i = 0; i < 4; ++i) below(2);
  }

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
  std::uint32_t below(std::uint32_t n) {
    state_ += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) % n);
  }
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

  std::uint64_t state_;
  Program program_;
  std::uint32_t locks_ = 0;
  std::uint32_t flavour_ = 0;
  int size_ = 0;
};

}  // namespace

Program random_program(std::uint64_t seed) { return ProgramMaker(seed).make(); }

std::string describe(const Program& program) {
  static constexpr const char* kNames[] = {
      "load", "store", "add",  "cas",    "lock", "unlock", "timedlock", "await",
      "set",  "peek",  "poke", "jumpif", "jump", "choose", "yield",     "return"};
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
