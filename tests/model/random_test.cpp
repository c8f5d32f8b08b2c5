// SPDX-License-Identifier: MIT
// Random objects against an oracle that runs every interleaving of plain steps, and asks the
// checker of recorded histories about every history that can not go on, stuck or not; clients make
// a bounded number of calls and the code has no loops, so these are finitely many.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

#include "model/machine.hpp"
#include "model/sequential.hpp"
#include "plumb/check.hpp"
#include "random_models.hpp"
#include "refine/verify.hpp"
#include "switches.hpp"

namespace plumb::refine {
namespace {

// All interleavings, one history at a time.
class Oracle {
 public:
  explicit Oracle(const model::Program& program)
      : program_(program), specification_(make_specification(program)) {}

  bool linearizable() {
    visit(model::Machine(program_).initial());
    return linearizable_;
  }
  std::size_t histories() const { return histories_.size(); }

 private:
  struct Event {
    bool call;
    std::uint32_t process;
    model::CallNumber number;  // the call, or the operation that returns
    model::Cell result;
    auto operator<=>(const Event&) const = default;
  };

  void visit(const std::vector<model::Cell>& state) {
    if (!linearizable_ || !seen_.emplace(state, events_).second) return;
    bool any = false;
    model::Machine machine(program_);
    for (std::uint32_t p = 0; p < program_.processes(); ++p) {
      const std::uint32_t op = machine.point(state.data(), p).op;
      std::vector<std::pair<std::vector<model::Cell>, std::optional<Event>>> next;
      machine.successors(state.data(), p, [&](const model::Successor& s) {
        std::optional<Event> event;
        if (s.kind == model::StepKind::call) event = Event{true, p, s.call, 0};
        if (s.kind == model::StepKind::give_back) event = Event{false, p, op, s.result};
        next.emplace_back(std::vector<model::Cell>(s.state, s.state + program_.cells()), event);
      });
      for (const auto& [to, event] : next) {
        any = true;
        if (event) events_.push_back(*event);
        visit(to);
        if (event) events_.pop_back();
      }
    }
    if (!any && histories_.insert(events_).second) judge(state);
  }

  void judge(const std::vector<model::Cell>& state) {
    HistoryBuilder builder;
    builder.begin_object(Value::nil(), program_.object);
    std::vector<ProcessId> processes;
    for (std::uint32_t p = 0; p < program_.processes(); ++p)
      processes.push_back(builder.process(Value::integer(p)));
    for (const Event& e : events_) {
      Status done;
      if (e.call) {
        std::vector<Value> args;
        for (const model::Cell arg : program_.calls[e.number].args)
          args.push_back(Value::integer(arg));
        done =
            builder.call(processes[e.process], 0,
                         builder.intern_call(program_.ops[program_.calls[e.number].op].name, args));
      } else {
        done = builder.returned(processes[e.process], Value::integer(e.result));
      }
      ASSERT_TRUE(done.ok());
    }
    for (std::uint32_t p = 0; p < program_.processes(); ++p)
      if (state[program_.block_of(p)] != 0) {
        ASSERT_TRUE(builder.stuck().ok());
        break;
      }
    const Result<History> history = std::move(builder).finish();
    ASSERT_TRUE(history.ok());
    CheckOptions options;
    options.specification = specification_.get();
    options.engine = "brute";
    options.partition = false;
    options.minimise = false;
    options.jobs = 1;
    const Result<CheckReport> report = check(*history, options);
    ASSERT_TRUE(report.ok()) << report.error().to_string();
    ASSERT_NE(report->verdict, Verdict::undecided) << report->reason;
    linearizable_ = report->verdict == Verdict::holds;
  }

  const model::Program& program_;
  std::unique_ptr<Specification> specification_;
  std::vector<Event> events_;
  std::set<std::pair<std::vector<model::Cell>, std::vector<Event>>> seen_;
  std::set<std::vector<Event>> histories_;
  bool linearizable_ = true;
};

TEST(Random, TheProductAgreesWithCheckingEveryHistory) {
  const char* asked = std::getenv("PLUMB_MODELS_N");
  const int count = asked ? std::atoi(asked) : 200;
  int holds = 0, stuck = 0;
  for (int seed = 0; seed < count; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    const std::string text = random_model(random);
    const model::Compiled compiled = model::compile(text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "random", text);
    const bool expected = Oracle(*compiled.program).linearizable();
    holds += expected;
    for (const int mask : combinations()) {
      VerifyOptions options;
      options.reductions = switched(mask);
      const auto report = verify(*compiled.program, text, options);
      ASSERT_TRUE(report.ok()) << report.error().to_string() << "\n" << text;
      ASSERT_EQ(report->found.verdict, expected ? Verdict::holds : Verdict::violation)
          << "seed " << seed << ", reductions " << mask << "\n"
          << text;
      stuck += mask == 0 && report->found.kind == Found::stuck;
    }
  }
  EXPECT_GT(holds, count / 10);
  EXPECT_LT(holds, count);
  // Rare; a short run is for mistakes in memory.
  if (count >= 200) { EXPECT_GT(stuck, 0); }
}

// No oracle here: the histories are infinitely many. But the reductions must agree, and verify()
// confirms every violation by itself.
TEST(Random, AllReductionsAgreeOnLoopingClients) {
  const char* asked = std::getenv("PLUMB_MODELS_N");
  const unsigned count = asked ? std::min(static_cast<unsigned>(std::atoi(asked)), 100u) : 100;
  unsigned holds = 0, violations = 0;
  for (unsigned seed = 0; seed < count; ++seed) {
    std::mt19937 random(seed);
    const std::string text = random_model(random, true);
    const model::Compiled compiled = model::compile(text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "random", text);
    std::optional<Verdict> first;
    for (const int mask : combinations()) {
      VerifyOptions options;
      options.reductions = switched(mask);
      options.timeout_seconds = mask == 0 ? 60 : 0.05;
      const auto report = verify(*compiled.program, text, options);
      ASSERT_TRUE(report.ok()) << report.error().to_string() << "\n" << text;
      const Verdict verdict = report->found.verdict;
      if (!first) first = verdict;
      if (verdict != Verdict::undecided) {
        ASSERT_EQ(verdict, *first) << "seed " << seed << ", reductions " << mask << "\n" << text;
      }
    }
    holds += *first == Verdict::holds;
    violations += *first == Verdict::violation;
  }
  EXPECT_EQ(holds + violations, count);
  EXPECT_GT(holds * 20, count);
  EXPECT_GT(violations * 20, count);
}

}  // namespace
}  // namespace plumb::refine
