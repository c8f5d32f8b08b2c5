// SPDX-License-Identifier: MIT
// Counterexamples have the fewest operations, and then the fewest steps: against an oracle that
// tries all runs in this order, and asks the checker of recorded histories about each history.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "every_history.hpp"
#include "how_many.hpp"
#include "model/code/machine.hpp"
#include "model/code/sequential.hpp"
#include "model_files.hpp"
#include "plumb/check.hpp"
#include "random_models.hpp"
#include "refine/evidence/least.hpp"
#include "refine/verify.hpp"
#include "support/file_contents.hpp"
#include "switches.hpp"

namespace plumb::refine {
namespace {

struct RunCost {
  std::size_t operations = 0, steps = 0;
  auto operator<=>(const RunCost&) const = default;
};
std::ostream& operator<<(std::ostream& out, const RunCost& cost) {
  return out << cost.operations << " operations, " << cost.steps << " steps";
}

RunCost cost_of(const std::vector<TraceStep>& trace) {
  RunCost cost{0, trace.size()};
  for (const TraceStep& step : trace) cost.operations += step.kind == model::StepKind::call;
  return cost;
}

// All runs, the cheapest first; a run is its last state and its history.
class CheapestRun {
 public:
  explicit CheapestRun(const model::Program& program)
      : program_(program), specification_(make_specification(program)) {}

  /// Of the first violation; nothing: there is none, or it gave up.
  std::optional<RunCost> find(std::size_t most) {
    model::Machine machine(program_);
    open_[{}].insert({machine.initial(), {}});
    std::set<Run> seen;
    for (; !open_.empty(); open_.erase(open_.begin())) {
      const RunCost cost = open_.begin()->first;
      for (const Run& run : open_.begin()->second) {
        if (run.wrong) return cost;
        if (!seen.insert(run).second) continue;
        if (seen.size() > most) return {};
        if (!expand(machine, cost, run) && refuted(run, true)) return cost;
      }
    }
    return {};
  }

 private:
  struct Run {
    std::vector<model::Cell> state;
    std::vector<RunEvent> events;
    bool wrong = false;
    auto operator<=>(const Run&) const = default;
  };

  // Whether anybody could do anything.
  bool expand(model::Machine& machine, RunCost cost, const Run& run) {
    const std::uint64_t cuts = machine.cuts();
    bool any = false;
    ++cost.steps;
    for (std::uint32_t p = 0; p < program_.processes(); ++p) {
      const std::uint32_t op = machine.point(run.state.data(), p).op;
      machine.successors(run.state.data(), p, [&](const model::Successor& s) {
        any = true;
        Run next{{s.state, s.state + (s.fault ? 0 : program_.cells())}, run.events, !!s.fault};
        RunCost after = cost;
        if (s.kind == model::StepKind::call) {
          ++after.operations;
          next.events.push_back({true, p, s.call, 0});
        } else if (s.kind == model::StepKind::give_back) {
          next.events.push_back({false, p, op, s.result});
          next.wrong = refuted(next, false);
        }
        open_[after].insert(std::move(next));
      });
    }
    return any || machine.cuts() > cuts;
  }

  bool refuted(const Run& run, bool stuck) {
    bool pending = false;
    for (std::uint32_t p = 0; p < program_.processes() && stuck; ++p)
      pending = pending || run.state[program_.block_of(p)] != 0;
    if (stuck && !pending) return false;
    const auto known = verdicts_.find({run.events, stuck});
    if (known != verdicts_.end()) return known->second;
    CheckOptions options;
    options.specification = specification_.get();
    options.engine = "brute";
    options.partition = options.minimise = false;
    options.jobs = 1;
    const Result<CheckReport> report = check(history_of(program_, run.events, stuck), options);
    EXPECT_TRUE(report.ok() && report->verdict != Verdict::undecided);
    const bool wrong = report->verdict == Verdict::violation;
    verdicts_[{run.events, stuck}] = wrong;
    return wrong;
  }

  const model::Program& program_;
  std::unique_ptr<Specification> specification_;
  std::map<RunCost, std::set<Run>> open_;
  std::map<std::pair<std::vector<RunEvent>, bool>, bool> verdicts_;
};

// Whatever is switched off, so the others do not rely on each other.
void expect_least(const std::string& text, const model::Program& program, RunCost least) {
  for (const int mask : few_combinations()) {
    VerifyOptions options;
    options.reductions = switched(mask);
    const auto report = verify(program, text, options);
    ASSERT_TRUE(report.ok()) << report.error().to_string() << "\n" << text;
    ASSERT_EQ(report->found.verdict, Verdict::violation) << text;
    EXPECT_TRUE(report->found.fewest_operations && report->found.fewest_steps);
    EXPECT_EQ(cost_of(report->trace), least) << "reductions " << mask << "\n" << text;
  }
}

TEST(RandomLeast, CounterexamplesAreTheCheapestOfAllRuns) {
  const std::uint64_t count = how_many(200);
  std::uint64_t violations = 0, compared = 0;
  Draws draws(count);
  draws.until("compared", compared, count / 5);
  for (const std::uint64_t i : draws) {
    std::mt19937 random = source_of(i);
    const std::string text = random_model(random, i % 3 == 0);
    const model::Compiled compiled = model::compile(text);
    ASSERT_TRUE(compiled.program);
    const auto report = verify(*compiled.program, text, {});
    ASSERT_TRUE(report.ok());
    if (report->found.verdict != Verdict::violation) continue;
    ++violations;
    if (cost_of(report->trace).operations > 4) continue;
    const std::optional<RunCost> least = CheapestRun(*compiled.program).find(20'000);
    if (!least) continue;  // too many runs
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed_of(i)));
    expect_least(text, *compiled.program, *least);
  }
  EXPECT_EQ(draws.lacks(), "");
  EXPECT_GT(compared * 2, violations) << "most have too many runs";
}

TEST(Least, CounterexamplesOfTheWrongModelsAreTheSameUnderAllReductions) {
  int wrong = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PLUMB_SOURCE_DIR "/models")) {
    const std::string text = file_contents(entry.path());
    if (text.find("//! verify: violation") == std::string::npos) continue;
    SCOPED_TRACE(entry.path().string());
    const model::Compiled compiled = compile_file(entry.path());
    std::optional<RunCost> least;
    for (const int mask : {0, 1 << 2, 1 << 4, 1 << 5}) {
      const auto report = verify(*compiled.program, text, {.reductions = switched(mask)});
      ASSERT_TRUE(report.ok() && report->found.verdict == Verdict::violation);
      EXPECT_TRUE(report->found.fewest_operations && report->found.fewest_steps) << mask;
      if (!least) least = cost_of(report->trace);
      EXPECT_EQ(cost_of(report->trace), *least) << mask;
    }
    ++wrong;
  }
  EXPECT_GE(wrong, 12);
}

// Two processes that read before either writes lose an increment; who reads shows it.
TEST(Least, PrefersFewerOperationsToFewerSteps) {
  const std::string text =
      "object O { shared x : 0..3 = 0\n"
      "  op quick() { x = 1 }\n"
      "  op slow() { local a : 0..3 = x  a = x  a = x  a = x  a = x  return 1 }\n"
      "  op get() { return x } }\n"
      "spec { op quick() { }  op slow() { return 0 }  op get() { return 0 } }\n"
      "clients { 1 x any }";
  const model::Compiled compiled = model::compile(text);
  ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "text", text);
  // quick(), get(): two operations, six steps. slow(): one operation, seven steps.
  expect_least(text, *compiled.program, {1, 7});
  const auto first =
      verify(*compiled.program, text, {.reductions = {.partial_order = false}, .least = false});
  EXPECT_EQ(cost_of(first->trace), (RunCost{2, 6}));
}

// A fault is one whatever is asked, and nothing else is shown in its place.
TEST(Least, FaultsAreTheCheapestOfAllFaultsWhateverIsAsked) {
  struct Faulty {
    const char* text;
    RunCost least;
  };
  const Faulty all[] = {
      // get() alone returns 1 after one inc(), which is not linearizable; its fault takes two.
      {"object O { shared x : 0..2 = 0, B : bit[2]\n"
       "  op inc() { local a = x  x = min(a + 1, 2)  linearize }\n"
       "  op get() { local a = x  local b = B[a]  linearize  return a } }\n"
       "spec { op inc() { }  op get() { return 0 } }\nclients { 2 x any }",
       {3, 10}},
      {"object O { shared x : 0..2 = 0, y : bit\n  invariant x < 2\n"
       "  op quick() { local a = x  x = min(a + 1, 2)  linearize }\n"
       "  op slow() { local a = y  a = y  a = y  a = y  x = 2  linearize } }\n"
       "spec { op quick() { }  op slow() { } }\nclients { 2 x any }",
       {1, 6}},
      {"object O { shared x : bit\n  op quick() { x = 1  linearize }\n"
       "  op check() { assert x == 0  linearize }\n"
       "  op slow() { local a = x  a = x  a = x  a = x  assert false } }\n"
       "spec { op quick() { }  op check() { }  op slow() { } }\nclients { 2 x any }",
       {1, 5}},
      {"node N[3] { v : bit }\nobject O { shared p : *N\n"
       "  op put() { p = new N(v = 1)  linearize }\n  op clear() { p = null  linearize }\n"
       "  op get() { local a = p  if a != null { a = p  local v = a.v }  linearize } }\n"
       "spec { op put() { }  op clear() { }  op get() { } }\nclients { 2 x any at most 2 }",
       {3, 9}}};
  for (const auto& [text, least] : all) {
    const model::Compiled compiled = model::compile(text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "text", text);
    std::vector<VerifyOptions> questions(4);
    questions[0].question = ExploreOnly{};
    questions[1].question = Criterion::points;
    questions[2].question = ProgressCondition::lock_free;
    questions[3].question = ProgressCondition::deadlock_free;
    for (VerifyOptions& options : questions) {
      const auto report = verify(*compiled.program, text, options);
      ASSERT_TRUE(report.ok()) << report.error().to_string();
      EXPECT_EQ(report->found.verdict, Verdict::violation);
      // By its marks the first one is wrong in results as well, and earlier.
      if (report->marks) continue;
      EXPECT_EQ(report->found.kind, Found::fault) << text;
      EXPECT_EQ(cost_of(report->trace), least) << text;
    }
  }
}

TEST(Least, SaysWhatItDidNotFindOut) {
  const std::string text = file_contents(PLUMB_SOURCE_DIR "/models/queue_array_racy.plumb");
  const model::Compiled compiled = model::compile(text);
  Budget budget;
  const Found found = refine(*compiled.program, {}, budget);
  int nothing = 0, operations = 0;
  for (std::uint64_t most = 10;; most += most / 4) {
    Found least = found;
    find_least(*compiled.program, {}, true, budget, least, most);
    EXPECT_LE(least.trace.size(), found.trace.size());
    if (least.fewest_steps) {
      EXPECT_TRUE(least.fewest_operations);
      EXPECT_LT(least.trace.size(), found.trace.size());
      break;
    }
    ++(least.fewest_operations ? operations : nothing);
  }
  EXPECT_GT(nothing, 0);
  EXPECT_GT(operations, 0);
}

}  // namespace
}  // namespace plumb::refine
