// SPDX-License-Identifier: MIT
// What a read of a safe or regular register may return while it is written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "model/code/machine.hpp"
#include "refine/verify.hpp"

namespace plumb::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string text(const std::string& type, const std::string& clients) {
  return "object O { shared x : " + type +
         " 0..3 = 1\n op write(v : 0..3) { x = v } op read() { return x } }\n"
         "spec { state s : 0..3 = 1 op write(v) { s = v } op read() { return s } }\n"
         "clients { " +
         clients + " }";
}

// Process 0 writes 3 over the initial 1; `steps` of it are done, then process 1 reads.
std::set<Cell> results(const std::string& type, int steps) {
  const auto program = compile(text(type, "1 x write(3) at most 1; 1 x read() at most 1")).program;
  EXPECT_TRUE(program);
  Machine machine(*program);
  std::vector<Cell> state = machine.initial();
  const auto step = [&](std::uint32_t process) {
    std::vector<Cell> next;
    machine.successors(state.data(), process, [&](const Successor& s) {
      next.assign(s.state, s.state + program->cells());
    });
    state = next;
  };
  for (int i = 0; i < steps; ++i) step(0);
  step(1);  // the call
  std::set<Cell> all;
  machine.successors(state.data(), 1,
                     [&](const Successor& s) { all.insert(s.state[program->block_of(1) + 3]); });
  return all;
}

TEST(Registers, ReadsThatOverlapNoWriteAreRight) {
  for (const std::string type : {"", "atomic", "safe", "regular"}) {
    EXPECT_THAT(results(type, 0), ElementsAre(1)) << type;
    EXPECT_THAT(results(type, 1), ElementsAre(1)) << type;  // called only
  }
  EXPECT_THAT(results("", 2), ElementsAre(3));
  EXPECT_THAT(results("atomic", 2), ElementsAre(3));
  EXPECT_THAT(results("safe", 3), ElementsAre(3));
  EXPECT_THAT(results("regular", 3), ElementsAre(3));
}

TEST(Registers, ReadsThatOverlapAWriteReturnAnythingOrOldOrNew) {
  EXPECT_THAT(results("safe", 2), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(results("regular", 2), ElementsAre(1, 3));
}

TEST(Registers, NeitherIsAtomic) {
  for (const std::string type : {"", "safe", "regular"}) {
    const std::string model = text(type, "1 x write(any); 1 x read()");
    const Compiled compiled = compile(model);
    ASSERT_TRUE(compiled.program);
    const auto report = refine::verify(*compiled.program, model, {});
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->found.verdict, type.empty() ? Verdict::holds : Verdict::violation) << type;
  }
}

TEST(Registers, HaveOneWriter) {
  const std::string model = text("safe", "2 x write(any)");
  const Compiled compiled = compile(model);
  ASSERT_TRUE(compiled.program);
  const auto report = refine::verify(*compiled.program, model, {});
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->reason, HasSubstr("two writes"));
}

}  // namespace
}  // namespace plumb::model
