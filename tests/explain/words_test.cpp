// SPDX-License-Identifier: MIT
#include "explain/words.hpp"
#include "base/text.hpp"

#include <gtest/gtest.h>

#include "history/parse_value.hpp"
#include "report/progress.hpp"
#include "support/history_text.hpp"

namespace plumb::report {
namespace {

TEST(Words, AnElidedTextIsAsWideAsAllowedAndCutsNoCharacter) {
  EXPECT_EQ(text::elide("abcdef", 6), "abcdef");
  EXPECT_EQ(text::elide("abcdefg", 6), "abcde…");
  EXPECT_EQ(text::elide("äöüäöü", 4), "äöü…");
  EXPECT_EQ(text::width_of(text::elide("äöüäöü", 4)), 4u);
}

TEST(Words, AnElidedStringKeepsItsQuotes) {
  EXPECT_EQ(words(Value::string("abcdefghij"), 8), "\"abcde…\"");
}

TEST(Words, AnEscapeSequenceInAValueReachesNoTerminal) {
  EXPECT_EQ(words(Value::opaque("\x1b[31mred")), "\\x1b[31mred");
  EXPECT_EQ(words(Value::string("\x1b")).find('\x1b'), std::string::npos);
}

TEST(Words, AsciiHasNothingElse) {
  EXPECT_EQ(text::to_ascii("┌ enq(1)… └ │ ◀ é"), "/ enq(1)... \\ | <-- ?");
}

TEST(Words, NilIsCalledWhatTheMethodCallsIt) {
  const Specification* queue = find_specification("queue");
  EXPECT_EQ(result_words(queue, "deq", Value::nil()), "empty");
  EXPECT_EQ(result_words(queue, "dequeue", Value::nil()), "empty");
  EXPECT_EQ(result_words(queue, "enq", Value::nil()), "ok");
  EXPECT_EQ(result_words(find_specification("register"), "read", Value::nil()), "nil");
  EXPECT_EQ(result_words(nullptr, "read", Value::nil()), "nil");
}

TEST(Words, CallsNameTheirObjectWhereThereAreSeveral) {
  const History one = test::parse_history("A enq(1)");
  EXPECT_EQ(call_words(one, 0), "enq(1)");
  const History two = test::parse_history("A q.put(\"k\", 1) | B r.read");
  EXPECT_EQ(call_words(two, 0), "q.put(\"k\", 1)");
}

TEST(Words, NumbersAreForPeople) {
  EXPECT_EQ(text::count_words(999), "999");
  EXPECT_EQ(text::count_words(1000), "1,000");
  EXPECT_EQ(text::count_words(1234567), "1,234,567");
  EXPECT_EQ(text::count_words(1, "operation"), "1 operation");
  EXPECT_EQ(text::count_words(0, "operation"), "0 operations");
  EXPECT_EQ(text::seconds_words(0.0042), "0.004 s");
  EXPECT_EQ(text::seconds_words(12.34), "12.3 s");
  EXPECT_EQ(text::bytes_words(1536), "1.5 KiB");
  EXPECT_EQ(text::bytes_words(std::uint64_t{3} << 30), "3.0 GiB");
  EXPECT_EQ(text::list_words({"a"}, "or"), "a");
  EXPECT_EQ(text::list_words({"a", "b", "c"}, "or"), "a, b or c");
}

TEST(Words, AValueIsReadFromJsonOnlyIfItIsJson) {
  EXPECT_EQ(parse_value("[1,\"x\",null]"),
            Value::list({Value::integer(1), Value::string("x"), Value::nil()}));
  EXPECT_EQ(parse_value("x"), std::nullopt);
  EXPECT_EQ(parse_value(""), std::nullopt);
}

TEST(Progress, SaysWhatIsDoneOfWhat) {
  CheckProgress progress;
  progress.phase = CheckPhase::deciding;
  EXPECT_EQ(progress_words("run.jsonl", 2.4, progress), "run.jsonl: deciding; 2 s");
  progress.operations = 100'000;
  progress.operations_decided = 12'000;
  progress.partitions = 24;
  progress.partitions_decided = 3;
  EXPECT_EQ(progress_words("run.jsonl", 12, progress),
            "run.jsonl: deciding; 3 of 24 partitions, 12,000 of 100,000 operations; 12 s");
}

}  // namespace
}  // namespace plumb::report
