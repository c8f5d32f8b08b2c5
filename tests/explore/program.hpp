// SPDX-License-Identifier: MIT
// A concurrent program that is a table, to test strategies on: threads that call operations,
// operations of few instructions on shared variables, locks and what else threads wait for. It can
// be run under a strategy, as the explorer runs real code; and all its executions can be enumerated
// by copying states, which is the judge. What the runtime's hooks report of a step (src/runtime/)
// is reported here in the same way.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "explore/strategy.hpp"

namespace plumb::explore::test {

enum class Code : std::uint8_t {
  // Accesses, each a step:
  load,              // r[a] = v[b]
  store,             // v[a] = r[b]
  add,               // r[a] = v[b]++
  cas,               // r[d] = v[a] == r[b]; if so v[a] = r[c], else r[b] = v[a]
  lock,              // l[a]
  unlock,            // l[a]
  timed_lock,        // l[a]; r[b] = 1, or 0 if the time ran out
  try_lock,          // l[a]; r[b] = 1, or 0 if a thread holds it
  await,             // reads v[a]; while that is 0, waits until a thread writes it, reads again
  post,              // s[a]
  wait,              // s[a]
  timed_wait,        // s[a]; r[b] as above
  try_wait,          // s[a]; r[b] as above
  share,             // takes w[a] to read
  timed_share,       // w[a]; r[b] as above
  exclude,           // takes w[a] to write
  timed_exclude,     // w[a]; r[b] as above
  give_back,         // w[a]
  sleep,             // on c[a], and gives l[b] back; woken, takes it again
  timed_sleep,       // c[a], l[b]; r[c] as above
  signal,            // c[a]
  broadcast,         // c[a]
  join,              // thread a
  timed_join,        // thread a; r[b] as above
  meet,              // b[a]
  futex_wait,        // on v[a], while it is r[b]
  timed_futex_wait,  // v[a], r[b]; r[c] as above
  futex_wake,        // b of those on v[a]
  begin,             // o[a], which is done once: r[b] = 1 if it is left to this thread
  finish,            // o[a]
  // With the step before:
  set,      // r[a] = b
  peek,     // r[a] = v[b + r[c]]
  poke,     // v[a + r[b]] = r[c]
  jump_if,  // r[a] == b: to c
  jump,     // to a
  choose,   // r[a] = a value less than b, which costs c preemptions
  yield,
  returns,  // r[a]
};

struct Instruction {
  Code code;
  int a = 0, b = 0, c = 0, d = 0;
};
using Operation = std::vector<Instruction>;

struct Program {
  std::vector<int> variables;
  std::vector<int> semaphores;  // their values at the beginning
  std::vector<int> barriers;    // how many threads meet there
  std::uint32_t held = 0;       // locks held from outside at the beginning
  bool starts = false;          // to start is a step of every thread, which touches nothing
  std::vector<std::vector<Operation>> threads;
};

// What an execution shows: results, and which operation returned before which was called.
struct Order {
  std::vector<int> results;    // thread by thread; kPending: it never returned
  std::vector<bool> precedes;  // a matrix
  static constexpr int kPending = -1000;

  bool stuck() const;
  // Is all of its order in the other's, which has the same results?
  bool within(const Order& other) const;
  auto operator<=>(const Order&) const = default;
};
// Those that are within no other one.
std::set<Order> maximal(const std::set<Order>& orders);

class Machine {
 public:
  using Values = std::function<int(int count, int cost)>;

  // Threads run up to their first access.
  Machine(const Program& program, const Values& values);

  std::uint64_t enabled() const;
  int current() const { return current_; }
  std::span<const Step> next() const { return next_; }
  std::uint32_t waiting() const;  // threads that have not ended
  Step take(int action, const Values& values);
  Order order() const;

 private:
  struct Thread {
    std::size_t operation = 0, pc = 0;
    int registers[4] = {};
    int awaits = -1;
    bool started = true, called = false, ended = false, gave_way = false;
    bool sleeps = false, woken = false;  // in the second step of an instruction that has two
    bool timed_out = false;
  };
  struct Span {
    int call = -1, end = -1, result = Order::kPending;
  };

  // Of a lock for readers and writers: -1 is a writer.
  static constexpr int kMostObjects = 4;

  const Instruction& at(const Thread& thread, int t) const;
  bool can(int t) const;
  bool may_time_out(int t) const;
  void act(int t, bool in_time, Step& step, bool& again, const Values& values);
  void wake(const Instruction& by, int most, Step& step, const Values& values);
  bool is_free(int lock) const { return !(held_ >> lock & 1); }
  bool settle(int t, const Values& values);
  void foresee(int t);
  void written(int variable);

  const Program* program_;
  std::vector<int> variables_;
  std::uint32_t held_;
  std::vector<int> semaphores_;
  int readers_[kMostObjects] = {};
  int come_[kMostObjects] = {};
  int once_[kMostObjects] = {};  // 0, 1: begun, 2: done
  int wakings_ = 0;
  bool joins_ = false;  // then to end is told
  std::vector<Thread> threads_;
  std::vector<std::vector<Span>> spans_;
  std::vector<Step> next_;
  int current_ = -1, steps_ = 0;
};

// Runs one execution. Returns false if the strategy pruned it.
bool run(const Program& program, Strategy& strategy, Order* order = nullptr,
         std::vector<Step>* steps = nullptr);

// Runs all executions of a strategy that is ready; calls back after each that was not pruned.
struct Totals {
  std::uint64_t executions = 0, pruned = 0;
  std::set<Order> orders;
};
Totals run_all(const Program& program, Strategy& strategy, std::uint64_t most = ~std::uint64_t{0},
               const std::function<void()>& after = {});

// Every execution, by copying states. Stops after `most`.
struct Execution {
  std::vector<std::uint8_t> schedule;
  std::vector<Step> steps;
  int preemptions = 0;
  Order order;
};
std::vector<Execution> enumerate(const Program& program, std::size_t most);

// Programs to look at.
Program treiber(int threads);  // each pushes, then pops
Program independent(int threads,
                    int steps);  // each writes its own variable so many times, in one operation
Program registers(int threads, int operations);  // each writes its own variable, once an operation
Program random_program(std::uint64_t seed);
Program random_waiting_program(std::uint64_t seed);  // of threads that wait for each other
std::string describe(const Program& program);

}  // namespace plumb::explore::test
