// SPDX-License-Identifier: MIT
// Nodes: what faults, what is cut, and that the numbers of nodes mean nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "model/code/machine.hpp"
#include "refine/verify.hpp"
#include "support/file_contents.hpp"

namespace plumb::refine {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using State = std::vector<model::Cell>;

// All reachable states; without canonical names, brought into the canonical form afterwards.
std::set<State> reachable(const model::Program& program, model::NodeNames names) {
  model::Machine machine(program, names);
  std::set<State> seen = {machine.initial()};
  std::vector<State> open = {machine.initial()};
  while (!open.empty()) {
    const State state = std::move(open.back());
    open.pop_back();
    for (std::uint32_t p = 0; p < program.processes(); ++p)
      machine.successors(state.data(), p, [&](const model::Successor& s) {
        if (s.fault) return;
        State next(s.state, s.state + program.cells());
        if (seen.insert(next).second) open.push_back(std::move(next));
      });
  }
  if (names == model::NodeNames::canonical) return seen;
  std::set<State> canonical;
  model::Heap heap(program);
  for (State state : seen) {
    heap.renumber(state.data());
    canonical.insert(std::move(state));
  }
  return canonical;
}

// The least state among all renamings of processes: slow, and plainly right.
State least(const model::Program& program, const State& state) {
  std::vector<std::uint32_t> order(program.processes());
  std::iota(order.begin(), order.end(), 0u);
  model::Heap heap(program);
  std::optional<State> best;
  do {
    State renamed = state;
    for (std::uint32_t p = 0; p < program.processes(); ++p)
      std::copy_n(state.begin() + program.block_of(order[p]), program.block(),
                  renamed.begin() + program.block_of(p));
    heap.renumber(renamed.data());
    if (!best || renamed < *best) best = renamed;
  } while (std::next_permutation(order.begin(), order.end()));
  return *best;
}

struct Sized {
  std::string file;
  model::Settings settings;
};
const Sized kSized[] = {{"stack_treiber.plumb", {{"N", 2}, {"OPS", 2}}},
                        {"stack_treiber.plumb", {{"N", 3}, {"OPS", 1}}},
                        {"queue_michael_scott.plumb", {{"N", 2}, {"OPS", 1}}},
                        {"queue_michael_scott.plumb", {{"N", 3}, {"OPS", 1}, {"VALUES", 1}}},
                        {"stack_treiber_free.plumb", {{"N", 2}, {"OPS", 2}}},
                        {"stack_aba.plumb", {}}};

TEST(Heap, NumbersOfNodesMeanNothing) {
  for (const Sized& sized : kSized) {
    const auto program =
        model::compile(file_contents(PLUMB_SOURCE_DIR "/models/" + sized.file), sized.settings)
            .program;
    ASSERT_TRUE(program) << sized.file;
    const std::set<State> canonical = reachable(*program, model::NodeNames::canonical);
    const std::set<State> kept = reachable(*program, model::NodeNames::kept);
    EXPECT_GT(canonical.size(), 100u);
    EXPECT_EQ(canonical, kept) << sized.file;
  }
}

TEST(Heap, SymmetryVisitsEveryClassOfStates) {
  for (const Sized& sized : kSized) {
    const auto program =
        model::compile(file_contents(PLUMB_SOURCE_DIR "/models/" + sized.file), sized.settings)
            .program;
    ASSERT_TRUE(program) << sized.file;
    if (std::none_of(program->classes.begin(), program->classes.end(),
                     [](const model::ClientClass& c) { return c.count > 1; }))
      continue;
    std::set<State> classes;
    for (const State& state : reachable(*program, model::NodeNames::canonical))
      classes.insert(least(*program, state));
    Budget budget;
    const Found found = explore(*program, {}, budget);
    if (found.kind == Found::fault) continue;
    // Ties may be broken either way, so a few classes are visited twice.
    EXPECT_GE(found.states, classes.size()) << sized.file;
    EXPECT_LE(found.states, classes.size() + classes.size() / 5) << sized.file;
  }
}

std::string with_nodes(const std::string& body, const std::string& nodes = "2") {
  return "node N[" + nodes +
         "] { v : 0..3, next : *N }\nobject O { shared p : *N, x : 0..3\n"
         "  op f() {\n" +
         body + "\n  }\n}\nspec { op f() { } }\nclients { 2 x f() at most 1 }\n";
}

TEST(Heap, WhatGoesWrongIsAFaultWithATrace) {
  const std::pair<std::string, std::string> cases[] = {
      {"local q = p\nlocal a = q.v", "line 5: a null pointer is dereferenced"},
      {"local q = p\nq.v = 1", "line 5: a null pointer is dereferenced"},
      {"local q = p\nCAS(q.next, null, q)", "line 5: a null pointer is dereferenced"},
      {"local q = new N\nfree q\nlocal a = q.v", "line 6: a node is used after it was freed"},
      {"local q = new N\nfree q\nfree q", "line 6: a node is freed twice"},
      {"local q = p\nfree q", "line 5: null is freed"},
      {"local q = new N(v = 3)\nlocal a = FAA(q.v, 1)", "line 5: 4 is not in 0..3"}};
  for (const auto& [body, message] : cases) {
    const std::string text = with_nodes(body);
    const model::Compiled compiled = model::compile(text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "text", text);
    const auto report = verify(*compiled.program, text, {});
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->found.kind, Found::fault) << body;
    EXPECT_THAT(report->reason, HasSubstr(message));
    EXPECT_FALSE(report->trace.empty());
  }
}

TEST(Heap, WithoutAFreeNodeNothingIsProved) {
  const std::string text = with_nodes("local q = new N\nlocal r = new N(next = q)\nx = 1\nr.v = 1");
  const model::Compiled compiled = model::compile(text);
  ASSERT_TRUE(compiled.program);
  const auto undecided = verify(*compiled.program, text, {});
  ASSERT_TRUE(undecided.ok());
  EXPECT_EQ(undecided->found.verdict, Verdict::undecided);
  EXPECT_GT(undecided->found.cuts, 0u);
  EXPECT_THAT(undecided->reason, HasSubstr("no free node"));
  const auto bound = verify(*compiled.program, text, {.cut_is_bound = true});
  ASSERT_TRUE(bound.ok());
  EXPECT_EQ(bound->found.verdict, Verdict::holds);
  EXPECT_THAT(bound->notes, Contains(HasSubstr("no free node")));
  EXPECT_THAT(bound->notes, Contains(HasSubstr("no partial-order reduction")));
  const std::string enough =
      with_nodes("local q = new N\nlocal r = new N(next = q)\nx = 1\nr.v = 1", "4");
  const model::Compiled more = model::compile(enough);
  const auto holds = verify(*more.program, enough, {});
  ASSERT_TRUE(holds.ok());
  EXPECT_EQ(holds->found.verdict, Verdict::holds);
  EXPECT_EQ(holds->found.cuts, 0u);
}

// A cut must not look like a process that waits without a reason.
TEST(Heap, ACutIsNotStuck) {
  const std::string text = with_nodes(
      "local q = new N\nx = 1\nlocal r = new N\nlocal s = new N(next = r)\nx = 2\ns.v = 1\nq.v = 1",
      "1");
  const model::Compiled compiled = model::compile(text);
  ASSERT_TRUE(compiled.program);
  const auto report = verify(*compiled.program, text, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->found.verdict, Verdict::undecided);
  for (const char* name : {"deadlock-free", "lock-free", "wait-free", "returns:f"}) {
    const auto question = question_named(name);
    ASSERT_TRUE(question);
    const auto asked = verify(*compiled.program, text, {.question = question});
    ASSERT_TRUE(asked.ok());
    EXPECT_EQ(asked->found.verdict, Verdict::undecided) << name;
    EXPECT_THAT(asked->reason, HasSubstr("no free node"));
    const auto bound =
        verify(*compiled.program, text, {.question = question, .cut_is_bound = true});
    ASSERT_TRUE(bound.ok());
    EXPECT_EQ(bound->found.verdict, Verdict::holds) << name;
  }
}

// A lasso ends where it began, although its nodes are other ones.
TEST(Heap, OperationsLoopForEverWithNodes) {
  const std::string text =
      "node N[3] { v : bit }\nobject O { shared p : *N\n"
      "  op f() { local q = new N  local t : *N\n repeat { t = p } until CAS(p, t, q) }\n}\n"
      "spec { op f() { } }\nclients { 2 x f() }\n";
  const model::Compiled compiled = model::compile(text);
  ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "text", text);
  const auto ask = [&](const char* name) {
    return verify(*compiled.program, text,
                  {.question = question_named(name), .cut_is_bound = true});
  };
  const auto lock_free = ask("lock-free"), wait_free = ask("wait-free");
  ASSERT_TRUE(lock_free.ok() && wait_free.ok());
  EXPECT_EQ(lock_free->found.verdict, Verdict::holds);
  EXPECT_EQ(wait_free->found.verdict, Verdict::violation);
  EXPECT_FALSE(wait_free->loop.empty());
}

}  // namespace
}  // namespace plumb::refine
