// SPDX-License-Identifier: MIT
// plumb_quasi: the cost of deciding quasi linearizability.
//
// Three tables: the number of permutations that Algorithm 2 makes, and their rate; the joint search
// against the literal algorithm on violations (for other histories the first permutation may
// suffice), by threads and operations; the strict k-queue on long histories.
//
// Histories are simulated: at each step one thread, chosen at random, calls, takes effect or
// returns; a deq takes one of the elements near the head. Seconds are the process's own (CPU time),
// so that a busy machine does not count.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "check/problem/partition.hpp"
#include "check/property/quasi/permutations.hpp"
#include "check/property/quasi/permuting.hpp"
#include "main.hpp"
#include "plumb/check.hpp"

namespace plumb::bench {
namespace {

using quasi::Factors;
using quasi::Relaxation;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <class Work>
double seconds_of(const Work& work) {
  const double start = cpu_seconds();
  work();
  return cpu_seconds() - start;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) { below(1); }
  std::size_t below(std::size_t n) {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return static_cast<std::size_t>(((z ^ z >> 31) >> 32) * n >> 32);
  }

 private:
  std::uint64_t state_;
};

struct Load {
  unsigned threads = 4;
  std::size_t operations = 0;
  std::uint32_t near = 3;  // a deq takes an element with at most this many before it,
  bool fair = true;        // and overtakes none that was overtaken this often
  bool drained = false;    // as many deqs as enqs, and no "empty"
};

// The elements of a queue that is out of order, the head first.
class Line {
 public:
  explicit Line(const Load& load) : load_(load) {}

  bool empty() const { return elements_.empty(); }
  void add(std::int64_t value) { elements_.push_back({value}); }

  std::int64_t take(Random& random) {
    std::size_t most = 0;
    while (most < load_.near && most + 1 < elements_.size() &&
           (!load_.fair || elements_[most].overtaken < load_.near))
      ++most;
    const std::size_t at = random.below(most + 1);
    const std::int64_t value = elements_[at].value;
    for (std::size_t i = 0; i < at; ++i) ++elements_[i].overtaken;
    elements_.erase(elements_.begin() + static_cast<std::ptrdiff_t>(at));
    return value;
  }

 private:
  struct Element {
    std::int64_t value;
    std::uint32_t overtaken = 0;
  };
  const Load& load_;
  std::vector<Element> elements_;
};

History simulate_queue(const Load& load, std::uint64_t seed) {
  Random random(seed);
  HistoryBuilder builder;
  builder.begin_object(Value::nil(), "queue");
  struct Thread {
    ProcessId process;
    enum { idle, called, done } phase = idle;
    bool enqueues = false;
    std::int64_t value = 0;
    Value result;
  };
  std::vector<Thread> threads;
  for (unsigned i = 0; i < load.threads; ++i)
    threads.push_back({builder.process(Value::integer(i)), Thread::idle, false, 0, {}});
  Line line(load);
  std::size_t called = 0, enqs = 0, deqs = 0, finished = 0;
  std::int64_t next = 0;
  while (finished < load.operations) {
    Thread& t = threads[random.below(threads.size())];
    switch (t.phase) {
      case Thread::idle: {
        if (called == load.operations) break;
        const std::size_t half = load.operations / 2;
        t.enqueues = load.drained ? enqs < half && (deqs == enqs || deqs == half || random.below(2))
                                  : random.below(2) == 0;
        ++(t.enqueues ? enqs : deqs);
        ++called;
        t.value = next;
        next += t.enqueues;
        const CallId call = t.enqueues ? builder.intern_call("enq", {Value::integer(t.value)})
                                       : builder.intern_call("deq", {});
        (void)builder.call(t.process, 0, call);
        t.phase = Thread::called;
        break;
      }
      case Thread::called: {
        if (t.enqueues) {
          line.add(t.value);
        } else if (line.empty()) {
          if (load.drained) break;  // it blocks
          t.result = Value::nil();
        } else {
          t.result = Value::integer(line.take(random));
        }
        t.phase = Thread::done;
        break;
      }
      case Thread::done:
        (void)builder.returned(t.process, t.enqueues ? Value::nil() : t.result);
        t.phase = Thread::idle;
        ++finished;
        break;
    }
  }
  return *std::move(builder).finish();
}

struct Question {
  explicit Question(History h) : history(std::move(h)) {
    CheckOptions whole;
    whole.partition = false;
    parts = *make_partitions(history, whole);
  }
  Question(const Question&) = delete;
  const Problem& problem() const { return parts.partitions[0].problem; }
  History history;
  Partitioning parts;
};

Factors factor_of_deq(std::int64_t k) {
  return quasi::bind({{{"deq"}, k}}, *find_specification("queue"));
}

// ---- Algorithm 2.

void permutations_table() {
  fmt::print("permutations of n deqs, slot; roundup-literal\n");
  fmt::print("{:>4} {:>3} {:>12} {:>10} {:>16} {:>16}\n", "n", "K", "permutations", "Algorithm 2",
             "engine, a second", "without dedup");
  for (const auto& [n, k] :
       {std::pair{4u, 2u}, {4u, 3u}, {5u, 2u}, {6u, 2u}, {7u, 2u}, {10u, 3u}, {12u, 3u}}) {
    std::uint64_t count = 0;
    quasi::QuasiPermutations permutations(std::vector<std::uint32_t>(n, k));
    while (permutations.next()) ++count;
    HistoryBuilder builder;
    builder.begin_object(Value::nil(), "queue");
    const ProcessId process = builder.process(Value::integer(0));
    for (unsigned i = 0; i < n; ++i) {
      (void)builder.call(process, 0, builder.intern_call("deq", {}));
      (void)builder.returned(process, Value::integer(i));
    }
    const Question question(*std::move(builder).finish());
    double rate[2];
    std::uint64_t steps = 0;
    for (const bool dedup : {true, false}) {
      std::uint64_t made = 0;
      const double seconds = seconds_of([&, k = k] {
        do {
          Budget budget;
          steps = decide_roundup_literal(question.problem(), Relaxation::slot, factor_of_deq(k),
                                         budget, dedup)
                      .stats.steps;
          made += steps;
        } while (made < 1'000'000);
      });
      rate[dedup ? 0 : 1] = static_cast<double>(made) / seconds;
    }
    fmt::print("{:>4} {:>3} {:>12} {:>10} {:>16.0f} {:>16.0f}\n", n, k, steps, count, rate[0],
               rate[1]);
  }
}

// ---- Joint search.

void joint_table(double literal_limit, std::uint64_t seed, int samples) {
  fmt::print("\nviolations of slot, deq=K: seconds a history, mean of {}\n", samples);
  fmt::print("{:>8} {:>3} {:>12} {:>14} {:>12} {:>10}\n", "history", "K", "joint", "joint at most",
             "literal", "factor");
  struct Size {
    unsigned threads, each;
    std::uint32_t k;
    bool literal;
  };
  for (const Size& size : {Size{2, 4, 2, true},
                           {2, 6, 3, true},
                           {2, 8, 3, true},
                           {4, 4, 3, false},
                           {4, 6, 3, false},
                           {4, 6, 5, false}}) {
    const Factors factors = factor_of_deq(size.k);
    double joint = 0, worst = 0, literal = 0;
    int found = 0;
    bool cut = false;
    for (std::uint64_t i = 0; found < samples && i < 100'000; ++i) {
      const Load load = {size.threads, std::size_t{size.threads} * size.each, size.k + 2, false,
                         true};
      const Question question(simulate_queue(load, seed + i));
      Budget budget;
      Answer answer;
      const double seconds = seconds_of(
          [&] { answer = decide_joint(question.problem(), Relaxation::slot, factors, budget); });
      if (answer.verdict != Verdict::violation) continue;
      ++found;
      joint += seconds;
      worst = std::max(worst, seconds);
      if (!size.literal || cut) continue;
      Budget limited(literal_limit, 0, nullptr);
      literal += seconds_of([&] {
        answer = decide_roundup_literal(question.problem(), Relaxation::slot, factors, limited);
      });
      cut = answer.verdict == Verdict::undecided;
      if (answer.verdict == Verdict::holds) fmt::print("  DISAGREE, seed {}\n", seed + i);
    }
    const std::string name = fmt::format("{} x {}", size.threads, size.each);
    if (found == 0) {
      fmt::print("{:>8} {:>3}  no violation found\n", name, size.k);
      continue;
    }
    fmt::print("{:>8} {:>3} {:>12.6f} {:>14.6f} {:>12} {:>10}\n", name, size.k, joint / found,
               worst,
               !size.literal ? "-"
               : cut         ? fmt::format("> {:.0f}", literal_limit)
                             : fmt::format("{:.4f}", literal / found),
               !size.literal || cut ? "-" : fmt::format("{:.0f}", literal / joint));
  }
}

// ---- The automaton.

void strict_table(std::uint64_t seed, const std::vector<std::size_t>& lengths) {
  fmt::print("\nstrict k-queue, 4 threads, k = 3, half of them enq: seconds\n");
  fmt::print("{:>10} {:>10} {:>10} {:>14} {:>10}\n", "operations", "verdict", "all",
             "configurations", "states");
  for (const std::size_t n : lengths) {
    const History history = simulate_queue({.operations = n}, seed);
    Result<QuasiReport> report = Error{};
    const double seconds = seconds_of([&] {
      report = check_quasi(history, {.sets = {{{"deq"}, 3}}}, {.timeout_seconds = 300, .jobs = 1});
    });
    if (!report.ok()) throw std::runtime_error(report.error().to_string());
    const PartitionReport& part = report->check.partitions[0];
    fmt::print("{:>10} {:>10} {:>10.3f} {:>14} {:>10}\n", n, to_string(report->check.verdict),
               seconds, part.configurations, part.states);
  }
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app("What deciding quasi linearizability costs.");
  double literal_limit = 300;
  std::uint64_t seed = 1;
  int samples = 5;
  std::vector<std::size_t> lengths = {1'000, 10'000, 100'000};
  app.add_option("--literal-limit", literal_limit, "seconds for one history; default: 300");
  app.add_option("--seed", seed, "of the simulations; default: 1");
  app.add_option("--samples", samples, "violations of each size; default: 5");
  app.add_option("--lengths", lengths, "of the k-queue's histories; default: 1000 10000 100000");
  CLI11_PARSE(app, argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // some rows take minutes
  permutations_table();
  joint_table(literal_limit, seed, samples);
  strict_table(seed, lengths);
  return 0;
}

}  // namespace plumb::bench
