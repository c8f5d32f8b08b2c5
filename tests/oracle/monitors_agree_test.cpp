// SPDX-License-Identifier: MIT
// Every monitor against the literal definition on random histories, and against jit on longer ones.
// A monitor may decline; a verdict must be right, an order must replay, and what it names as the
// core of a violation must be one with everything else weakened.
#include <gtest/gtest.h>

#include <iostream>

#include "oracle/oracle.hpp"

namespace plumb::test {
namespace {

struct Subject {
  std::string engine, specification;
  RandomOptions options;
  std::size_t least_percent;  // of the histories must be decided, else the test shows little
};

std::ostream& operator<<(std::ostream& out, const Subject& subject) {
  return out << subject.engine << " on " << subject.specification;
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
  };
}

// The search that monitors are compared with may take for ever where they do not; short histories
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

class MonitorsAgree : public testing::TestWithParam<Subject> {
 protected:
  using Reference = Answer (*)(const Problem&, Budget&);

  // Of a hundred operations, `weakened` keep their result but lose their return.
  void compare(const RandomOptions& options, std::uint64_t n, std::uint64_t salt,
               Reference decide_reference, std::size_t weakened = 0) {
    const Subject& subject = GetParam();
    const Specification& specification = *find_specification(subject.specification);
    const RandomHistories source(specification);
    std::uint64_t decided = 0, holds = 0, compared = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t s = seed_of(specification, i) ^ salt;
      const History history = source.make(s, options);
      const Problem problem = weaken(make_problem(history, specification), s, weakened);
      Budget budget;
      Answer answer = decide(subject.engine, problem, budget);
      complete(answer);
      if (answer.verdict == Verdict::undecided) {
        ASSERT_NE(answer.reason, "") << to_text(history);
        continue;
      }
      ++decided;
      Budget limited(patience(problem), 0, nullptr);
      const Answer reference = decide_reference(problem, limited);
      holds += answer.verdict == Verdict::holds;
      compared += reference.verdict != Verdict::undecided;
      ASSERT_EQ(objection(problem, answer, reference), "")
          << to_text(history) << weakened_text(problem)
          << (history.objects[0].initial ? "  initially " + history.objects[0].initial->to_string()
                                         : "")
          << "\n  where " << reference.engine << " says " << to_string(reference.verdict)
          << ", event " << reference.failing_event << (weakened ? ", weakened" : "") << "\n  seed "
          << s << " (PLUMB_SEED=" << seed() << ", number " << i << ")";
    }
    std::cout << subject << ": " << n << " histories, " << decided << " decided, " << holds
              << " hold, " << compared << " compared, PLUMB_SEED=" << seed() << "\n";
    if (n < 1000) return;
    EXPECT_GE(decided * 100, n * subject.least_percent);
    EXPECT_GE(compared * 10, decided * 8);
    EXPECT_GE(holds * 20, decided);
    EXPECT_LE(holds * 20, decided * 19);
  }
};

TEST_P(MonitorsAgree, WithTheDefinitionOnSmallHistories) {
  compare(GetParam().options, histories(), 0, decide_brute);
}

TEST_P(MonitorsAgree, WithTheDefinitionOnTenOperations) {
  if (GetParam().options.most < 8) GTEST_SKIP() << "for short histories only";
  RandomOptions options = GetParam().options;
  options.fewest = 8;
  options.most = 10;
  compare(options, histories() / 5, 0x5555, decide_brute);
}

TEST_P(MonitorsAgree, WithTheDefinitionOnWeakenedHistories) {
  compare(GetParam().options, histories() / 2, 0x3333, decide_brute, 15);
}

TEST_P(MonitorsAgree, WithJitOnLongerHistories) {
  if (GetParam().options.most < 8) GTEST_SKIP() << "for short histories only";
  RandomOptions options = GetParam().options;
  options.fewest = 10;
  options.most = 60;
  options.most_processes = 4;
  compare(options, histories() / 15, 0xaaaa,
          [](const Problem& problem, Budget& budget) { return decide_jit(problem, budget); });
}

INSTANTIATE_TEST_SUITE_P(Every, MonitorsAgree, testing::ValuesIn(subjects()));

}  // namespace
}  // namespace plumb::test
