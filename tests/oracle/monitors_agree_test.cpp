// SPDX-License-Identifier: MIT
// Every monitor against the literal definition on random histories, and against jit on longer ones.
// A monitor may decline; a verdict must be right, an order must replay, and what it names as the
// core of a violation must be one with everything else weakened.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "oracle/oracle.hpp"

namespace plumb::test {
namespace {

struct Subject {
  std::string engine, specification;
  RandomOptions options;
  std::size_t least_percent;  // of so many histories have to be decided; 100: it never declines
};

std::ostream& operator<<(std::ostream& out, const Subject& subject) {
  return out << subject.engine << " on " << subject.specification;
}

std::string name_of(const testing::TestParamInfo<Subject>& info) {
  std::string name = info.param.engine + "_on_" + info.param.specification;
  std::replace(name.begin(), name.end(), '-', '_');
  return name + "_" + std::to_string(info.index);
}

RandomOptions plain(std::vector<std::string> methods = {}) {
  RandomOptions options;
  options.plain = true;
  options.methods = std::move(methods);
  return options;
}

RandomOptions one_key(std::vector<std::string> methods) {
  RandomOptions options = plain(std::move(methods));
  options.one_key = true;
  return options;
}

RandomOptions distinct(std::vector<std::string> methods = {}) {
  RandomOptions options = plain(std::move(methods));
  options.distinct = true;
  return options;
}

RandomOptions single_writer(RandomOptions options) {
  options.most_writers = 1;
  return options;
}

RandomOptions at_most(std::size_t operations, RandomOptions options) {
  options.most = operations;
  return options;
}

std::vector<Subject> subjects() {
  const std::vector<std::string> read_write = {"read", "write"};
  return {
      {"hiding", "register", plain(), 95},
      {"hiding", "register", plain({"write", "cas"}), 95},
      {"set", "set", one_key({"insert", "remove", "contains"}), 100},
      {"set", "set", one_key({"insert", "remove"}), 100},
      {"counter", "counter", plain({"inc", "get"}), 100},
      {"counter", "counter", plain({"fetch_inc"}), 100},
      {"counter", "counter", plain({"fetch_inc", "get"}), 100},
      {"counter", "counter", plain({"fetch_inc", "inc", "get"}), 80},
      {"zones", "register", distinct(read_write), 80},
      {"zones", "register", distinct(), 50},
      {"zones", "register", distinct({"read", "cas"}), 50},
      {"zones", "array", at_most(4, distinct()), 5},
      {"soar", "register", single_writer(plain(read_write)), 80},
      {"soar", "register", single_writer(distinct(read_write)), 80},
      {"soar", "map", at_most(4, single_writer(plain({"get", "put"}))), 5},
      {"soar-literal", "register", single_writer(plain(read_write)), 80},
      {"clmt", "register", at_most(4, single_writer(plain(read_write))), 50},
      {"clmt-literal", "register", at_most(4, plain(read_write)), 50},
      {"queue", "queue", distinct({"enq", "deq"}), 90},
      {"queue", "blocking-queue", distinct({"enq", "deq", "try_deq"}), 80},
      {"stack", "stack", distinct({"push", "pop"}), 90},
      {"stack", "blocking-stack", distinct({"push", "pop", "try_pop"}), 80},
      {"priority-queue", "pqueue", distinct({"insert", "poll"}), 90},
      {"priority-queue", "pqueue-min", distinct({"insert", "poll"}), 90},
      {"bag", "bag", distinct({"add", "remove"}), 90},
      // Values come again, some of them only when they are gone.
      {"queue", "queue", plain({"enq", "deq"}), 10},
      {"stack", "stack", plain({"push", "pop"}), 10},
      {"priority-queue", "pqueue", plain({"insert", "poll"}), 10},
      {"bag", "bag", plain({"add", "remove"}), 10},
  };
}

// The search that monitors are compared with may take forever where they do not; short histories
// are always decided. In seconds, 0: no limit.
double patience(const Problem& problem) { return problem.ops.size() > 10 ? 0.05 : 0; }

// What is wrong with the answer; empty: nothing.
std::string objection(const Problem& problem, const Answer& answer, const Answer& reference) {
  if (reference.verdict != Verdict::undecided && answer.verdict != reference.verdict)
    return "says " + std::string(to_string(answer.verdict)) + ": " + answer.reason;
  if (answer.verdict == Verdict::holds) {
    const std::string wrong = verify_witness(problem, answer);
    return wrong.empty() ? "" : "has a wrong witness: " + wrong;
  }
  if (reference.failing_event != kNone && answer.failing_event != kNone &&
      answer.failing_event < reference.failing_event)
    return "fails at event " + std::to_string(answer.failing_event) + ", too early";
  if (answer.engine == "soar" && answer.failing_event != reference.failing_event)
    return "does not fail at the earliest return";
  if (answer.core.empty()) return "";
  std::vector<OperationId> rest;
  for (OperationId op = 0; op < problem.ops.size(); ++op)
    if (!std::binary_search(answer.core.begin(), answer.core.end(), op)) rest.push_back(op);
  Budget budget(patience(problem), 0, nullptr);
  const Answer weakened = decide_jit(restrict(problem, answer.core, rest), budget);
  if (weakened.verdict == Verdict::holds) return "names a core that is none: " + answer.reason;
  return "";
}

Problem weaken(const Problem& problem, std::uint64_t seed, std::size_t percent) {
  Random random(seed);
  std::vector<OperationId> kept, weakened;
  for (OperationId op = 0; op < problem.ops.size(); ++op)
    (random.percent(percent) ? weakened : kept).push_back(op);
  return weakened.empty() ? problem : restrict(problem, kept, weakened);
}

// Which operations never return although their results are known.
std::string weakened_text(const Problem& problem) {
  std::string text;
  for (const Problem::Op& op : problem.ops)
    if (!op.completed() && problem.labels[op.label].known)
      text += "  without its return: operation " + std::to_string(op.source) + "\n";
  return text;
}

using Reference = Answer (*)(const Problem&, Budget&);

struct Sample {
  RandomOptions options;
  std::uint64_t histories = 0, salt = 0;
  Reference decide_reference = decide_brute;
  std::size_t weakened = 0;  // percent of the operations keep their result but lose their return
};

// Compares on random histories, until enough of them were decided both ways. Returns: the first
// disagreement, or why the sample shows too little; empty: all is well.
std::string disagreement(const Subject& subject, const Sample& sample) {
  const Specification& specification = *find_specification(subject.specification);
  const RandomHistories source(specification);
  const std::uint64_t n = sample.histories;
  const std::uint64_t enough = n * subject.least_percent / 100;
  std::uint64_t decided = 0, holds = 0, violations = 0, compared = 0;
  Draws draws(n);
  draws.until("decided", decided, enough).until("compared", compared, enough * 8 / 10);
  draws.until("that hold", holds, enough / 20).until("violations", violations, enough / 20);
  for (const std::uint64_t i : draws) {
    const std::uint64_t s = seed_of(specification, i) ^ sample.salt;
    const History history = source.make(s, sample.options);
    const Problem problem = weaken(make_problem(history, specification), s, sample.weakened);
    Budget budget;
    Answer answer = decide(subject.engine, problem, budget);
    complete(answer);
    if (answer.verdict == Verdict::undecided) {
      if (answer.reason.empty()) return "declines without a reason: " + to_text(history);
      if (subject.least_percent == 100) return answer.reason + ": " + to_text(history);
      continue;
    }
    ++decided;
    Budget limited(patience(problem), 0, nullptr);
    const Answer reference = sample.decide_reference(problem, limited);
    ++(answer.verdict == Verdict::holds ? holds : violations);
    compared += reference.verdict != Verdict::undecided;
    if (const std::string wrong = objection(problem, answer, reference); !wrong.empty())
      return fmt::format(
          "{}\n{}{}{}\n  where {} says {}, event {}\n  seed {} (PLUMB_SEED={}, "
          "number {})",
          wrong, to_text(history), weakened_text(problem),
          history.objects[0].initial ? "  initially " + history.objects[0].initial->to_string()
                                     : "",
          reference.engine, to_string(reference.verdict), reference.failing_event, s, seed(), i);
  }
  fmt::print("{} on {}: {} histories, {} decided, {} hold, {} compared\n", subject.engine,
             subject.specification, draws.drawn(), decided, holds, compared);
  // With a margin that is no matter of luck.
  if (n >= 1000 && decided * 1000 < draws.drawn() * subject.least_percent * 9)
    return fmt::format("declines too often: {} of {}", draws.drawn() - decided, draws.drawn());
  return draws.lacks();
}

class MonitorsAgree : public testing::TestWithParam<Subject> {};

TEST_P(MonitorsAgree, WithTheDefinitionOnSmallHistories) {
  EXPECT_EQ(disagreement(GetParam(), {.options = GetParam().options, .histories = histories()}),
            "");
}

TEST_P(MonitorsAgree, WithTheDefinitionOnWeakenedHistories) {
  EXPECT_EQ(disagreement(GetParam(), {.options = GetParam().options,
                                      .histories = histories() / 2,
                                      .salt = 0x3333,
                                      .weakened = 15}),
            "");
}

// They may decline such a history, but must not take a result that is not known for nil.
TEST_P(MonitorsAgree, WithTheDefinitionOnHistoriesThatLackResults) {
  Subject subject = GetParam();
  subject.least_percent = 0;
  Sample sample{.options = subject.options, .histories = histories() / 4, .salt = 0x7777};
  sample.options.unrecorded = 20;
  EXPECT_EQ(disagreement(subject, sample), "");
}

INSTANTIATE_TEST_SUITE_P(Every, MonitorsAgree, testing::ValuesIn(subjects()), name_of);

// Those that are not limited to very short histories.
class MonitorsAgreeFurther : public MonitorsAgree {};

TEST_P(MonitorsAgreeFurther, WithTheDefinitionOnTenOperations) {
  Sample sample{.options = GetParam().options, .histories = histories() / 5, .salt = 0x5555};
  sample.options.fewest = 8;
  sample.options.most = 10;
  EXPECT_EQ(disagreement(GetParam(), sample), "");
}

TEST_P(MonitorsAgreeFurther, WithJitOnLongerHistories) {
  Sample sample{.options = GetParam().options, .histories = histories() / 15, .salt = 0xaaaa};
  sample.options.fewest = 10;
  sample.options.most = 60;
  sample.options.most_processes = 4;
  sample.decide_reference = [](const Problem& problem, Budget& budget) {
    return decide_jit(problem, budget);
  };
  EXPECT_EQ(disagreement(GetParam(), sample), "");
}

std::vector<Subject> subjects_of_any_length() {
  std::vector<Subject> all = subjects();
  // In long histories values that are not distinct come again while they are inside.
  std::erase_if(all, [](const Subject& subject) {
    return subject.options.most < 8 || subject.least_percent <= 10;
  });
  return all;
}
INSTANTIATE_TEST_SUITE_P(Every, MonitorsAgreeFurther, testing::ValuesIn(subjects_of_any_length()),
                         name_of);

}  // namespace
}  // namespace plumb::test
