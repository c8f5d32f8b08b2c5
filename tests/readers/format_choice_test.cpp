// SPDX-License-Identifier: MIT
#include "history/reader.hpp"
#include "readers/read.hpp"

namespace plumb {
namespace {

TEST(FormatChoice, IsByContent) {
  EXPECT_EQ(guess_format(R"({"history":1})"), "native");
  EXPECT_EQ(guess_format("\n\n {\"type\" : \"call\"}"), "native");
  EXPECT_EQ(guess_format(R"({"process":1,"op":"a","call":1})"), "native");
  EXPECT_EQ(guess_format(R"({"process":1,"type": "invoke","f":"a"})"), "jepsen-json");
  EXPECT_EQ(guess_format("[\n {\"process\":1"), "jepsen-json");
  EXPECT_EQ(guess_format("{:process 1"), "edn");
  EXPECT_EQ(guess_format("[{:process 1"), "edn");
  EXPECT_EQ(guess_format("({:process 1"), "edn");
  EXPECT_EQ(guess_format("; comment\n{:process 1"), "edn");
  EXPECT_EQ(guess_format("#jepsen.history.Op{:process 1"), "edn");
  EXPECT_EQ(guess_format("[1] call add(1)"), "violin");
  EXPECT_EQ(guess_format("# @object queue\n"), "violin");
  EXPECT_EQ(guess_format("# remark\n  [1] call add(1)"), "violin");
  EXPECT_EQ(guess_format("# queue\nenq 1 2 3"), "polylin");
  EXPECT_EQ(guess_format("enq 1 2 3"), "polylin");
  EXPECT_EQ(guess_format("INFO jepsen - start\nINFO  jepsen.util - 0\t:invoke\t:read\tnil"),
            "jepsen-log");
  EXPECT_EQ(guess_format("hello world"), "");
  EXPECT_EQ(guess_format("\x7f"
                         "ELF\x02\x01"),
            "");
}

TEST(FormatChoice, WhatIsNoHistoryIsRefused) {
  EXPECT_EQ(error_of("hello world\n"), "1: is not a history in any format that this program knows");
  EXPECT_EQ(error_of(std::string_view("\0\1\2\3\377", 5)),
            "1: is not a history in any format that this program knows");
}

TEST(FormatChoice, TheUserMayName) {
  EXPECT_EQ(error_of("[1] call add(1)", {.format = "native"}), "1: not a JSON object");
  Result<History> h = read_history_text("[1] call add(1)", "test", {.format = "xml"});
  ASSERT_FALSE(h);
  EXPECT_EQ(h.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace plumb
