// SPDX-License-Identifier: MIT
// Quasi linearizability: the joint search and that of pairs against Algorithms 1 and 2, the
// k-automata against what the restrictions say, the relaxations against each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "check/evidence/core.hpp"
#include "check/property/quasi/k_automaton.hpp"
#include "check/property/quasi/permutations.hpp"
#include "check/property/quasi/permuting.hpp"
#include "oracle/oracle.hpp"
#include "plumb/check.hpp"

namespace plumb::test {
namespace {

using quasi::Factors;
using quasi::Relaxation;

struct Container {
  std::string specification, add, remove;
};
const std::vector<Container> kContainers = {
    {"queue", "enq", "deq"}, {"stack", "push", "pop"}, {"pqueue-min", "insert", "poll"}};

// ---- Joint search and literal algorithm.

struct Agreement : ::testing::TestWithParam<std::tuple<std::size_t, Relaxation>> {};

TEST_P(Agreement, JointSearchSaysWhatTheLiteralAlgorithmSays) {
  const Container& container = kContainers[std::get<0>(GetParam())];
  const Relaxation relaxation = std::get<1>(GetParam());
  const Specification& plain = *find_specification(container.specification);
  const auto loose =
      make_k_automaton(plain, Relaxation::strict, quasi::bind({{{container.remove}, 2}}, plain));
  const RandomHistories random(*loose);
  RandomOptions options;
  options.most = relaxation == Relaxation::slot ? 7 : 6;
  options.most_processes = 3;
  options.plain = true;
  options.methods = {container.add, container.remove};
  std::uint64_t held = 0, violated = 0;
  Draws draws(histories() / 5);
  draws.until("that hold", held, histories() / 50);
  draws.until("violations", violated, histories() / 50);
  for (const std::uint64_t i : draws) {
    const std::uint64_t seed = seed_of(plain, i * 8 + static_cast<std::uint64_t>(relaxation));
    options.distinct = i % 4 != 0;
    const History history = random.make(seed, options);
    const Problem problem = make_problem(history, plain);
    Random choice(seed);
    const auto k = static_cast<std::int64_t>(choice.below(4));
    const auto other = static_cast<std::int64_t>(choice.below(3));
    const std::vector<std::vector<QuasiSet>> questions = {
        {{{container.remove}, k}},
        {{{container.add, container.remove}, k}},
        {{{container.add}, other}, {{container.remove}, k}}};
    const Factors factors = quasi::bind(choice.pick(questions), plain);
    Budget budget;
    const Answer joint = quasi::decide_joint(problem, relaxation, factors, budget);
    const Answer literal =
        quasi::decide_roundup_literal(problem, relaxation, factors, budget, i % 2 == 0);
    const std::string text = to_text(history) + "\nfactors " + std::to_string(factors.factor[0]) +
                             ", seed " + std::to_string(seed);
    ASSERT_EQ(joint.verdict, literal.verdict) << text;
    ASSERT_EQ(quasi::decide_pairs(problem, relaxation, factors, budget).verdict, literal.verdict)
        << text;
    ++(joint.verdict == Verdict::holds ? held : violated);
    if (joint.verdict != Verdict::holds) continue;
    for (const Answer* answer : {&joint, &literal})
      ASSERT_EQ(quasi::verify_permuted(problem, relaxation, factors, answer->witnesses[0],
                                       answer->witnesses[1]),
                "")
          << answer->engine << ": " << to_text(history);
  }
  EXPECT_EQ(draws.lacks(), "");
}
INSTANTIATE_TEST_SUITE_P(
    Quasi, Agreement,
    ::testing::Combine(::testing::Values(0, 1, 2),
                       ::testing::Values(Relaxation::slot, Relaxation::all, Relaxation::def4)),
    [](const auto& p) {
      return test_name(*find_specification(kContainers[std::get<0>(p.param)].specification)) + "_" +
             std::string(to_string(std::get<1>(p.param)));
    });

TEST(QuasiEngines, AgreeOnOtherObjectsToo) {
  for (const char* name : {"register", "counter", "set", "bag"}) {
    const Specification& specification = *find_specification(name);
    const RandomHistories random(specification);
    for (std::uint64_t i = 0; i < histories() / 100; ++i) {
      const History history = random.make(seed_of(specification, i), {.most = 5, .plain = true});
      const Problem problem = make_problem(history, specification);
      std::vector<QuasiSet> sets;
      if (history.size() > 0)
        sets = {{{std::string(history.call_of(0).method)}, static_cast<std::int64_t>(i % 3)}};
      const Factors factors = quasi::bind(sets, specification);
      for (const Relaxation relaxation : {Relaxation::slot, Relaxation::all, Relaxation::def4}) {
        Budget budget;
        ASSERT_EQ(quasi::decide_joint(problem, relaxation, factors, budget).verdict,
                  quasi::decide_roundup_literal(problem, relaxation, factors, budget).verdict)
            << to_string(relaxation) << " of " << name << ": " << to_text(history);
      }
    }
  }
}

TEST(QuasiEngines, WithFactorZeroEveryRelaxationIsLinearizability) {
  for (const Container& container : kContainers) {
    const Specification& plain = *find_specification(container.specification);
    const RandomHistories random(plain);
    for (std::uint64_t i = 0; i < histories() / 40; ++i) {
      const History history = random.make(seed_of(plain, i), {.most = 6, .plain = true});
      const Problem problem = make_problem(history, plain);
      const Verdict expected = definition(problem);
      const Factors none = quasi::bind({}, plain);
      Budget budget;
      for (const Relaxation relaxation : {Relaxation::slot, Relaxation::all})
        ASSERT_EQ(quasi::decide_joint(problem, relaxation, none, budget).verdict, expected);
      for (const Relaxation relaxation :
           {Relaxation::strict, Relaxation::distance, Relaxation::lateness}) {
        const auto automaton = make_k_automaton(plain, relaxation, none);
        Problem relaxed = problem;
        relaxed.specification = automaton.get();
        ASSERT_EQ(decide_verified("jit", relaxed).verdict, expected) << to_text(history);
      }
    }
  }
}

TEST(QuasiVerifier, RefusesWhatIsNoWitness) {
  const Case c("A enq(1): nil | A enq(2): nil | A deq: 2 | A deq: 1", "queue");
  const auto verify = [&](std::int64_t k, const std::vector<OperationId>& order,
                          const std::vector<OperationId>& permuted) {
    return quasi::verify_permuted(c.problem, Relaxation::slot,
                                  quasi::bind({{{"deq"}, k}}, *c.problem.specification), order,
                                  permuted);
  };
  EXPECT_EQ(verify(1, {0, 1, 2, 3}, {0, 1, 3, 2}), "");
  EXPECT_NE(verify(0, {0, 1, 2, 3}, {0, 1, 3, 2}), "") << "too far";
  EXPECT_NE(verify(1, {0, 1, 3, 2}, {0, 1, 3, 2}), "") << "not in real time";
  EXPECT_NE(verify(1, {0, 1, 2, 3}, {0, 1, 2, 3}), "") << "not legal";
  EXPECT_NE(verify(1, {0, 1, 2, 3}, {0, 1, 3}), "") << "one is missing";
  EXPECT_NE(verify(1, {0, 1, 2, 3}, {0, 1, 3, 3}), "") << "one is there twice";
  EXPECT_NE(verify(1, {0, 1, 2, 3}, {1, 0, 2, 3}), "") << "enq was not to move";
}

// ---- The k-automata.

// Whether element a should leave before b, both inside; added as the a-th and the b-th.
bool goes_first(const std::string& specification, int a, int b) {
  if (specification == "queue") return a < b;
  if (specification == "stack") return a > b;
  return a * 7 % 11 < b * 7 % 11;  // the value, that is, priority, of the i-th
}
int value_of(const std::string& specification, int i) {
  return specification == "pqueue-min" ? i * 7 % 11 : i;
}

TEST(KAutomata, AllowExactlyWhatTheRestrictionsSayOfPairsOfElements) {
  for (const Container& container : kContainers) {
    const Specification& plain = *find_specification(container.specification);
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
      Random random(seed);
      const std::uint32_t k = static_cast<std::uint32_t>(random.below(4));
      const Factors factors = quasi::bind({{{container.remove}, k}}, plain);
      // By pairs: a removal overtakes those inside that should have gone first.
      std::set<int> inside;
      std::map<int, std::uint32_t> overtaken;
      std::vector<std::vector<Value>> args;
      std::vector<std::pair<bool, int>> run;
      std::size_t farthest = 0;
      std::uint32_t most_often = 0;
      for (int next = 0; run.size() < 12;) {
        if (next < 11 && (inside.empty() || random.percent(50))) {
          inside.insert(next);
          run.emplace_back(true, next++);
          continue;
        }
        if (inside.empty()) break;
        const int gone = random.pick(std::vector<int>(inside.begin(), inside.end()));
        inside.erase(gone);
        std::size_t ahead = 0;
        for (const int other : inside)
          if (goes_first(container.specification, other, gone)) {
            ++ahead;
            most_often = std::max(most_often, ++overtaken[other]);
          }
        farthest = std::max(farthest, ahead);
        run.emplace_back(false, gone);
      }
      const auto allows = [&](Relaxation relaxation) {
        const auto automaton = make_k_automaton(plain, relaxation, factors);
        const auto replay = automaton->replay({});
        return std::all_of(run.begin(), run.end(), [&](const auto& step) {
          const Value v = Value::integer(value_of(container.specification, step.second));
          if (step.first)
            return replay->apply({*plain.find(container.add), std::span(&v, 1), {}, true});
          return replay->apply({*plain.find(container.remove), {}, v, true});
        });
      };
      ASSERT_EQ(allows(Relaxation::distance), farthest <= k) << container.specification << seed;
      ASSERT_EQ(allows(Relaxation::lateness), most_often <= k) << container.specification << seed;
      ASSERT_EQ(allows(Relaxation::strict), farthest <= k && most_often <= k);
    }
  }
}

TEST(KAutomata, AreDecidedAlikeByAllEngines) {
  for (const Container& container : kContainers) {
    const Specification& plain = *find_specification(container.specification);
    for (const Relaxation relaxation :
         {Relaxation::strict, Relaxation::distance, Relaxation::lateness}) {
      const auto automaton =
          make_k_automaton(plain, relaxation, quasi::bind({{{container.remove}, 1}}, plain));
      const RandomHistories random(*automaton);
      std::uint64_t held = 0, violated = 0;
      Draws draws(histories() / 40);
      draws.until("that hold", held).until("violations", violated);
      for (const std::uint64_t i : draws) {
        const History history =
            random.make(seed_of(*automaton, i), {.most = 7, .distinct = i % 2 == 0});
        const Problem problem = make_problem(history, *automaton);
        const Verdict expected = definition(problem);
        ++(expected == Verdict::holds ? held : violated);
        for (const char* engine : {"jit", "wgl", "auto"})
          ASSERT_EQ(decide_verified(engine, problem).verdict, expected)
              << engine << " of " << automaton->name() << ": " << to_text(history);
      }
      EXPECT_EQ(draws.lacks(), "");
    }
  }
}

TEST(KAutomata, AnEmptyAnswerIsExactAndASizeToo) {
  const auto verdict_of = [](const char* text) {
    return check_quasi(parse_history(text, "queue"), {.sets = {{{"deq"}, 3}}})->check.verdict;
  };
  EXPECT_EQ(verdict_of("A enq(1): nil | A deq: nil"), Verdict::violation);
  EXPECT_EQ(verdict_of("A enq(1): nil | A deq: 1 | A deq: nil"), Verdict::holds);
  EXPECT_EQ(verdict_of("A enq(1): nil | A enq(2): nil | A deq: 2 | A size: 2"), Verdict::violation);
  EXPECT_EQ(verdict_of("A enq(1): nil | A enq(2): nil | A deq: 2 | A size: 1 | A peek: 1"),
            Verdict::holds);
}

TEST(KAutomata, RemovalsWithFactorsOfTheirOwnRespectEachItsOwn) {
  const auto verdict_of = [](const std::string& text, std::vector<QuasiSet> sets) {
    return check_quasi(parse_history(text, "blocking-queue"), {.sets = std::move(sets)})
        ->check.verdict;
  };
  const std::string three = "A enq(1): nil | A enq(2): nil | A enq(3): nil";
  const QuasiSet deq = {{"deq"}, 2}, try_deq = {{"try_deq"}, 1};
  EXPECT_EQ(verdict_of(three + " | A deq: 3", {deq}), Verdict::holds);
  EXPECT_EQ(verdict_of(three + " | A try_deq: 3", {try_deq}), Verdict::violation);
  EXPECT_EQ(verdict_of(three + " | A try_deq: 2 | A deq: 3", {deq, try_deq}), Verdict::holds);
  EXPECT_EQ(verdict_of(three + " | A deq: 2 | A try_deq: 3", {deq, try_deq}), Verdict::violation);
  EXPECT_EQ(verdict_of("A deq | #", {deq}), Verdict::holds) << "it blocks on an empty queue";
  EXPECT_EQ(verdict_of(three + " | B deq | #", {deq}), Verdict::violation);
}

// A queue that is out of order by `k`, or by more: random histories of n operations by four
// threads.
History relaxed_queue(std::uint64_t seed, std::size_t n, std::size_t k) {
  Random random(seed);
  HistoryBuilder builder;
  builder.begin_object(Value::nil(), "queue");
  struct Thread {
    ProcessId process;
    int phase = 0;  // idle, called, done
    bool enqueues = false;
    Value value = {};
  };
  std::vector<Thread> threads;
  for (int i = 0; i < 4; ++i) threads.push_back({builder.process(Value::integer(i))});
  std::vector<std::pair<Value, std::size_t>> line;  // with how often each was overtaken
  std::size_t called = 0, finished = 0;
  while (finished < n) {
    Thread& t = threads[random.below(threads.size())];
    if (t.phase == 0 && called == n) continue;
    if (t.phase == 0) {
      t.enqueues = random.percent(50);
      t.value = Value::integer(static_cast<std::int64_t>(called++));
      (void)builder.call(
          t.process, 0,
          t.enqueues ? builder.intern_call("enq", {t.value}) : builder.intern_call("deq", {}));
    } else if (t.phase == 1 && t.enqueues) {
      line.emplace_back(t.value, 0);
    } else if (t.phase == 1) {
      t.value = Value::nil();
      std::size_t most = 0;
      while (most < k && most + 1 < line.size() && line[most].second < k) ++most;
      if (!line.empty()) {
        const std::size_t at = random.below(most + 1);
        t.value = line[at].first;
        for (std::size_t i = 0; i < at; ++i) ++line[i].second;
        line.erase(line.begin() + static_cast<std::ptrdiff_t>(at));
      }
    } else {
      (void)builder.returned(t.process, t.enqueues ? Value::nil() : t.value);
      ++finished;
    }
    t.phase = (t.phase + 1) % 3;
  }
  return *std::move(builder).finish();
}

TEST(KQueues, ChecksThatGuessSayWhatChecksThatDoNotSay) {
  std::uint64_t held = 0, violated = 0, crossed = 0, guessed = 0;
  Draws draws(histories() / 10);
  draws.until("that hold", held).until("violations", violated);
  draws.until("decided by crossings", crossed).until("guessed", guessed);
  for (const std::uint64_t i : draws) {
    const History history = relaxed_queue(test::seed_of(i), 8 + i % 17, 1 + i % 4);
    bool dequeues = false;
    for (OperationId op = 0; op < history.size(); ++op)
      dequeues = dequeues || history.call_of(op).method == "deq";
    if (!dequeues) continue;
    constexpr Relaxation automata[] = {Relaxation::strict, Relaxation::distance,
                                       Relaxation::lateness};
    const Relaxation relaxation = automata[i % 3];
    const QuasiOptions asked = {.sets = {{{"deq"}, 1}}, .relaxation = relaxation};
    const auto guessing = check_quasi(history, asked, {.minimise = i % 10 == 0, .jobs = 1});
    const auto searching =
        check_quasi(history, asked, {.engine = "jit", .minimise = false, .jobs = 1});
    ASSERT_TRUE(guessing.ok() && searching.ok());
    ASSERT_EQ(guessing->check.verdict, searching->check.verdict)
        << to_string(relaxation) << ": " << to_text(history);
    ++(guessing->check.verdict == Verdict::holds ? held : violated);
    crossed += guessing->check.partitions[0].engine == "crossings";
    guessed += guessing->check.partitions[0].why_engine.starts_with("elements come");
  }
  EXPECT_EQ(draws.lacks(), "");
}

TEST(KQueues, LongHistoriesAreDecided) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const History history = relaxed_queue(seed, 20'000, 3);
    const auto report =
        check_quasi(history, {.sets = {{{"deq"}, 3}}}, {.timeout_seconds = 120, .jobs = 1});
    ASSERT_EQ(report->check.verdict, Verdict::holds) << seed << report->check.reason;
    const auto less =
        check_quasi(history, {.sets = {{{"deq"}, 1}}}, {.timeout_seconds = 120, .jobs = 1});
    ASSERT_EQ(less->check.verdict, Verdict::violation) << seed << less->check.reason;
    // What never left would have been free to leave, had any removal taken something else.
    const Counterexample& example = *less->check.counterexample;
    EXPECT_LT(example.operations.size(), 11'000u);
    EXPECT_NE(example.confirmed_by, "");
  }
}

// ---- strict is slot and causality, of drained queues.

// Values 0 .. n-1 go in and come out again, nearly in order.
History drained_queue(std::uint64_t seed) {
  Random random(seed);
  HistoryBuilder builder;
  builder.begin_object(Value::nil(), "queue");
  const int n = static_cast<int>(random.between(2, 4));
  std::vector<ProcessId> processes;
  for (int i = 0; i < 3; ++i) processes.push_back(builder.process(Value::integer(i)));
  std::vector<int> waiting, results(3, -1);
  std::vector<int> open(3, 0);  // 0: idle, 1: enq, 2: deq
  int added = 0, taken = 0;
  const auto pick_any = [&](std::vector<int>& from) {
    const std::size_t at = random.below(std::min<std::size_t>(from.size(), 3));
    const int v = from[at];
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(at));
    return v;
  };
  while (taken < n || std::count(open.begin(), open.end(), 0) < 3) {
    const std::size_t p = random.below(3);
    if (open[p] != 0) {
      (void)builder.returned(processes[p],
                             open[p] == 1 ? Value::nil() : Value::integer(results[p]));
      open[p] = 0;
    } else if (added < n && random.percent(60)) {
      waiting.push_back(added);
      (void)builder.call(processes[p], 0, builder.intern_call("enq", {Value::integer(added++)}));
      open[p] = 1;
    } else if (!waiting.empty() || (added < n && random.percent(5))) {
      // Now and then a value comes out before its enq is called: out of thin air.
      if (waiting.empty()) {
        results[p] = added++;
        (void)builder.call(processes[p], 0, builder.intern_call("deq", {}));
        (void)builder.returned(processes[p], Value::integer(results[p]));
        (void)builder.call(processes[p], 0,
                           builder.intern_call("enq", {Value::integer(results[p])}));
        open[p] = 1;
      } else {
        results[p] = pick_any(waiting);
        (void)builder.call(processes[p], 0, builder.intern_call("deq", {}));
        open[p] = 2;
      }
      ++taken;
    }
  }
  return *std::move(builder).finish();
}

// Some sequentialization in which no value leaves before it comes, and a permutation of its deqs.
bool slot_and_causal(const Problem& problem, std::uint32_t k, bool causal) {
  std::vector<OperationId> order;
  std::vector<bool> placed(problem.ops.size());
  const auto value = [&](OperationId op) {
    const BoundLabel& label = problem.labels[problem.ops[op].label];
    return label.args.empty() ? label.result : label.args[0];
  };
  const auto is_deq = [&](OperationId op) {
    return problem.labels[problem.ops[op].label].args.empty();
  };
  const auto is_quasi = [&] {
    std::vector<OperationId> deqs;
    for (const OperationId op : order)
      if (is_deq(op)) deqs.push_back(op);
    quasi::QuasiPermutations permutations(std::vector<std::uint32_t>(deqs.size(), k));
    while (permutations.next()) {
      std::vector<Value> inside;
      std::size_t next = 0;
      bool legal = true;
      for (const OperationId op : order) {
        if (!is_deq(op)) {
          inside.push_back(value(op));
          continue;
        }
        legal =
            legal && !inside.empty() && inside.front() == value(deqs[permutations.order()[next++]]);
        if (legal) inside.erase(inside.begin());
      }
      if (legal) return true;
    }
    return false;
  };
  const std::function<bool()> extend = [&] {
    if (order.size() == problem.ops.size()) return is_quasi();
    for (OperationId op = 0; op < problem.ops.size(); ++op) {
      bool may = !placed[op];
      for (OperationId other = 0; other < problem.ops.size() && may; ++other)
        if (!placed[other] && other != op)
          may = !problem.happens_before(other, op) &&
                !(causal && is_deq(op) && !is_deq(other) && value(op) == value(other));
      if (!may) continue;
      placed[op] = true;
      order.push_back(op);
      if (extend()) return true;
      order.pop_back();
      placed[op] = false;
    }
    return false;
  };
  return extend();
}

TEST(KAutomata, StrictIsSlotAndCausalityOfDrainedQueues) {
  const Specification& queue = *find_specification("queue");
  std::uint64_t held = 0, violated = 0, thin_air = 0;
  Draws draws(histories() / 5);
  draws.until("that hold", held).until("violations", violated);
  draws.until("out of thin air by plain slot", thin_air);
  for (const std::uint64_t i : draws) {
    const History history = drained_queue(seed_of(queue, i));
    const Problem problem = make_problem(history, queue);
    const auto k = static_cast<std::uint32_t>(i % 3);
    const Factors factors = quasi::bind({{{"deq"}, k}}, queue);
    const auto automaton = make_k_automaton(queue, Relaxation::strict, factors);
    Problem strict = problem;
    strict.specification = automaton.get();
    const bool holds = decide_verified("jit", strict).verdict == Verdict::holds;
    ASSERT_EQ(holds, slot_and_causal(problem, k, true)) << k << ": " << to_text(history);
    Budget budget;
    const bool slot =
        quasi::decide_joint(problem, Relaxation::slot, factors, budget).verdict == Verdict::holds;
    ASSERT_EQ(slot, slot_and_causal(problem, k, false)) << k << ": " << to_text(history);
    ++(holds ? held : violated);
    thin_air += slot && !holds;
  }
  EXPECT_EQ(draws.lacks(), "");
}

// ---- What tells two relaxations apart: docs/quasi.md has this table.

// A serial history of a queue, as text: "+" enqueues the next of 1, 2, ...; a number is what a deq
// returned, "." that it found nothing.
std::string as_history(const std::string& word) {
  std::string text;
  int next = 1;
  for (const char c : word) {
    text += text.empty() ? "A " : " | A ";
    if (c == '+') text += "enq(" + std::to_string(next++) + "): nil";
    else text += std::string("deq: ") + (c == '.' ? "nil" : std::string(1, c));
  }
  return text;
}

std::vector<std::string> words_of_length(std::size_t n) {
  std::vector<std::string> words = {""};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::string> longer;
    for (const std::string& word : words)
      for (const char c : std::string("+.12345").substr(0, n + 1)) longer.push_back(word + c);
    words = std::move(longer);
  }
  return words;
}

const std::vector<Relaxation> kRelaxations = {Relaxation::strict,   Relaxation::distance,
                                              Relaxation::lateness, Relaxation::slot,
                                              Relaxation::all,      Relaxation::def4};

// By pair: the first history, by length, that has the one and not the other; a line each. Serial
// ones suffice: of a history that overlaps, the sequentialization that explains it is as good.
std::string smallest_differences(const std::vector<QuasiSet>& sets,
                                 const std::vector<Relaxation>& relaxations) {
  const Specification& queue = *find_specification("queue");
  const Factors factors = quasi::bind(sets, queue);
  std::map<Relaxation, std::unique_ptr<Specification>> automata;
  for (const Relaxation r : relaxations)
    if (!quasi::permutes(r)) automata[r] = make_k_automaton(queue, r, factors);
  std::map<std::pair<Relaxation, Relaxation>, std::string> found;
  for (std::size_t n = 1; n <= 5; ++n)
    for (const std::string& word : words_of_length(n)) {
      const History history = parse_history(as_history(word), "queue");
      const Problem problem = make_problem(history, queue);
      std::map<Relaxation, bool> holds;
      for (const Relaxation r : relaxations) {
        Budget budget;
        if (quasi::permutes(r)) {
          holds[r] = quasi::decide_joint(problem, r, factors, budget).verdict == Verdict::holds;
          continue;
        }
        Problem relaxed = problem;
        relaxed.specification = automata[r].get();
        holds[r] = decide_jit(relaxed, budget).verdict == Verdict::holds;
      }
      for (const Relaxation a : relaxations)
        for (const Relaxation b : relaxations)
          if (holds[a] && !holds[b]) found.try_emplace({a, b}, word);
    }
  std::string table;
  for (const auto& [pair, word] : found)
    table += std::string(to_string(pair.first)) + " but not " +
             std::string(to_string(pair.second)) + ": " + word + "\n";
  return table;
}

// The words of docs/quasi.md. A pair that is not there is told apart by no history of five
// operations.
TEST(Relaxations, OfDeqByOneAreToldApartByTheHistoriesOfTheManualAndByNoSmallerOnes) {
  EXPECT_EQ(smallest_differences({{{"deq"}, 1}}, kRelaxations),
            "strict but not slot: ++2\n"
            "strict but not all: ++2\n"
            "strict but not def4: ++2\n"
            "distance but not strict: +++23\n"
            "distance but not lateness: +++23\n"
            "distance but not slot: ++2\n"
            "distance but not all: ++2\n"
            "distance but not def4: ++2\n"
            "lateness but not strict: +++3\n"
            "lateness but not distance: +++3\n"
            "lateness but not slot: ++2\n"
            "lateness but not all: ++2\n"
            "lateness but not def4: ++2\n"
            "slot but not strict: +.1\n"
            "slot but not distance: +.1\n"
            "slot but not lateness: +.1\n"
            "slot but not all: 1+.\n"
            "all but not strict: +.1\n"
            "all but not distance: +.1\n"
            "all but not lateness: +.1\n"
            "def4 but not strict: +.\n"
            "def4 but not distance: +.\n"
            "def4 but not lateness: +.\n"
            "def4 but not slot: +.\n"
            "def4 but not all: +.\n");
}

TEST(Relaxations, OfEnqAndOfDeqByOneAreToldApartByTheHistoriesOfTheManualAndByNoSmallerOnes) {
  EXPECT_EQ(smallest_differences({{{"enq"}, 1}, {{"deq"}, 1}},
                                 {Relaxation::slot, Relaxation::all, Relaxation::def4}),
            "slot but not all: +2+\n"
            "all but not slot: +.\n"
            "def4 but not slot: +.\n"
            "def4 but not all: ++.\n");
}

TEST(Relaxations, ByPermutationAreOneIfAllOperationsAreInOneSet) {
  EXPECT_EQ(smallest_differences({{{"enq", "deq"}, 1}},
                                 {Relaxation::slot, Relaxation::all, Relaxation::def4}),
            "");
}

// ---- Whole checks.

TEST(QuasiChecks, GiveTheLeastFactorOfEachSet) {
  const std::string late =
      "A enq(1): nil | A enq(2): nil | A enq(3): nil | A enq(4): nil | "
      "A deq: 4 | A deq: 1 | A deq: 2 | A deq: 3";
  const History history = parse_history(late, "queue");
  for (const Relaxation relaxation : {Relaxation::strict, Relaxation::slot}) {
    const auto report = check_quasi(
        history, {.sets = {{{"deq"}, {}}}, .relaxation = relaxation, .least_factors = true});
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->check.verdict, Verdict::holds);
    ASSERT_EQ(report->least.size(), 1u);
    EXPECT_EQ(report->least[0], 3);
  }
  const auto lateness = check_quasi(
      history,
      {.sets = {{{"deq"}, {}}}, .relaxation = Relaxation::lateness, .least_factors = true});
  EXPECT_EQ(lateness->least[0], 1);
  const auto none = check_quasi(parse_history("A deq: 1", "queue"),
                                {.sets = {{{"deq"}, {}}}, .least_factors = true});
  EXPECT_EQ(none->check.verdict, Verdict::violation);
  EXPECT_EQ(none->least[0], -1);
}

TEST(QuasiChecks, SayHowFarOutOfOrderAViolationIsAtBest) {
  const std::string four = "A enq(1): nil | A enq(2): nil | A enq(3): nil | A enq(4): nil";
  const History far = parse_history(four + " | B deq: 4", "queue");
  const auto report = check_quasi(far, {.sets = {{{"deq"}, 2}}});
  ASSERT_EQ(report->check.verdict, Verdict::violation);
  EXPECT_EQ(report->needed, 3);
  ASSERT_FALSE(report->distances.empty());
  EXPECT_EQ(report->distances[0].operation, 4u);
  EXPECT_EQ(report->distances[0].element, Value::integer(4));
  EXPECT_EQ(report->distances[0].ahead,
            (std::vector{Value::integer(1), Value::integer(2), Value::integer(3)}));

  const History late = parse_history(four + " | B deq: 2 | C deq: 3 | B deq: 4", "queue");
  const auto overtaken = check_quasi(late, {.sets = {{{"deq"}, 2}}});
  ASSERT_EQ(overtaken->check.verdict, Verdict::violation);
  EXPECT_EQ(overtaken->needed, 3);
  ASSERT_FALSE(overtaken->distances.empty());
  const auto& first = overtaken->distances.back();
  EXPECT_EQ(first.element, Value::integer(1));
  EXPECT_EQ(first.operation, kNone);
  EXPECT_EQ(first.overtaken_by, (std::vector<OperationId>{4, 5, 6}));
}

TEST(QuasiChecks, CounterexamplesAreViolationsByThemselvesAndMinimal) {
  const Specification& queue = *find_specification("queue");
  const RandomHistories random(queue);
  std::uint64_t violated = 0;
  Draws draws(histories() / 200);
  draws.until("violations", violated);
  for (const std::uint64_t i : draws) {
    const History history =
        random.make(seed_of(queue, i), {.most = 7, .plain = true, .methods = {"enq", "deq"}});
    bool dequeues = false;
    for (OperationId op = 0; op < history.size(); ++op)
      dequeues = dequeues || history.call_of(op).method == "deq";
    if (!dequeues) continue;
    for (const Relaxation relaxation : kRelaxations) {
      const std::string_view name = to_string(relaxation);
      const std::vector<QuasiSet> sets = {{{"deq"}, 1}};
      const auto report = check_quasi(history, {.sets = sets, .relaxation = relaxation});
      ASSERT_TRUE(report.ok()) << report.error().to_string() << to_text(history) << " from "
                               << history.objects[0].initial.value_or(Value::nil()).to_string();
      ASSERT_NE(report->check.verdict, Verdict::undecided) << report->check.reason;
      if (report->check.verdict == Verdict::holds) continue;
      ++violated;
      const Counterexample& example = *report->check.counterexample;
      EXPECT_FALSE(example.confirmed_by.empty());
      EXPECT_TRUE(example.minimal);
      if (!quasi::permutes(relaxation)) continue;
      const Problem problem = make_problem(history, queue);
      Budget budget;
      EXPECT_EQ(quasi::decide_roundup_literal(restrict(problem, example.operations), relaxation,
                                              quasi::bind(sets, queue), budget)
                    .verdict,
                Verdict::violation)
          << name << ": " << to_text(history);

      // What is said of distances is said of the counterexample, whatever the others did: the
      // factor that is needed explains it, and one less does not.
      ASSERT_TRUE(report->needed.has_value());
      std::vector<OperationId> others;
      for (OperationId op = 0; op < history.size(); ++op)
        if (!std::ranges::binary_search(example.operations, op)) others.push_back(op);
      const Problem weakened = restrict(problem, example.operations, others);
      const auto explains = [&](std::int64_t factor) {
        return quasi::decide_roundup_literal(weakened, relaxation,
                                             quasi::bind({{{"deq"}, factor}}, queue), budget)
                   .verdict == Verdict::holds;
      };
      if (*report->needed >= 0) { EXPECT_TRUE(explains(*report->needed)) << to_text(history); }
      const std::int64_t less = *report->needed < 0 ? 7 : *report->needed - 1;
      EXPECT_FALSE(explains(less)) << name << ": " << to_text(history);
      for (const auto& distance : report->distances) {
        EXPECT_TRUE(std::ranges::binary_search(example.operations, distance.operation));
        EXPECT_LE(distance.distance, *report->needed);
      }
    }
  }
  EXPECT_EQ(draws.lacks(), "");
}

// Without what is not shown, a deq might be wrong: so it has to be there when a second
// engine refutes what is shown.
TEST(QuasiChecks, WhatIsShownOfAViolationIsRefutedWithWhatIsNot) {
  const Specification& queue = *find_specification("queue");
  const auto loose =
      make_k_automaton(queue, Relaxation::strict, quasi::bind({{{"deq"}, 2}}, queue));
  const RandomHistories random(*loose);
  const std::vector<QuasiSet> sets = {{{"deq"}, 1}};
  const RandomOptions options = {.fewest = 10,
                                 .most = 12,
                                 .most_processes = 3,
                                 .distinct = true,
                                 .plain = true,
                                 .methods = {"enq", "deq"}};
  std::uint64_t hiding = 0;
  Draws draws(histories() / 2000);
  draws.until("violations that hide operations", hiding, 5);
  for (const std::uint64_t i : draws) {
    const History history = random.make(seed_of(queue, i), options);
    if (to_text(history).find("deq") == std::string::npos) continue;
    const Problem problem = make_problem(history, queue);
    for (const Relaxation relaxation : {Relaxation::slot, Relaxation::all, Relaxation::def4}) {
      const auto report =
          check_quasi(history, {.sets = sets, .relaxation = relaxation}, {.specification = &queue});
      ASSERT_TRUE(report.ok()) << report.error().to_string() << to_text(history);
      if (report->check.verdict == Verdict::holds) continue;
      ASSERT_EQ(report->check.verdict, Verdict::violation) << to_text(history);
      const Counterexample& example = *report->check.counterexample;
      EXPECT_EQ(example.confirmed_by, "pairs");
      EXPECT_TRUE(example.self_contained) << to_string(relaxation) << ": " << to_text(history);
      hiding += example.operations.size() < history.size();
      std::vector<Needed> needed(history.size(), Needed::nothing);
      for (const OperationId op : example.operations) needed[op] = Needed::outcome;
      for (const OperationId op : example.only_called) needed[op] = Needed::call;
      Budget budget;
      EXPECT_EQ(quasi::decide_joint(Forgetting(problem).problem(needed), relaxation,
                                    quasi::bind(sets, queue), budget)
                    .verdict,
                Verdict::violation)
          << to_string(relaxation) << ": " << to_text(history);
    }
  }
  EXPECT_EQ(draws.lacks(), "");
}

TEST(QuasiChecks, DecideObjectsOneByOneAndEqualHistoriesOnce) {
  const auto of = [](const std::string& object, const std::string& results) {
    std::string text;
    for (const char v : std::string("12")) text += "A " + object + ".enq(" + v + "): nil | ";
    for (const char v : results) text += "A " + object + ".deq: " + v + " | ";
    return text;
  };
  const auto check_all = [](std::string text, bool dedup) {
    text.erase(text.size() - 3);
    return check_quasi(parse_history(text, "queue"),
                       {.sets = {{{"deq"}, 1}}, .relaxation = Relaxation::slot, .dedup = dedup},
                       {.engine = "roundup-literal", .keep_going = true});
  };
  const std::string same = of("x", "21") + of("y", "12") + of("z", "21");
  for (const bool dedup : {false, true}) {
    const auto report = check_all(same, dedup);
    ASSERT_EQ(report->check.verdict, Verdict::holds);
    ASSERT_EQ(report->check.partitions.size(), 3u);
    EXPECT_EQ(report->displaced.size(), 3u);
    EXPECT_TRUE(report->check.partitions[1].why_engine.empty());
    EXPECT_EQ(report->check.partitions[2].why_engine.empty(), !dedup);
  }
  // One object that is a violation makes the whole one.
  const auto bad = check_all(of("x", "21") + of("y", "13") + of("z", "21"), true);
  EXPECT_EQ(bad->check.verdict, Verdict::violation);
  EXPECT_EQ(bad->check.partitions[0].verdict, Verdict::holds);
  EXPECT_EQ(bad->check.partitions[1].verdict, Verdict::violation);
}

TEST(QuasiChecks, RefuseQuestionsThatMakeNoSense) {
  const History history = parse_history("A enq(1): nil | A deq: 1", "queue");
  const auto wrong = [&](const QuasiOptions& options, const std::string& part, const History& of) {
    const auto report = check_quasi(of, options);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().kind, ErrorKind::usage);
    EXPECT_NE(report.error().to_string().find(part), std::string::npos)
        << report.error().to_string();
  };
  wrong({.sets = {{{"deq"}, -1}}}, "from 0 to 1,000,000", history);
  wrong({.sets = {{{"deq"}, 1'000'001}}}, "from 0 to 1,000,000", history);
  wrong({.sets = {{{"deq"}, {}}}}, "has no factor", history);
  wrong({.sets = {{{"peek"}, 1}}, .relaxation = Relaxation::slot}, "one of: deq or enq", history);
  wrong({.sets = {{{"frob"}, 1}}}, "one of: deq or enq", history);
  wrong({.sets = {{{"enq"}, 1}}}, "what takes elements out: deq", history);
  wrong({.sets = {{{"deq"}, 1}, {{"dequeue"}, 2}}}, "twice", history);
  const History reads = parse_history("A read: 0", "register");
  wrong({.sets = {{{"read"}, 1}}}, "it is for queue, blocking-queue", reads);
  EXPECT_TRUE(check_quasi(reads, {.sets = {{{"read"}, 1}}, .relaxation = Relaxation::slot}).ok());
  for (const Relaxation relaxation : kRelaxations)
    EXPECT_EQ(quasi::find_relaxation(to_string(relaxation)), relaxation);
  EXPECT_FALSE(quasi::find_relaxation("loose"));
}

}  // namespace
}  // namespace plumb::test
