// SPDX-License-Identifier: MIT
// What never happens in a model is said, whatever the reductions; and nothing that happens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "how_many.hpp"
#include "looping_model.hpp"
#include "refine/verify.hpp"
#include "switches.hpp"

namespace plumb::refine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> warnings_of(const std::string& text, const Reductions& reductions = {}) {
  const model::Compiled compiled = model::compile(text);
  if (!compiled.program) return {"does not compile"};
  const auto report = verify(*compiled.program, text, {.reductions = reductions});
  if (!report.ok() || report->found.verdict != Verdict::holds) return {"does not hold"};
  std::vector<std::string> all;
  for (const Warning& w : report->warnings)
    all.push_back(
        fmt::format("{}:{} {}: {}", w.place.line, w.place.column, to_string(w.kind), w.what));
  return all;
}

std::string model(const std::string& body, const std::string& clients = "2 x any") {
  return "object O { shared x : 0..3 = 0, y : bit = 0\n op f() {\n" + body +
         "\n return 0 }\n op g() { y = 1 } }\n"
         "spec { op f() { return choose(0..3) }  op g() { } }\nclients { " +
         clients + " }";
}

TEST(Vacuity, SaysNothingOfAModelInWhichEverythingHappens) {
  EXPECT_THAT(warnings_of(model("if y == 1 { x = 1 } else { x = 2 }")), IsEmpty());
}

TEST(Vacuity, FindsWhatIsNeverReached) {
  // Only the first statement of what is not reached.
  EXPECT_THAT(warnings_of(model("if x == 1 { local a = 1\n if a == 1 { y = 1 }\n y = 0 }")),
              ElementsAre("3:13 never reached: local a = 1"));
  EXPECT_THAT(warnings_of(model("if y == 2 { y = 1 } else { x = 1 }\nreturn 1\nx = 2")),
              ElementsAre("3:13 never reached: y = 1", "5:1 never reached: x = 2"));
}

TEST(Vacuity, FindsCompareAndSwapsWithOneOutcome) {
  EXPECT_THAT(warnings_of(model("CAS(y, 0, 1)", "1 x f() at most 1 ; 0 x g()")),
              ElementsAre("3:1 never fails: CAS(y, 0, 1)", "5:5 never called: g()"));
  EXPECT_THAT(warnings_of(model("if CAS(x, 1, 2) { return 1 }")),
              ElementsAre("3:4 always fails: CAS(x, 1, 2)", "3:19 never reached: return 1"));
  EXPECT_THAT(warnings_of(model("repeat { local a : 0..3 = x } until CAS(x, a, a)")),
              ElementsAre("3:37 never fails: CAS(x, a, a)"));
}

// Procedures are compiled where they are called, init only once, and before anything is marked.
TEST(Vacuity, OfProceduresInitAndRequires) {
  const std::string text =
      "object O { shared x : 0..3\nprivate mine : bit\ninit { if x == 0 { CAS(x, 0, 1) } }\n"
      "proc set(n : 0..3) { if n == 2 {\n x = n }\n if n == 3 {\n x = n } }\n"
      "op f() { set(1) set(2) }\nop g() requires mine == 1 { x = 0 }\nop h() { mine = 0 } }\n"
      "spec { op f() { } op g() { } op h() { } }\nclients { 2 x any }";
  EXPECT_THAT(warnings_of(text), ElementsAre("7:2 never reached: x = n", "9:4 never called: g()"));
}

TEST(Vacuity, FindsWhatWaitsForEver) {
  // g() runs forever, so no operation is stuck.
  EXPECT_THAT(warnings_of(model("await x == 1\nx = 2", "1 x f() ; 1 x g()")),
              ElementsAre("2:5 never returns: f()", "3:1 always waits: await x == 1"));
  EXPECT_THAT(warnings_of(model("repeat { x = 1 }", "1 x any")),
              ElementsAre("2:5 never returns: f()", "4:2 never reached: return 0"));
}

TEST(Vacuity, IsTheSameUnderAllReductions) {
  const std::uint64_t count = how_many(400);
  std::uint64_t held = 0, different = 0;
  std::set<Warning::Kind> kinds;
  Draws draws(count);
  draws.until("runs that hold", held, count * combinations().size() / 20 + 1);
  draws.until("kinds of warnings", different, count < 400 ? 3 : 5);
  for (const std::uint64_t i : draws) {
    std::mt19937 random = source_of(i);
    const std::string text = looping_model(random);
    const model::Compiled compiled = model::compile(text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "random", text);
    const model::Program& program = *compiled.program;
    // The oracle: every state by plain steps.
    model::Machine machine(program);
    std::set<std::vector<model::Cell>> seen = {machine.initial()};
    std::vector<std::vector<model::Cell>> open = {machine.initial()};
    while (!open.empty()) {
      const std::vector<model::Cell> state = std::move(open.back());
      open.pop_back();
      for (std::uint32_t p = 0; p < program.processes(); ++p)
        machine.successors(state.data(), p, [&](const model::Successor& s) {
          if (s.fault) return;
          std::vector<model::Cell> next(s.state, s.state + program.cells());
          if (seen.insert(next).second) open.push_back(std::move(next));
        });
    }
    const auto expected = vacuity(program, machine.coverage(), model::Quotes(text));
    for (const int mask : combinations()) {
      const auto report = verify(program, text, {.reductions = switched(mask)});
      ASSERT_TRUE(report.ok()) << report.error().to_string() << "\n" << text;
      if (report->found.verdict != Verdict::holds) continue;
      ++held;
      for (const Warning& w : report->warnings) kinds.insert(w.kind);
      different = kinds.size();
      ASSERT_EQ(report->warnings, expected)
          << "seed " << seed_of(i) << ", reductions " << mask << "\n"
          << text;
    }
  }
  EXPECT_EQ(draws.lacks(), "");
}

}  // namespace
}  // namespace plumb::refine
