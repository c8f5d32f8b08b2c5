// SPDX-License-Identifier: MIT
// --core and --recheck: what a report shows, verified by others; and what was tampered with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_plumb.hpp"
#include "support/file_contents.hpp"

namespace plumb::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;

const std::string kGolden = PLUMB_SOURCE_DIR "/tests/golden/";
const std::string kQuasi = PLUMB_SOURCE_DIR "/examples/data/quasi_queue.jsonl";

RunResult check(std::vector<std::string> args) {
  args.insert(args.begin(), "check");
  return run_plumb({.args = std::move(args)});
}

Json report_of(std::vector<std::string> args) {
  args.push_back("--json");
  return Json::parse(check(std::move(args)).out);
}

RunResult recheck(const Json& report) {
  return check({"--recheck", write_file("report.json", report.dump() + "\n")});
}

void expect_verified(const Json& report, const std::string& what) {
  const RunResult ran = recheck(report);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("VERIFIED  "));
  EXPECT_THAT(ran.out, HasSubstr(what));
}

void expect_wrong(const Json& report, const std::string& why) {
  const RunResult ran = recheck(report);
  EXPECT_EQ(ran.status, 65) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("WRONG  "));
  EXPECT_THAT(ran.out, HasSubstr(why));
}

void expect_refused(const RunResult& ran, int status, const std::string& why) {
  EXPECT_EQ(ran.status, status);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, StartsWith("plumb: "));
  EXPECT_THAT(ran.err, HasSubstr(why));
}

// Of the operation with that result.
Json& shown(Json& report, const Json& result) {
  Json& all = report["evidence"]["operations"];
  return *std::ranges::find_if(
      all, [&](const Json& op) { return op.value("result", Json()) == result; });
}

TEST(Core, IsAViolationForAFreshCheck) {
  for (const char* name : {"queue_fifo", "register_stale", "set_lost", "map_key", "two_objects",
                           "stuck_counter", "blocking_stack_stuck", "wide"}) {
    const std::string core = scratch() + "/core.jsonl";
    ASSERT_EQ(check({kGolden + name + ".jsonl", "--core", core}).status, 1) << name;
    EXPECT_EQ(check({core, "--quiet"}).status, 1) << name;
    EXPECT_EQ(check({core, "--quiet", "--engine", "brute"}).status, 1) << name;
    std::filesystem::remove(core);
  }
}

TEST(Core, IsWrittenOnlyIfThereIsOne) {
  EXPECT_EQ(check({kGolden + "holds.jsonl", "--core", "none.jsonl"}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(scratch() + "/none.jsonl"));
}

TEST(Recheck, VerifiesReportsOfEveryKind) {
  expect_verified(report_of({kGolden + "queue_fifo.jsonl"}),
                  "3 operations of 5 prove the violation");
  expect_verified(report_of({kGolden + "holds.jsonl", "--witness", "order.jsonl"}),
                  "an order of 2 operations explains every result");
  expect_verified(report_of({kGolden + "two_objects.jsonl"}), "1 operation of 4 proves");
  expect_verified(report_of({kGolden + "stuck_counter.jsonl"}), "1 operation of 3 proves");
  expect_verified(report_of({kGolden + "blocking_stack_stuck.jsonl"}), "3 operations of 4 prove");
}

TEST(Recheck, SaysWhichReportsItCannotVerify) {
  const std::string stale = kGolden + "register_stale.jsonl";
  for (const char* property : {"regular", "safe", "sequential"})
    expect_refused(recheck(report_of({stale, "--property", property})), 65,
                   "it is no report of linearizability");
  expect_refused(recheck(report_of({kQuasi, "--quasi", "deq=2"})), 65,
                 "it is no report of linearizability");
  expect_refused(recheck(report_of({kGolden + "stuck_holds.jsonl", "--witness", "order.jsonl"})),
                 65, "the history is stuck");
  expect_refused(recheck(report_of({kGolden + "holds.jsonl"})), 65, "it has no witness");
  expect_refused(recheck(report_of({kGolden + "queue_fifo.jsonl", "--no-minimise"})), 65,
                 "it has no counterexample");
}

TEST(Recheck, RefusesACounterexampleThatWasTamperedWith) {
  const Json report = report_of({kGolden + "queue_fifo.jsonl"});
  Json changed = report;
  shown(changed, 2)["result"] = 9;
  expect_wrong(changed, "line 8 of the history has deq() = 2, and not what is shown");

  changed = report;
  shown(changed, 2)["process"] = 7;
  expect_wrong(changed, "line 8 of the history has deq() = 2");

  changed = report;
  shown(changed, 2)["pending"] = true;
  expect_wrong(changed, "line 8 of the history has deq() = 2");

  changed = report;
  changed["evidence"]["operations"].erase(0);
  expect_wrong(changed, "there is an order that explains what is shown");

  changed = report;
  shown(changed, 2)["needed"] = "call";
  expect_wrong(changed, "there is an order that explains what is shown");

  changed = report;
  shown(changed, 2)["call_line"] = 1;
  expect_refused(recheck(changed), 65, "is not the history that it is about");

  changed = report;
  changed["file"] = kGolden + "register_stale.jsonl";
  expect_refused(recheck(changed), 65, "is not the history that it is about");
}

TEST(Recheck, RefusesAWitnessThatWasTamperedWith) {
  const Json report = report_of({kGolden + "holds.jsonl", "--witness", "order.jsonl"});
  const std::string enq = R"({"process":0,"op":"enq","args":[1],"result":null,"line":2})"
                          "\n";
  const std::string deq = R"({"process":1,"op":"deq","args":[],"result":1,"line":3})"
                          "\n";
  ASSERT_EQ(file_contents(scratch() + "/order.jsonl"), enq + deq);
  write_file("order.jsonl", deq + enq);
  expect_wrong(report, "deq() = 1 in line 3 is not allowed there");
  write_file("order.jsonl", enq);
  expect_wrong(report, "deq() = 1 in line 3 is not in the order");
  write_file("order.jsonl", enq + deq + deq);
  expect_wrong(report, "deq() = 1 in line 3 is in the order twice");
  std::string other = deq;
  other.replace(other.find("\"result\":1"), 10, "\"result\":5");
  write_file("order.jsonl", enq + other);
  expect_wrong(report, "line 3 of the history has deq() = 1, and not what is shown");
  write_file("order.jsonl", enq + "something else\n");
  expect_refused(recheck(report), 65, "is no witness of");
}

TEST(Recheck, NeedsAReportAndItsHistory) {
  expect_refused(check({"--recheck", kGolden + "holds.jsonl"}), 65, "is no report");
  expect_refused(check({"--recheck", "no_such.json"}), 66,
                 "no_such.json: cannot be read: No such file");
  Json report = report_of({kGolden + "queue_fifo.jsonl"});
  report["file"] = "no_such.jsonl";
  expect_refused(recheck(report), 66, "no_such.jsonl: cannot be opened");
  report = report_of({kGolden + "holds.jsonl", "--witness", "order.jsonl"});
  std::filesystem::remove(scratch() + "/order.jsonl");
  expect_refused(recheck(report), 66, "order.jsonl: cannot be opened");
}

}  // namespace
}  // namespace plumb::test
