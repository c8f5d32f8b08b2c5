// SPDX-License-Identifier: MIT
// Schedules as text, and executions that follow one.
#include "explore/replay.hpp"

#include <gtest/gtest.h>

#include "explore/memory.hpp"
#include "explore/program.hpp"
#include "explore/schedule.hpp"

namespace plumb::explore::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string why_not(const std::string& text) {
  std::string error;
  EXPECT_FALSE(parse_schedule(text, error)) << text;
  return error;
}

TEST(Schedule, IsPrintedAndParsed) {
  const Bytes schedule = {0, 0, 0, 1, kTimeout + 2, kValue + 1, kValue + 1, 31, 0};
  EXPECT_EQ(to_text(schedule), "0:3,1,t2,v1:2,31,0");
  EXPECT_EQ(to_text(Bytes{}), "");
  std::string error;
  EXPECT_EQ(parse_schedule(to_text(schedule), error), schedule);
  EXPECT_EQ(parse_schedule("", error), Bytes{});
  EXPECT_EQ(parse_schedule("v191,t31", error), (Bytes{255, 63}));
  Bytes all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<std::uint8_t>(i));
  EXPECT_EQ(parse_schedule(to_text(all), error), all);
}

TEST(Schedule, ErrorsSayWhere) {
  EXPECT_EQ(why_not("0:3,x"),
            "schedule, character 5: expected a thread's number; it looks like 0:3,1,t2,v1");
  EXPECT_NE(why_not("0,1,").find("character 5"), std::string::npos);
  EXPECT_NE(why_not("0 1").find("expected a comma"), std::string::npos);
  EXPECT_NE(why_not("32").find("less than 32"), std::string::npos);
  EXPECT_NE(why_not("v192").find("less than 192"), std::string::npos);
  EXPECT_NE(why_not("t").find("expected a thread's number"), std::string::npos);
  EXPECT_NE(why_not("1:0").find("number of repetitions"), std::string::npos);
  EXPECT_NE(why_not("1:999999999999").find("too many"), std::string::npos);
  EXPECT_NE(why_not("-1").find("expected"), std::string::npos);
}

Options following(const Bytes& schedule) {
  Options options;
  options.kind = Kind::replay;
  options.schedule = schedule;
  return options;
}

TEST(Replay, FollowsEverySchedule) {
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Program program = random_program(seed_of(i));
    const auto all = enumerate(program, 300);
    for (const Execution& execution : all) {
      Memory memory(1 << 12);
      const auto replay = make(following(execution.schedule), memory);
      Order order;
      ASSERT_TRUE(run(program, *replay, &order));
      ASSERT_FALSE(replay->diverged());
      ASSERT_EQ(order, execution.order) << describe(program);
      const auto followed = replay->schedule();
      ASSERT_EQ(Bytes(followed.begin(), followed.end()), execution.schedule);
      ASSERT_FALSE(replay->advance());
      ASSERT_EQ(replay->head().executions, 1u);
    }
  }
}

TEST(Replay, GoesOnUndisturbed) {
  Memory memory;
  const auto replay = make(following({0, 1, 1}), memory);
  ASSERT_TRUE(run(independent(2, 3), *replay));
  EXPECT_EQ(to_text(replay->schedule()), "0,1:3,0:2");
  EXPECT_FALSE(replay->diverged());
}

TEST(Replay, SaysWhatDoesNotFit) {
  const auto diverges = [](const Program& program, const Bytes& schedule) {
    Memory memory;
    const auto replay = make(following(schedule), memory);
    run(program, *replay);
    return replay->divergence();
  };
  Divergence divergence = diverges(independent(2, 3), {0, 2});
  EXPECT_EQ(divergence.what, Divergence::choice);
  EXPECT_EQ(divergence.position, 1u);
  EXPECT_EQ(divergence.recorded, 2u);
  EXPECT_EQ(divergence.seen, 3u);
  divergence = diverges(independent(1, 2), {0, 0, 0});
  EXPECT_EQ(divergence.what, Divergence::early);
  EXPECT_EQ(divergence.recorded, 3u);
  EXPECT_EQ(divergence.seen, 2u);
  EXPECT_EQ(diverges(independent(1, 2), {0, kValue}).what, Divergence::question);
  Program choosing;
  choosing.variables = {0};
  choosing.threads = {{{{Code::store, 0, 0}, {Code::choose, 1, 2}, {Code::returns, 1}}}};
  EXPECT_EQ(diverges(choosing, {0, kValue + 1}).what, Divergence::nothing);
  EXPECT_EQ(diverges(choosing, {0, kValue + 2}).what, Divergence::choice);
  EXPECT_EQ(diverges(choosing, {0, 0}).what, Divergence::question);
}

}  // namespace
}  // namespace plumb::explore::test
