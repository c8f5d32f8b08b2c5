// SPDX-License-Identifier: MIT
// Stuck histories, faults, nondeterministic specifications and limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "refine/replay.hpp"
#include "refine/search/cartesian.hpp"
#include "refine/verify.hpp"
#include "switches.hpp"

namespace plumb::refine {
namespace {

using ::testing::HasSubstr;

struct Decided {
  std::unique_ptr<model::Program> program;
  std::optional<Result<VerifyReport>> report;
  VerifyReport& operator*() { return **report; }
};

Decided decide(const std::string& text, const VerifyOptions& options = {}) {
  Decided d;
  model::Compiled compiled = model::compile(text);
  EXPECT_TRUE(compiled.program) << to_string(compiled.diagnostic, "text", text);
  d.program = std::make_unique<model::Program>(std::move(*compiled.program));
  d.report = verify(*d.program, text, options);
  return d;
}

std::string lock(const std::string& clients) {
  return "object Lock { shared taken : bit = 0\n"
         "  op lock() { atomic { await taken == 0; taken = 1 } }\n"
         "  op unlock() { taken = 0 } }\n"
         "spec { state held = false\n"
         "  op lock() { await !held; held = true }  op unlock() { held = false } }\n"
         "clients { " +
         clients + " }";
}

TEST(Stuck, WaitingIsRightWhereTheSpecificationBlocks) {
  // The second lock() waits forever, and should.
  for (const std::string clients :
       {"2 x lock()", "3 x lock() at most 1", "2 x { lock(); unlock() }"})
    for (const bool glue : {true, false})
      EXPECT_EQ(
          (*decide(lock(clients), {.reductions = {.eager_returns = glue, .late_calls = glue}}))
              .found.verdict,
          Verdict::holds)
          << clients;
}

TEST(Stuck, WaitingIsWrongWhereItDoesNot) {
  const std::string text =
      "object O { shared x : bit = 0  op f() { await x == 1 } }\n"
      "spec { op f() { } }\nclients { 2 x f() }";
  for (const bool glue : {true, false}) {
    Decided d = decide(text, {.reductions = {.eager_returns = glue, .late_calls = glue}});
    EXPECT_EQ((*d).found.kind, Found::stuck);
    EXPECT_TRUE((*d).history->stuck);
    EXPECT_NE((*d).counterexample->culprit, kNone);
  }
}

TEST(Fault, InTheObjectIsAViolationWithATrace) {
  const std::string head = "object O { shared a : bit[2] = 0\n  op f() {\n";
  const std::string tail = "\n} }\nspec { op f() { } }\nclients { 2 x f() }";
  const std::pair<std::string, std::string> cases[] = {
      {"local i = 2\na[i] = 1", "line 4: index 2 is not in 0..1"},
      {"a[0] = 0 - 1", "line 3: -1 is not in 0..1"},
      {"local i = a[0]\nassert i == 1", "line 4: an assertion fails"},
      {"local i = a[0]\nlocal j = 1 / i", "line 4: division by zero"},
      {"while true { }", "loops forever"}};
  for (const auto& [body, message] : cases) {
    Decided d = decide(head + body + tail);
    ASSERT_TRUE(d.report->ok());
    EXPECT_EQ((*d).found.kind, Found::fault);
    EXPECT_THAT((*d).reason, HasSubstr(message));
    EXPECT_FALSE((*d).trace.empty());
  }
}

TEST(Fault, InTheSpecificationIsAnErrorOfTheModel) {
  const Decided d = decide(
      "object O { op f() { } }\nspec { state s : 0..2 = 0 op f() { s = s + 1 } }\n"
      "clients { 1 x f() }");
  ASSERT_FALSE(d.report->ok());
  EXPECT_EQ(d.report->error().kind, ErrorKind::bad_input);
  EXPECT_EQ(d.report->error().line, 2u);
}

TEST(Nondeterminism, OfTheSpecificationAllowsEverythingThatItMayDo) {
  const auto text = [](const std::string& range) {
    return "object O { shared x : 0..2 = 0\n op f() { x = choose(0..2) }  op g() { return x } }\n"
           "spec { state s = 0 op f() { s = choose(" +
           range +
           ") } op g() { return s } }\n"
           "clients { 2 x any }";
  };
  EXPECT_EQ((*decide(text("0..2"))).found.verdict, Verdict::holds);
  EXPECT_EQ((*decide(text("0..1"))).found.verdict, Verdict::violation);
}

TEST(Limits, LeaveItUndecidedWithWhatWasCovered) {
  const std::string text =
      "object O { shared x : 0..100000 = 0\n op f() { local v : 0..100000 = x\n"
      "   CAS(x, v, (v + 1) % 100001) } }\n"
      "spec { op f() { } }\nclients { 4 x any }";
  for (double seconds = 0.05;; seconds *= 2) {
    Decided d = decide(text, {.timeout_seconds = seconds});
    EXPECT_EQ((*d).found.verdict, Verdict::undecided);
    EXPECT_EQ((*d).reason, "time-out");
    if ((*d).found.states > 1 && (*d).found.waiting > 0) break;
    ASSERT_LT(seconds, 100);  // only a very busy machine has nothing to show for the first times
  }
}

TEST(Steps, LocalComputationIsFoldedAndDeadLocalsAreCleared) {
  // idle, before the read, before the write (v is dead from there on unless it is written), return
  const std::string text =
      "object O { shared x : 0..3 = 0\n op f(v : 0..3) { local a : 0..3 = v\n a = a * 0\n x = a } "
      "}\n"
      "spec { op f(v) { } }\nclients { 1 x any }";
  EXPECT_EQ((*decide(text, {.question = ExploreOnly{}})).found.states, 3u);
}

TEST(Steps, AVariableMayHaveOneValueOnly) {
  const std::string text =
      "object O { shared x : 3..3, y : bit\n op f() { y = 1 }\n"
      " op g() { return x } }\nspec { op f() { } op g() { return 3 } }\nclients { 2 x any }";
  EXPECT_EQ((*decide(text)).found.verdict, Verdict::holds);
}

TEST(Counterexamples, AreShortest) {
  Decided d = decide(
      "object O { shared x : 0..3 = 0\n op f() { return x }  op g() { x = 1 } }\n"
      "spec { op f() { return 0 }  op g() { } }\nclients { 1 x any }",
      {.reductions = switched(-1)});
  EXPECT_EQ((*d).trace.size(), 6u);
  EXPECT_EQ((*d).history->size(), 2u);
}

TEST(Counterexamples, ThatAreNotConfirmedAreNoViolation) {
  Decided d =
      decide("object O { op f() { return 1 } }\nspec { op f() { return 0 } }\nclients { 1 x f() }");
  ASSERT_EQ((*d).found.verdict, Verdict::violation);
  EXPECT_EQ((*d).found.stopped, StopReason::none);
  const std::atomic<bool> at_once{true};
  ASSERT_TRUE(confirm({.interrupt = &at_once}, *d).ok());
  EXPECT_EQ((*d).found.verdict, Verdict::undecided);
  EXPECT_EQ((*d).found.stopped, StopReason::not_confirmed);
}

// Sections 4.1 to 4.4 of the paper: two processes, one push each, size 2.
std::string running_example() {
  return "const SIZE = 2\n"
         "object Counter { shared H : 0..SIZE = 0\n"
         "  op push() {\n"
         "    local ss : 0..SIZE = 0\n"
         "    repeat { ss = H } until CAS(H, ss, ss + 1)\n"
         "    return ss + 1 } }\n"
         "spec { state S = 0\n  op push() { S = S + 1  return S } }\n"
         "clients { 2 x push() at most 1 }";
}

TEST(RunningExample, PartialOrderReductionSaves13States) {
  Reductions all_off = switched(-1), partial_order = all_off;
  partial_order.partial_order = true;
  Decided plain = decide(running_example(), {.reductions = all_off});
  Decided reduced = decide(running_example(), {.reductions = partial_order});
  EXPECT_EQ((*plain).found.verdict, Verdict::holds);
  EXPECT_EQ((*reduced).found.verdict, Verdict::holds);
  EXPECT_EQ((*plain).found.states, 32u);
  EXPECT_EQ((*reduced).found.states, 32u - 13u);
}

TEST(RunningExample, PartialOrderReductionSaves9Transitions) {
  const model::Compiled compiled = model::compile(running_example());
  const model::Program& program = *compiled.program;
  Sets sets(program, true);
  Monitor monitor(sets);
  Moves paths(program, switched(-1), &monitor, true),
      single(program, switched(-1), &monitor, false);
  Cartesian cartesian(program, paths);
  MoveList ends, steps;
  ends.width = steps.width = program.layout.words;

  using Pair = std::pair<std::vector<std::uint64_t>, SetId>;
  std::vector<std::uint64_t> words(program.layout.words);
  const model::Machine machine(program);
  machine.pack(machine.initial().data(), words.data());
  std::vector<Pair> open = {{words, monitor.initial()}};
  std::set<Pair> seen(open.begin(), open.end());
  std::set<std::tuple<Pair, std::uint32_t, std::uint32_t>>
      transitions;  // that the paths consist of
  while (!open.empty()) {
    const Pair from = open.back();
    open.pop_back();
    cartesian.expand(from.first.data(), from.second, ends);
    for (std::size_t m = 0; m < ends.list.size(); ++m) {
      Pair at = from;
      for (const PlainStep& step : ends.path(m)) {
        transitions.emplace(at, step.process, step.ordinal);
        steps.clear();
        single.add_moves(at.first.data(), at.second, step.process, steps);
        const std::uint64_t* to = steps.words(step.ordinal);
        at = {std::vector<std::uint64_t>(to, to + words.size()), steps.list[step.ordinal].set};
      }
      if (seen.insert(at).second) open.push_back(at);
    }
  }
  EXPECT_EQ(seen.size(), 19u);
  EXPECT_EQ(transitions.size(), 50u - 9u);
}

// The steps of f and g have no variable in common, but the invariant sees both.
TEST(Invariants, AreLookedAtWhateverTheReductions) {
  const std::string text =
      "object O { shared x : bit = 0, y : bit = 0\ninvariant x == 0 || y == 0\n"
      "op f() { x = 1  x = 0 } op g() { y = 1  y = 0 } }\n"
      "spec { op f() { } op g() { } }\nclients { 1 x f() ; 1 x g() }";
  const model::Compiled compiled = model::compile(text);
  ASSERT_TRUE(compiled.program);
  for (const int mask : combinations()) {
    const auto report = verify(*compiled.program, text, {.reductions = switched(mask)});
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->found.kind, Found::fault) << mask;
    EXPECT_EQ(report->reason, "line 2: the invariant does not hold") << mask;
  }
}

}  // namespace
}  // namespace plumb::refine
