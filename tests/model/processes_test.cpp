// SPDX-License-Identifier: MIT
// Variables that name processes: renaming them changes nothing but the names.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "model/code/machine.hpp"
#include "model/code/process_names.hpp"
#include "refine/search/product.hpp"
#include "support/file_contents.hpp"

namespace plumb::refine {
namespace {

using Cells = std::vector<model::Cell>;
using Order = std::vector<std::uint8_t>;

// Every way in which a process can be named: in variables, arrays, records, nodes, locals, links.
std::string naming() {
  return "record Seat { who : process, taken : bool }\n"
         "node Node[2] { of : process }\n"
         "object O {\n"
         "  shared owner : process, mark : bit[process], after : process[process], seat : Seat\n"
         "  shared node : *Node\n"
         "  private last : process\n"
         "  op f() {\n"
         "    last = owner\n"
         "    if last == null { CAS(owner, null, self) } else { after[last] = self }\n"
         "    local m = LL(mark[self])\n"
         "    SC(mark[self], 1 - m)\n"
         "    seat = Seat(who = self, taken = m == 1)\n"
         "    if owner == self { owner = null }\n"
         "  }\n"
         "  op g() {\n"
         "    if node == null { node = new Node(of = self) }\n"
         "    local n = node\n"
         "    if n != null { if n.of == self { mark[self] = 1 } }\n"
         "    local next = after[self]\n"
         "    if next != null { mark[next] = 0  after[self] = null }\n"
         "  }\n"
         "}\n"
         "spec { op f() { } op g() { } }\nclients { 3 x any at most 1 }\n";
}

class Renaming {
 public:
  explicit Renaming(const model::Program& program) : program_(program), names_(program) {}

  /// Process i is what order[i] was.
  Cells operator()(const Cells& state, const Order& order) {
    Cells out = state;
    for (std::uint32_t p = 0; p < program_.processes(); ++p)
      std::copy_n(state.begin() + program_.block_of(order[p]), program_.block(),
                  out.begin() + program_.block_of(p));
    names_.rename(out.data(), order);
    heap_.renumber(out.data());
    return out;
  }

 private:
  const model::Program& program_;
  model::ProcessNames names_;
  model::Heap heap_{program_};
};

std::vector<Order> orders(std::uint32_t processes) {
  Order order(processes);
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  std::vector<Order> all;
  do all.push_back(order);
  while (std::next_permutation(order.begin(), order.end()));
  return all;
}

std::vector<Cells> successors(model::Machine& machine, const model::Program& program,
                              const Cells& state, std::uint32_t process) {
  std::vector<Cells> all;
  machine.successors(state.data(), process, [&](const model::Successor& s) {
    EXPECT_FALSE(s.fault) << s.fault->message;
    all.emplace_back(s.state, s.state + program.cells());
  });
  return all;
}

std::set<Cells> reachable(const model::Program& program, std::size_t most) {
  model::Machine machine(program);
  std::set<Cells> seen = {machine.initial()};
  std::vector<Cells> open = {machine.initial()};
  while (!open.empty() && seen.size() < most) {
    const Cells state = std::move(open.back());
    open.pop_back();
    for (std::uint32_t p = 0; p < program.processes(); ++p)
      for (Cells& next : successors(machine, program, state, p))
        if (seen.insert(next).second) open.push_back(std::move(next));
  }
  return seen;
}

std::string mcs() { return file_contents(PLUMB_SOURCE_DIR "/models/lock_mcs.plumb"); }

TEST(Processes, ARenamedStateHasTheRenamedFuture) {
  for (const std::string& text : {mcs(), naming()}) {
    const model::Compiled compiled = model::compile(text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "text", text);
    const model::Program& program = *compiled.program;
    ASSERT_TRUE(program.classes[0].symmetric);
    model::Machine machine(program);
    Renaming rename(program);
    std::size_t moved = 0;
    for (const Cells& state : reachable(program, 3'000))
      for (const Order& order : orders(program.processes())) {
        const Cells renamed = rename(state, order);
        moved += renamed != state;
        for (std::uint32_t p = 0; p < program.processes(); ++p) {
          std::vector<Cells> expected = successors(machine, program, state, order[p]);
          for (Cells& next : expected) next = rename(next, order);
          ASSERT_EQ(successors(machine, program, renamed, p), expected) << text;
        }
      }
    EXPECT_GT(moved, 1'000u);
  }
}

TEST(Processes, SymmetryVisitsEveryClassOfStates) {
  const model::Compiled compiled = model::compile(mcs());
  const model::Program& program = *compiled.program;
  Renaming rename(program);
  std::set<Cells> classes;
  for (const Cells& state : reachable(program, 100'000)) {
    Cells least = state;
    for (const Order& order : orders(program.processes()))
      least = std::min(least, rename(state, order));
    classes.insert(least);
  }
  Budget budget;
  const Found found = explore(program, {}, budget);
  // Ties may be broken either way, so a few classes are visited twice.
  EXPECT_GE(found.states, classes.size());
  EXPECT_LE(found.states, classes.size() + classes.size() / 5);
}

TEST(Processes, SelfAsANumberTellsThemApart) {
  const auto symmetric = [](const std::string& body) {
    const model::Compiled compiled = model::compile(
        "object O { shared x : 0..9, o : process, a : bit[2], b : bit[process]\nop f() { " + body +
        " } }\nspec { op f() { } }\nclients { 2 x any }");
    EXPECT_TRUE(compiled.program) << body;
    return compiled.program && compiled.program->classes[0].symmetric;
  };
  EXPECT_TRUE(symmetric("o = self"));
  EXPECT_TRUE(symmetric("if self == o { b[self] = 1 }"));
  EXPECT_TRUE(symmetric("local me : process = self  o = me"));
  EXPECT_TRUE(symmetric("CAS(o, null, self)"));
  EXPECT_FALSE(symmetric("local me = self"));
  EXPECT_FALSE(symmetric("x = self"));
  EXPECT_FALSE(symmetric("a[self] = 1"));
  EXPECT_FALSE(symmetric("if self == 1 { b[self] = 1 }"));
  EXPECT_FALSE(symmetric("if x == self { o = self }"));
}

}  // namespace
}  // namespace plumb::refine
