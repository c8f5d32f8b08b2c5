// SPDX-License-Identifier: MIT
// Progress properties: known objects, and random ones against a search for lassos that knows
// nothing of components: every infinite run is a cycle, and a fair one is a cycle of the product
// with a counter that waits for one process after the other.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <set>

#include "how_many.hpp"
#include "looping_model.hpp"
#include "model/code/machine.hpp"
#include "refine/verify.hpp"
#include "support/file_contents.hpp"

namespace plumb::refine {
namespace {

using model::Cell;
using model::Point;
using model::StepKind;

struct Known {
  std::string model, property;
  Verdict verdict;
};
void PrintTo(const Known& known, std::ostream* out) {
  *out << known.model << " " << known.property;
}

class Progress : public ::testing::TestWithParam<Known> {};
TEST_P(Progress, OfKnownObjects) {
  const std::string text = file_contents(PLUMB_SOURCE_DIR "/models/" + GetParam().model + ".plumb");
  const model::Compiled compiled = model::compile(text);
  ASSERT_TRUE(compiled.program);
  const auto question = question_named(GetParam().property);
  ASSERT_TRUE(question);
  const auto report = verify(*compiled.program, text, {.question = question});
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  EXPECT_EQ(report->found.verdict, GetParam().verdict);
  EXPECT_EQ(report->why.empty(), GetParam().verdict == Verdict::holds);
  EXPECT_EQ(report->loop.empty() && report->waiting.empty(), GetParam().verdict == Verdict::holds);
}
constexpr Verdict kYes = Verdict::holds, kNo = Verdict::violation;
INSTANTIATE_TEST_SUITE_P(
    Models, Progress,
    ::testing::Values(
        Known{"counter", "deadlock-free", kYes}, Known{"counter", "lock-free", kYes},
        Known{"counter", "wait-free", kNo}, Known{"counter", "obstruction-free", kYes},
        Known{"counter", "returns:push", kNo}, Known{"register", "wait-free", kYes},
        Known{"register", "returns:read", kYes}, Known{"peterson", "deadlock-free", kYes},
        Known{"peterson", "lock-free", kNo}, Known{"peterson", "obstruction-free", kNo},
        Known{"peterson", "returns:lock", kYes}, Known{"lock_ticket", "deadlock-free", kYes},
        Known{"lock_ticket", "wait-free", kNo}, Known{"lock_ticket", "returns:lock", kYes},
        Known{"lock_forgotten", "deadlock-free", kNo},
        Known{"lock_forgotten", "returns:unlock", kYes}, Known{"queue_array", "returns:enq", kYes},
        Known{"queue_array", "returns:deq", kNo}, Known{"stack_treiber", "lock-free", kYes},
        Known{"stack_treiber", "deadlock-free", kYes}));

// All states and steps, in maps, and naive questions about them.
class Lassos {
 public:
  explicit Lassos(const model::Program& program) : program_(program), machine_(program) {
    number(machine_.initial());
    for (std::size_t s = 0; s < states_.size(); ++s) {
      edges_.emplace_back();
      for (std::uint32_t p = 0; p < program.processes(); ++p) {
        const std::vector<Cell> from = states_[s];
        machine_.successors(from.data(), p, [&](const model::Successor& next) {
          faulty_ = faulty_ || next.fault;
          if (next.fault) return;
          edges_[s].push_back({p, next.kind == StepKind::give_back,
                               number({next.state, next.state + program.cells()})});
        });
      }
    }
  }

  bool faulty() const { return faulty_; }
  bool holds(const ProgressProperty& property) const {
    for (std::uint32_t p = 0; p < program_.processes(); ++p)
      for (std::size_t s = 0; s < states_.size(); ++s) {
        const bool waits = pending(s, p) && !enabled(s, p);
        switch (property.kind) {
          case ProgressProperty::lock_free:
            if (waits || reaches_itself(s, [](const Edge& e) { return !e.returns; })) return false;
            break;
          case ProgressProperty::obstruction_free:
            if (waits ||
                reaches_itself(s, [&](const Edge& e) { return !e.returns && e.process == p; }))
              return false;
            break;
          case ProgressProperty::wait_free:
            if (waits) return false;
            for (const Edge& e : edges_[s])
              if (e.process == p && !e.returns && reachable(e.to, [&](const Edge& f) {
                                                    return !f.returns || f.process != p;
                                                  }).contains(s))
                return false;
            break;
          case ProgressProperty::deadlock_free:
            if (p == 0 && pending_any(s) &&
                fair_lasso(s, [](std::size_t, const Edge& e) { return !e.returns; }))
              return false;
            break;
          case ProgressProperty::returns: {
            const auto in_op = [&](std::size_t state) {
              return pending(state, p) &&
                     machine_.point(states_[state].data(), p).op == property.op;
            };
            if (in_op(s) && fair_lasso(s, [&](std::size_t, const Edge& e) { return in_op(e.to); }))
              return false;
            break;
          }
        }
      }
    return true;
  }

 private:
  struct Edge {
    std::uint32_t process;
    bool returns;
    std::size_t to;
  };

  std::size_t number(const std::vector<Cell>& state) {
    const auto [at, fresh] = numbers_.emplace(state, states_.size());
    if (fresh) states_.push_back(state);
    return at->second;
  }
  bool pending(std::size_t s, std::uint32_t p) const {
    return machine_.point(states_[s].data(), p).kind != Point::idle;
  }
  bool pending_any(std::size_t s) const {
    for (std::uint32_t p = 0; p < program_.processes(); ++p)
      if (pending(s, p)) return true;
    return false;
  }
  bool enabled(std::size_t s, std::uint32_t p) const {
    for (const Edge& e : edges_[s])
      if (e.process == p) return true;
    return false;
  }
  bool still(std::size_t s, std::uint32_t p) const {
    return !enabled(s, p) || (!pending(s, p) && states_[s][program_.block_of(p) + 1] == 0);
  }
  template <class Keep>
  std::set<std::size_t> reachable(std::size_t from, Keep keep) const {
    std::set<std::size_t> seen = {from};
    std::vector<std::size_t> open = {from};
    while (!open.empty()) {
      const std::size_t s = open.back();
      open.pop_back();
      for (const Edge& e : edges_[s])
        if (keep(e) && seen.insert(e.to).second) open.push_back(e.to);
    }
    return seen;
  }
  template <class Keep>
  bool reaches_itself(std::size_t from, Keep keep) const {
    for (const Edge& e : edges_[from])
      if (keep(e) && reachable(e.to, keep).contains(from)) return true;
    return false;
  }
  // A run that stays in the kept edges, begins and comes back to `from`, and on the way sees each
  // process take a step or be still: process after process, `turn` says whose.
  template <class Keep>
  bool fair_lasso(std::size_t from, Keep keep) const {
    const std::uint32_t n = program_.processes();
    const auto after = [&](std::uint32_t turn, std::size_t state, std::uint32_t stepped) {
      while (turn < n && (still(state, turn) || stepped == turn)) ++turn;
      return turn;
    };
    using Node = std::pair<std::size_t, std::uint32_t>;
    const Node start = {from, after(0, from, n)};
    if (start.second == n) return true;  // nobody has to do anything
    std::set<Node> seen = {start};
    std::vector<Node> open = {start};
    while (!open.empty()) {
      const auto [s, turn] = open.back();
      open.pop_back();
      for (const Edge& e : edges_[s]) {
        if (!keep(s, e)) continue;
        // A step may be the turn's, and in its end others may be still.
        std::uint32_t next = turn;
        for (std::uint32_t before = n + 1; before != next;) {
          before = next;
          next = after(next, e.to, e.process);
        }
        if (next == n && e.to == from) return true;
        if (seen.insert({e.to, next}).second) open.push_back({e.to, next});
      }
    }
    return false;
  }

  const model::Program& program_;
  model::Machine machine_;
  std::map<std::vector<Cell>, std::size_t> numbers_;
  std::vector<std::vector<Cell>> states_;
  std::vector<std::vector<Edge>> edges_;
  bool faulty_ = false;
};

TEST(ProgressOfRandomObjects, AgreesWithASearchForLassos) {
  const char* const names[] = {"deadlock-free",    "lock-free", "wait-free",
                               "obstruction-free", "returns:f", "returns:g"};
  const std::uint64_t count = how_many(300);
  std::map<std::string, std::uint64_t> held, refuted;
  Draws draws(count);
  for (const std::string name : names) {
    draws.until(name, held[name], count / 15 + 1);
    draws.until("not " + name, refuted[name], count / 15 + 1);
  }
  for (const std::uint64_t i : draws) {
    std::mt19937 random = source_of(i);
    const std::string text = looping_model(random);
    const model::Compiled compiled = model::compile(text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "random", text);
    const Lassos oracle(*compiled.program);
    ASSERT_FALSE(oracle.faulty());
    for (const char* name : names) {
      const auto property = ProgressProperty::of(*question_named(name), *compiled.program);
      ASSERT_TRUE(property);
      const auto report = verify(*compiled.program, text, {.question = question_named(name)});
      ASSERT_TRUE(report.ok()) << report.error().to_string() << "\n" << text;
      const bool expected = oracle.holds(*property);
      ASSERT_EQ(report->found.verdict, expected ? Verdict::holds : Verdict::violation)
          << "seed " << seed_of(i) << ", " << name << "\n"
          << text;
      ++(expected ? held : refuted)[name];
    }
  }
  EXPECT_EQ(draws.lacks(), "");
}

TEST(Lasso, IsRefusedIfItProvesNothing) {
  const std::string text =
      "object O { shared x : 0..2 = 0\n op f() { while x == 0 { } }  op g() { x = 1 } }\n"
      "spec { op f() { }  op g() { } }\nclients { 1 x f() ; 1 x g() }";
  const model::Compiled compiled = model::compile(text);
  ASSERT_TRUE(compiled.program);
  const model::Program& program = *compiled.program;
  const PlainStep f{0, 0}, g{1, 0};
  const ProgressProperty lock{ProgressProperty::lock_free}, wait{ProgressProperty::wait_free},
      alone{ProgressProperty::obstruction_free}, dead{ProgressProperty::deadlock_free},
      of_g{ProgressProperty::returns, 1};
  // f() spins while g() rests.
  for (const auto& property : {lock, wait, alone, dead})
    EXPECT_EQ(refute(program, property, {{f}, {f}, 0}), "");
  EXPECT_EQ(refute(program, lock, {{}, {}, 0}), "no operation is pending");
  EXPECT_EQ(refute(program, lock, {{f}, {}, 0}), "no process waits");
  EXPECT_EQ(refute(program, lock, {{f, g}, {f, g}, 0}), "the loop does not end where it began");
  EXPECT_EQ(refute(program, of_g, {{f}, {f}, 0}), "it is another operation");
  EXPECT_EQ(refute(program, dead, {{f, g}, {f}, 0}), "a process is left out");  // g() could go on
  EXPECT_EQ(refute(program, lock, {{{0, 9}}, {}, 0}), "a step is not possible");
  EXPECT_EQ(refute(program, wait, {{f, g}, {f}, 1}), "the process takes no step");
  // After g() the loop is left.
  EXPECT_EQ(refute(program, lock, {{f, g, g}, {f}, 0}), "the loop does not end where it began");
}

TEST(ProgressProperty, IsParsed) {
  const model::Compiled compiled =
      model::compile("object O { op f() { } }\nspec { op f() { } }\nclients { 1 x f() }");
  ASSERT_TRUE(compiled.program);
  const auto asked = parse_question({.property = "returns:f"}, *compiled.program);
  ASSERT_TRUE(asked.ok());
  EXPECT_TRUE(*asked == Question(Returns{"f"}));
  for (const char* wrong : {"", "returns:", "returns:g", "free", "returns", "points", "soar"})
    EXPECT_FALSE(parse_question({.property = wrong}, *compiled.program).ok()) << wrong;
  const auto other = verify(*compiled.program, "", {.question = Returns{"g"}});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().kind, ErrorKind::usage);
}

TEST(Question, HasOneName) {
  for (const Question& question :
       {Question(Criterion::points), Question(Criterion::soar_literal),
        Question(ProgressCondition::wait_free), Question(Returns{"f"}), Question(ExploreOnly{})}) {
    const auto again = question_named(question_name(question));
    ASSERT_TRUE(again) << question_name(question);
    EXPECT_TRUE(*again == question);
  }
  EXPECT_EQ(property_name(Criterion::clmt), "linearizable");
  EXPECT_EQ(property_name(Criterion::safe), "safe");
}

TEST(ProgressFault, IsAViolationWithItsTrace) {
  const std::string text =
      "object O { shared x : bit = 0\n op f() { x = 2 } }\nspec { op f() { } }\n"
      "clients { 1 x f() }";
  const model::Compiled compiled = model::compile(text);
  ASSERT_TRUE(compiled.program);
  const auto report = verify(*compiled.program, text, {.question = ProgressCondition::lock_free});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->found.kind, Found::fault);
  EXPECT_EQ(report->trace.size(), 2u);
}

}  // namespace
}  // namespace plumb::refine
