// SPDX-License-Identifier: MIT
// Streams against the literal definition: the same events, decided while they come, in segments so
// short that every history is cut several times.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>

#include "oracle/oracle.hpp"
#include "plumb/stream.hpp"

namespace plumb::test {
namespace {

class StreamsAgree : public testing::TestWithParam<const Specification*> {};

void must(const Status& status) {
  if (!status.ok()) throw std::logic_error(status.error().to_string());
}

// Feeds the events; `eager`: settles after each.
StreamReport decide_stream(const History& history, std::size_t segment, bool eager) {
  Stream stream({.segment = segment});
  for (const Object& o : history.objects) stream.begin_object(o.name, o.specification, o.initial);
  for (std::uint32_t i = 0; i < history.events.size() && stream.holds_so_far(); ++i) {
    const Event event = history.events[i];
    const OperationId op = event.operation();
    stream.at_line(i + 1);
    const ProcessId p = stream.process(history.processes[history.process[op]]);
    if (event.is_return()) {
      must(stream.returned(p, history.labels[history.label[op]].result));
    } else {
      const Call call = history.call_of(op);
      must(stream.call(p, history.object[op], stream.intern_call(call.method, call.args)));
    }
    if (eager) stream.settle();
  }
  if (stream.holds_so_far())
    for (OperationId op = 0; op < history.size(); ++op)
      if (history.fate[op] == Fate::crashed)
        must(stream.crashed(stream.process(history.processes[history.process[op]])));
  Result<StreamReport> report = stream.finish();
  if (!report) throw std::logic_error(report.error().to_string() + "\n" + to_text(history));
  return std::move(*report);
}

// What is wrong with a stream's report; empty: nothing.
std::string objection(const StreamReport& report, const Answer& reference) {
  const CheckReport& check = report.check;
  if (check.verdict == Verdict::undecided)
    return check.reason.empty() || report.line == 0 ? "is undecided, and does not say why or where"
                                                    : "";
  if (check.verdict != reference.verdict) return "says " + std::string(to_string(check.verdict));
  if (check.verdict == Verdict::holds) return "";
  if (report.line < reference.failing_event + 1) return "is proved before anything proves it";
  return check.counterexample ? "" : "has no counterexample";
}

// Compares on random histories, until enough of them were decided both ways. Returns: the first
// disagreement, or why the sample shows too little; empty: all is well.
std::string disagreement(const Specification& specification, const RandomOptions& options,
                         std::uint64_t n) {
  const RandomHistories source(specification);
  const std::uint64_t enough = 3 * n * 3 / 10;
  std::uint64_t decided = 0, holds = 0, violations = 0;
  Draws draws(n);
  draws.until("decided", decided, enough);
  draws.until("that hold", holds, enough / 20).until("violations", violations, enough / 20);
  for (const std::uint64_t i : draws) {
    const std::uint64_t s = seed_of(specification, i) ^ 0x57ea;
    const History history = source.make(s, options);
    const Problem problem = make_problem(history, specification);
    Budget budget;
    const Answer reference = decide_brute(problem, budget);
    for (const auto& [segment, eager] :
         {std::pair{std::size_t{1}, false}, std::pair{std::size_t{5}, false},
          std::pair{std::size_t{1000}, true}}) {
      const StreamReport report = decide_stream(history, segment, eager);
      decided += report.check.verdict != Verdict::undecided;
      holds += report.check.verdict == Verdict::holds;
      violations += report.check.verdict == Verdict::violation;
      if (const std::string wrong = objection(report, reference); !wrong.empty())
        return fmt::format("{}\n{}\n  segments of {}{}; seed {} (PLUMB_SEED={}, number {})", wrong,
                           to_text(history), segment, eager ? ", eager" : "", s, seed(), i);
    }
  }
  fmt::print("{}: {} streams, {} decided, {} hold\n", specification.name(), 3 * draws.drawn(),
             decided, holds);
  return draws.lacks();
}

// Streams of queues and bags want values that differ while they are inside.
RandomOptions options_for(const Specification& specification) {
  RandomOptions options;
  options.plain = true;
  options.distinct = specification.name() == "queue" || specification.name() == "bag" ||
                     specification.name() == "blocking-queue";
  if (options.distinct) options.methods = {"enq", "deq", "try_deq", "add", "remove"};
  return options;
}

TEST_P(StreamsAgree, WithTheDefinition) {
  EXPECT_EQ(disagreement(*GetParam(), options_for(*GetParam()), histories() / 4), "");
}

TEST_P(StreamsAgree, WithTheDefinitionOnTenOperations) {
  RandomOptions options = options_for(*GetParam());
  options.fewest = 8;
  options.most = 10;
  options.most_processes = 4;
  EXPECT_EQ(disagreement(*GetParam(), options, histories() / 20), "");
}

TEST(StreamLimits, OnlyTheMemoryThatTheUserGives) {
  EXPECT_EQ(StreamOptions().memory_bytes, 0u);
  const Value one = Value::integer(1);
  for (const bool limited : {false, true}) {
    Stream stream({.memory_bytes = limited ? 1u : 0u});
    stream.begin_object(Value::nil(), "register");
    const ProcessId p = stream.process(Value::integer(0));
    must(stream.call(p, stream.object(Value::nil()),
                     stream.intern_call("write", std::span<const Value>(&one, 1))));
    must(stream.returned(p, Value::nil()));
    const Result<StreamReport> report = stream.finish();
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->check.verdict, limited ? Verdict::undecided : Verdict::holds);
    EXPECT_EQ(report->check.stopped, limited ? StopReason::memory_limit : StopReason::none);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, StreamsAgree, testing::ValuesIn(all_specifications()),
                         [](const auto& info) { return test_name(*info.param); });

}  // namespace
}  // namespace plumb::test
