// SPDX-License-Identifier: MIT
#include <limits>

#include "readers/read.hpp"

namespace plumb {
namespace {

struct Builder : HistoryBuilder {
  Status call(int p, std::string_view method, std::optional<ClockTime> time = {}) {
    return HistoryBuilder::call(process(Value::integer(p)), object(Value::nil()),
                                intern_call(method, {}), time);
  }
  Status ret(int p, int result = 0, std::optional<ClockTime> time = {}) {
    return returned(process(Value::integer(p)), Value::integer(result), time);
  }
  Status timed(int p, std::string_view method, std::int64_t called,
               std::optional<std::int64_t> returned) {
    std::optional<ClockTime> end;
    if (returned) end = ClockTime{*returned, 0};
    return HistoryBuilder::timed(process(Value::integer(p)), object(Value::nil()),
                                 intern_call(method, {}), Value::integer(0), {called, 0}, end);
  }
  History done() {
    Result<History> h = std::move(*this).finish();
    EXPECT_TRUE(h.ok()) << h.error().to_string();
    return h.ok() ? std::move(*h) : History{};
  }
};

TEST(Builder, OperationsAreNumberedInTheOrderOfTheirCalls) {
  Builder b;
  ASSERT_TRUE(b.call(1, "a"));
  ASSERT_TRUE(b.call(2, "b"));
  ASSERT_TRUE(b.ret(2, 5));
  ASSERT_TRUE(b.ret(1, 6));
  const History h = b.done();
  EXPECT_EQ(events(h), "1:a() 2:b() 2=5 1=6");
  EXPECT_EQ(h.call, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(h.ret, (std::vector<std::uint32_t>{3, 2}));
  EXPECT_FALSE(h.happens_before(0, 1));
}

TEST(Builder, EqualLabelsAreStoredOnce) {
  Builder b;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(b.call(0, "a"));
    ASSERT_TRUE(b.ret(0, i % 7));
  }
  ASSERT_TRUE(b.call(0, "a"));  // pending: its label has no result
  const History h = b.done();
  EXPECT_EQ(h.size(), 1001u);
  EXPECT_EQ(h.labels.size(), 8u);
  EXPECT_EQ(h.calls.size(), 1u);
}

TEST(Builder, TwoCallsOfOneProcessAreRefusedAndNamed) {
  Builder b;
  b.at_line(12);
  const CallId enq = b.intern_call("enq", {Value::integer(7)});
  const ProcessId p = b.process(Value::integer(3));
  ASSERT_TRUE(b.HistoryBuilder::call(p, b.object(Value::nil()), enq));
  b.at_line(13);
  const Status s = b.call(3, "deq");
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().message, "process 3 calls deq before its enq(7) of line 12 returned");
  EXPECT_EQ(s.error().line, 13u);
}

TEST(Builder, AProcessThatCrashedMayNotCallAgain) {
  Builder b;
  ASSERT_TRUE(b.call(1, "a"));
  ASSERT_TRUE(b.crashed(b.process(Value::integer(1))));
  const Status s = b.call(1, "b");
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().message, "process 1 calls b after it crashed");
}

TEST(Builder, ACancelledOperationLeavesNoTrace) {
  Builder b;
  ASSERT_TRUE(b.call(1, "a"));
  ASSERT_TRUE(b.call(2, "b"));
  b.note("{}");
  ASSERT_TRUE(b.cancelled(b.process(Value::integer(1))));
  ASSERT_TRUE(b.ret(2));
  ASSERT_TRUE(b.call(1, "c"));
  const History h = b.done();
  EXPECT_EQ(events(h), "2:b() 2=0 1:c()");
  EXPECT_EQ(h.call, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(h.notes[0].position, 1u);
  EXPECT_EQ(unreturned(h), "c() pending");
}

TEST(Builder, NothingFollowsStuck) {
  Builder b;
  ASSERT_TRUE(b.call(1, "a"));
  ASSERT_TRUE(b.stuck());
  EXPECT_FALSE(b.ret(1));
  EXPECT_FALSE(b.call(2, "b"));
}

TEST(Builder, EqualTimesOverlap) {
  Builder b;
  ASSERT_TRUE(b.timed(1, "a", 0, 5));
  ASSERT_TRUE(b.timed(2, "b", 5, 9));
  ASSERT_TRUE(b.timed(3, "c", 6, 9));
  const History h = b.done();
  EXPECT_EQ(events(h), "1:a() 2:b() 1=0 3:c() 2=0 3=0");
  EXPECT_FALSE(h.happens_before(0, 1));
  EXPECT_TRUE(h.happens_before(0, 2));
}

TEST(Builder, TheOrderOfAProcessIsKeptWhateverItsClockSays) {
  Builder b;
  ASSERT_TRUE(b.timed(1, "first", 10, 20));
  ASSERT_TRUE(b.timed(1, "second", 5, 8));  // the clock was set back
  ASSERT_TRUE(b.timed(1, "third", 30, 40));
  ASSERT_TRUE(b.timed(2, "other", 9, 9));
  const History h = b.done();
  EXPECT_EQ(events(h), "1:first() 1:second() 2:other() 2=0 1=0 1=0 1:third() 1=0");
  EXPECT_TRUE(h.happens_before(0, 1));
  EXPECT_FALSE(h.happens_before(1, 0));
  EXPECT_FALSE(h.happens_before(2, 0)) << "widened, so it overlaps both";
  EXPECT_EQ(h.after_of(1), 0u);
  EXPECT_EQ(h.after_of(3), kNone);
}

TEST(Builder, APendingOperationInTheMiddleOfAProcessOrdersNothingAfterIt) {
  Builder b;
  ASSERT_TRUE(b.timed(1, "done", 0, 9));
  ASSERT_TRUE(b.timed(1, "lost", 2, std::nullopt));
  ASSERT_TRUE(b.timed(1, "next", 3, 4));
  const History h = b.done();
  EXPECT_EQ(h.after_of(1), 0u);
  EXPECT_EQ(h.after_of(2), 0u) << "the last completed one";
  EXPECT_FALSE(h.happens_before(1, 2));
  EXPECT_EQ(unreturned(h), "lost() pending");
}

TEST(Builder, ClockSkewWidensBothEnds) {
  for (const std::int64_t skew : {2, 3}) {
    Builder b;
    b.clock_skew({skew, 0});
    ASSERT_TRUE(b.timed(1, "a", 0, 5));
    ASSERT_TRUE(b.timed(2, "b", 10, 12));
    const History h = b.done();
    EXPECT_EQ(h.happens_before(0, 1), skew == 2) << "5 + D < 10 - D";
    EXPECT_EQ(h.return_time[0], (ClockTime{5, 0})) << "as recorded";
  }
}

TEST(Builder, EventsWithTimesCanBeWidenedToo) {
  Builder b;
  b.clock_skew({2, 500'000'000'000'000'000});
  ASSERT_TRUE(b.call(1, "a", ClockTime{0, 0}));
  ASSERT_TRUE(b.ret(1, 0, ClockTime{5, 0}));
  ASSERT_TRUE(b.call(2, "b", ClockTime{10, 0}));
  ASSERT_TRUE(b.ret(2, 0, ClockTime{11, 0}));
  EXPECT_EQ(events(b.done()), "1:a() 2:b() 1=0 2=0");
}

TEST(Builder, ASkewWithoutTimesIsAnError) {
  Builder b;
  b.clock_skew({2, 0});
  b.at_line(4);
  ASSERT_TRUE(b.call(1, "a"));
  Result<History> h = std::move(b).finish();
  ASSERT_FALSE(h);
  EXPECT_EQ(h.error().line, 4u);
}

TEST(Builder, TheTwoFormsDoNotMix) {
  Builder b;
  ASSERT_TRUE(b.call(1, "a"));
  EXPECT_FALSE(b.timed(2, "b", 1, 2));
}

TEST(Builder, AReturnBeforeItsCallNamesBoth) {
  Builder b;
  const Status s = b.timed(1, "a", 7, 5);
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().message, "a() returns at 5, before its call at 7");
}

TEST(Builder, TimesNearTheEndOfTheirRangeDoNotWrapAround) {
  Builder b;
  b.clock_skew({10, 0});
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  ASSERT_TRUE(b.timed(1, "a", -kMost, kMost - 1));
  ASSERT_TRUE(b.timed(2, "b", kMost, kMost));
  EXPECT_EQ(events(b.done()), "1:a() 2:b() 1=0 2=0");
}

TEST(Builder, AnInstanceThatTheHeaderDoesNotMentionIsOfTheKindForAll) {
  Builder b;
  b.begin_object(Value::nil(), "queue", Value::integer(1));
  b.begin_object(Value::string("s"), "stack");
  const ObjectId q = b.object(Value::string("q"));
  const History h = b.done();
  EXPECT_EQ(h.objects[q].specification, "queue");
  EXPECT_EQ(h.objects[q].initial, Value::integer(1));
  EXPECT_EQ(h.objects[1].specification, "stack");
  EXPECT_FALSE(h.objects[1].initial);
}

}  // namespace
}  // namespace plumb
