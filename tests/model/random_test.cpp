// SPDX-License-Identifier: MIT
// Random small objects. The specification of each is its own code, run without interruption, so
// what is decided is whether interruptions can be seen. The oracle runs every interleaving of plain
// steps, and asks the checker of recorded histories about every history that can not go on, stuck
// or not; clients make a bounded number of calls and the code has no loops, so these are finitely
// many.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

#include "model/machine.hpp"
#include "model/sequential.hpp"
#include "plumb/check.hpp"
#include "refine/verify.hpp"

namespace plumb::refine {
namespace {

struct Line {
  const char *object, *spec;
};
constexpr Line kLines[] = {
    {"a = x", "a = x"},
    {"a = x", "a = x"},
    {"x = a", "x = a"},
    {"x = v", "x = v"},
    {"y = v", "y = v"},
    {"b = y", "b = y"},
    {"x = (a + 1) % 3", "x = (a + 1) % 3"},
    {"if y == 1 { a = 2 }", "if y == 1 { a = 2 }"},
    {"if a == 1 { y = 1 } else { x = 1 }", "if a == 1 { y = 1 } else { x = 1 }"},
    {"CAS(x, a, 1)", "if x == a { x = 1 }"},
    {"if CAS(x, a, v) { b = 1 }", "if x == a { x = v  b = 1 }"},
    {"a = SWAP(x, v)", "a = x  x = v"},
    {"atomic { a = x  x = (a + 1) % 3 }", "a = x  x = (a + 1) % 3"},
    {"a = choose(0..1)", "a = choose(0..1)"},
    {"await x != 1", "await x != 1"},
    {"b = self % 2  b = 0", "b = 0"},
    {"p = new N(val = a)", "t = a + 1  u = 0"},
    {"p = null", "t = 0"},
    {"if true { local q = p  if q != null { a = q.val } }", "if t != 0 { a = t - 1 }"},
    {"if true { local q = p  if q != null { q.val = v } }", "if t != 0 { t = v + 1 }"},
    {"if true { local q = p  CAS(p, q, new N(val = v, next = q)) }", "t = v + 1  u = 0"},
    {"if true { local l = LL(x)  if SC(x, v) { b = 1 } }", "x = v  b = 1"},
    {"if DCAS(x, y, a, b, v, 1) { b = 1 }", "if x == a && y == b { x = v  y = 1  b = 1 }"},
    {"w.one = x  w.two = true  a = w.one", "a = x"},
    {"h = p  if h != null { a = h.val }  h = null", "if t != 0 { a = t - 1 }"},
    {"a = doubled(x)", "a = x * 2 % 3"},
    {"z = Pair(one = a, two = true)", "z = Pair(one = a, two = true)"},
    {"if z.two { b = 1 }", "if z.two { b = 1 }"},
    {"z.one = v", "z.one = v"},
    {"if true { local q = p  if q != null { q.pair.one = v } }", "if t != 0 { u = v }"},
    {"if true { local q = p  if q != null { a = q.pair.one } }", "if t != 0 { a = u }"},
};

std::string random_model(std::mt19937& random, bool looping = false) {
  const auto pick = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  std::string object, spec;
  const char* results[] = {"a", "b", "v"};
  for (const std::string op : {"f", "g"}) {
    std::string code, sequential;
    for (std::size_t i = 0, n = 1 + pick(3); i < n; ++i) {
      const Line& line = kLines[pick(std::size(kLines))];
      code += fmt::format("    {}\n", line.object);
      sequential += fmt::format("    {}\n", line.spec);
    }
    const char* result = results[pick(3)];
    const std::string frame =
        "    local a : 0..2 = 0\n    local b : 0..1 = 0\n{}    return {}\n  }}\n";
    object +=
        fmt::format("  op {}(v : 0..1) {{\n", op) + fmt::format(fmt::runtime(frame), code, result);
    spec +=
        fmt::format("  op {}(v) {{\n", op) + fmt::format(fmt::runtime(frame), sequential, result);
  }
  const char* clients[] = {"2 x any at most 1", "3 x any at most 1",
                           "1 x f(any) at most 2; 1 x any at most 1",
                           "2 x { f(1) ; g(0) } at most 2", "2 x f(any) at most 2"};
  // For ever, a chain would grow without bound.
  for (std::size_t at = object.find(", next = q"); looping && at != std::string::npos;
       at = object.find(", next = q"))
    object.erase(at, 10);
  const bool calls = object.find("doubled") != std::string::npos;
  return fmt::format(
      "record Pair {{ one : 0..2, two : bool }}\nnode N[12] {{ val : 0..2, pair : Pair, next : *N "
      "}}\n"
      "object O {{\n  shared x : 0..2 = 0, y : bit = 0, z : Pair, p : *N\n  private w : "
      "Pair, h : *N\n{}{}}}\n"
      "spec {{\n  state x : 0..2 = 0, y : bit = 0, z : Pair, t : 0..3 = 0, u : 0..2 = "
      "0\n{}}}\nclients {{ {} "
      "}}\n",
      calls ? "  proc doubled(n : 0..2) { return n * 2 % 3 }\n" : "", object, spec,
      looping ? "2 x any" : clients[pick(5)]);
}

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
    for (int mask = 0; mask < 8; ++mask) {
      VerifyOptions options;
      options.reductions = {.glue = !(mask & 1), .symmetry = !(mask & 2), .antichain = !(mask & 4)};
      const auto report = verify(*compiled.program, text, options);
      ASSERT_TRUE(report.ok()) << report.error().to_string() << "\n" << text;
      ASSERT_EQ(report->found.verdict, expected ? Verdict::holds : Verdict::violation)
          << "seed " << seed << ", reductions " << mask << "\n"
          << text;
      stuck += mask == 0 && report->found.kind == Found::stuck;
    }
  }
  EXPECT_GT(holds, count / 10);
  EXPECT_LT(holds, count * 9 / 10);
  EXPECT_GT(stuck, 0);
}

// No oracle here: the histories are infinitely many. But the reductions must agree, and verify()
// confirms every violation by itself.
TEST(Random, AllReductionsAgreeOnLoopingClients) {
  int holds = 0, violations = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const std::string text = random_model(random, true);
    const model::Compiled compiled = model::compile(text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "random", text);
    std::optional<Verdict> first;
    for (int mask = 0; mask < 8; ++mask) {
      VerifyOptions options;
      options.reductions = {.glue = !(mask & 1), .symmetry = !(mask & 2), .antichain = !(mask & 4)};
      options.timeout_seconds = mask == 0 ? 60 : 0.2;
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
  EXPECT_EQ(holds + violations, 100);
  EXPECT_GT(holds, 5);
  EXPECT_GT(violations, 5);
}

}  // namespace
}  // namespace plumb::refine
