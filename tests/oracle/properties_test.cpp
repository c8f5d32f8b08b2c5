// SPDX-License-Identifier: MIT
// Regular, safe, sequential and 2-atomic against their literal definitions, on random histories of
// a register; what implies what; and the histories that tell the properties apart.
#include <gtest/gtest.h>

#include <iostream>

#include "check/property/linearizable/staleness.hpp"
#include "check/property/registers/reads.hpp"
#include "check/property/registers/registers.hpp"
#include "check/property/sequential/sequential.hpp"
#include "oracle/oracle.hpp"
#include "plumb/check.hpp"

namespace plumb::test {
namespace {

RandomOptions reads_and_writes(bool plain, std::uint64_t i) {
  RandomOptions options;
  options.distinct = i % 2 == 1;
  if (i % 4 >= 2) options.fewest = 5;  // short ones are mostly alike
  options.plain = plain;
  options.methods = {"read", "write"};
  return options;
}

// Real time alone, as regular and safe see it.
Problem intervals(Problem problem) {
  problem.stuck = false;
  for (Problem::Op& op : problem.ops) op.judged = false, op.after = kNone;
  return problem;
}

Verdict by_definition(ReadProperty property, const Problem& problem) {
  const Cell cell = as_cell(problem);
  for (OperationId op = 0; op < problem.ops.size(); ++op)
    if (read_by_definition(property, problem, cell, op, nullptr) == Verdict::violation)
      return Verdict::violation;
  return Verdict::holds;
}

// Whether some order that respects real time has each read return one of the last k values.
class KAtomic {
 public:
  KAtomic(const Problem& problem, std::size_t k)
      : problem_(problem), cell_(as_cell(problem)), k_(k) {}
  bool holds() {
    written_ = {cell_.initial};
    return extend(0);
  }

 private:
  bool extend(std::uint32_t placed) {
    bool all = true;
    for (OperationId op = 0; op < problem_.ops.size(); ++op) {
      if (placed >> op & 1) continue;
      all = all && !problem_.ops[op].completed();
      bool ready = true;
      for (OperationId before = 0; before < problem_.ops.size(); ++before)
        ready = ready && (placed >> before & 1 || problem_.ops[before].ret > problem_.ops[op].call);
      if (!ready) continue;
      const CellMove& move = cell_.move(problem_, op);
      if (move.kind == CellMove::Kind::write) {
        written_.push_back(move.to);
        if (extend(placed | 1u << op)) return true;
        written_.pop_back();
      } else {
        const auto last =
            written_.end() - static_cast<std::ptrdiff_t>(std::min(k_, written_.size()));
        const bool seen = move.kind == CellMove::Kind::any ||
                          std::find(last, written_.end(), move.from) != written_.end();
        if (seen && extend(placed | 1u << op)) return true;
      }
    }
    return all;
  }

  const Problem& problem_;
  const Cell cell_;
  std::size_t k_;
  std::vector<CellValue> written_;
};

TEST(Properties, OfEachReadAgreeWithTheDefinitionAndWithWhatImpliesThem) {
  const Specification& spec = *find_specification("register");
  const RandomHistories source(spec);
  std::uint64_t linearizable = 0, regular_only = 0, safe_only = 0, unsafe = 0, sequential_only = 0,
                not_sequential = 0;
  Draws draws(histories());
  draws.until("regular, but not linearizable", regular_only);
  draws.until("safe, but not regular", safe_only).until("not safe", unsafe);
  draws.until("sequential, but not linearizable", sequential_only);
  draws.until("not sequential", not_sequential);
  for (const std::uint64_t i : draws) {
    const History history = source.make(seed_of(spec, i) ^ 0x7777, reads_and_writes(true, i));
    const Problem problem = make_problem(history, spec);
    const Cell cell = as_cell(problem);
    const std::string text =
        to_text(history) + " number " + std::to_string(i) + " PLUMB_SEED=" + std::to_string(seed());
    Verdict verdicts[2];
    for (const ReadProperty property : {ReadProperty::regular, ReadProperty::safe}) {
      Budget budget;
      const ReadsAnswer answer = decide_reads(property, problem, cell, budget);
      ASSERT_EQ(answer.verdict, by_definition(property, problem)) << text;
      verdicts[property == ReadProperty::safe] = answer.verdict;
      if (answer.verdict == Verdict::holds) {
        ASSERT_EQ(verify_reads_from(property, problem, cell, answer.from), "") << text;
        continue;
      }
      // The culprit is the first read to return that the definition does not allow, and what it
      // could have returned is what the definition allows.
      for (OperationId op = 0; op < problem.ops.size(); ++op)
        if (problem.ops[op].completed() && problem.ops[op].ret < problem.ops[answer.culprit].ret) {
          ASSERT_EQ(read_by_definition(property, problem, cell, op, nullptr), Verdict::holds);
        }
      for (CellValue v = 0; v < cell.values.size(); ++v) {
        Cell other = cell;
        const LabelId own = static_cast<LabelId>(other.moves.size());
        other.moves.push_back({CellMove::Kind::read, v, kNone});
        Problem changed = problem;
        changed.ops[answer.culprit].label = own;
        const bool listed = std::count(answer.possible.begin(), answer.possible.end(), v) > 0;
        ASSERT_EQ(read_by_definition(property, changed, other, answer.culprit, nullptr),
                  listed ? Verdict::holds : Verdict::violation)
            << text << " value " << cell.values[v].to_string();
      }
    }
    const Verdict atomic = definition(problem);
    const Verdict ordered = definition(without_real_time(history, problem));
    ++(atomic == Verdict::holds        ? linearizable
       : verdicts[0] == Verdict::holds ? regular_only
       : verdicts[1] == Verdict::holds ? safe_only
                                       : unsafe);
    sequential_only += ordered == Verdict::holds && atomic != Verdict::holds;
    not_sequential += ordered != Verdict::holds;
    if (atomic == Verdict::holds) {
      ASSERT_EQ(verdicts[0], Verdict::holds) << text;
      ASSERT_EQ(ordered, Verdict::holds) << text;
    }
    if (verdicts[0] == Verdict::holds) { ASSERT_EQ(verdicts[1], Verdict::holds) << text; }
  }
  std::cout << draws.drawn() << " histories: " << linearizable << " linearizable, else "
            << regular_only << " regular, else " << safe_only << " safe, else " << sequential_only
            << " sequential\n";
  EXPECT_EQ(draws.lacks(), "");
}

TEST(Properties, ChainsAgreeWithTheDefinition) {
  for (const char* name : {"register", "array", "map"}) {
    const Specification& spec = *find_specification(name);
    const RandomHistories source(spec);
    RandomOptions options = reads_and_writes(false, 0);
    if (spec.name() == "map") options.methods = {"get", "put"};
    std::uint64_t holds = 0;
    const std::uint64_t n = histories() / 2;
    for (std::uint64_t i = 0; i < n; ++i) {
      const History history = source.make(seed_of(spec, i) ^ 0x1111, options);
      const Problem problem = without_real_time(history, make_problem(history, spec));
      Budget budget;
      const Answer answer = decide_chains(problem, budget);
      ASSERT_EQ(answer.verdict, definition(problem)) << to_text(history) << " number " << i;
      if (answer.verdict != Verdict::holds) continue;
      ++holds;
      ASSERT_EQ(verify_witness(problem, answer), "") << to_text(history) << " number " << i;
    }
    std::cout << name << ": " << n << " histories, " << holds << " hold\n";
  }
}

TEST(Properties, StalenessAgreesWithTheDefinition) {
  const Specification& spec = *find_specification("register");
  const RandomHistories source(spec);
  std::uint64_t two = 0, more = 0;
  Draws draws(histories() / 2);
  draws.until("2-atomic only", two).until("not even that", more);
  for (const std::uint64_t i : draws) {
    const History history = source.make(seed_of(spec, i) ^ 0x2222, reads_and_writes(true, i));
    const Problem problem = make_problem(history, spec);
    const bool atomic = KAtomic(problem, 1).holds();
    ASSERT_EQ(atomic, definition(problem) == Verdict::holds) << to_text(history);
    if (atomic) continue;
    Budget budget;
    const unsigned stale = staleness(problem, budget);
    ASSERT_EQ(stale, KAtomic(problem, 2).holds() ? 2u : 3u) << to_text(history) << " number " << i;
    ++(stale == 2 ? two : more);
  }
  std::cout << draws.drawn() << " histories: " << two << " 2-atomic only, " << more
            << " not even that\n";
  EXPECT_EQ(draws.lacks(), "");
}

TEST(Properties, OfWholeChecksComeWithEvidence) {
  for (const char* name : {"register", "array", "map"}) {
    const Specification& spec = *find_specification(name);
    const RandomHistories source(spec);
    RandomOptions options = reads_and_writes(false, 0);
    if (spec.name() == "map") options.methods = {"get", "put"};
    for (std::uint64_t i = 0; i < histories() / 20; ++i) {
      const History history = source.make(seed_of(spec, i) ^ 0x4444, options);
      const std::string text = to_text(history) + " number " + std::to_string(i);
      const auto run = [&](HistoryProperty property) {
        return check(history, {.specification = &spec,
                               .initial = history.objects[0].initial,
                               .property = property,
                               .jobs = 1});
      };
      const Problem whole = make_problem(history, spec);
      const Problem free = without_real_time(history, whole);
      const auto sequential = run(HistoryProperty::sequential);
      ASSERT_TRUE(sequential.ok()) << sequential.error().to_string() << text;
      ASSERT_EQ(sequential->verdict, definition(free)) << text;
      if (sequential->verdict == Verdict::holds) {
        Answer answer;
        answer.verdict = Verdict::holds;
        answer.witnesses.push_back(sequential->witness);
        ASSERT_EQ(verify_witness(free, answer), "") << text;
      } else {
        const Counterexample& c = *sequential->counterexample;
        ASSERT_EQ(definition(restrict(free, c.operations)), Verdict::violation) << text;
        ASSERT_NE(c.confirmed_by, "");
      }
      for (const ReadProperty property : {ReadProperty::regular, ReadProperty::safe}) {
        const auto report =
            run(property == ReadProperty::safe ? HistoryProperty::safe : HistoryProperty::regular);
        ASSERT_TRUE(report.ok()) << report.error().to_string() << text;
        ASSERT_NE(report->verdict, Verdict::undecided) << text;
        if (report->verdict == Verdict::violation) {
          const Counterexample& c = *report->counterexample;
          ASSERT_EQ(by_definition(property, restrict(intervals(whole), c.operations)),
                    Verdict::violation)
              << text;
          ASSERT_TRUE(c.self_contained && c.minimal) << text;
        }
        if (spec.name() == std::string("register")) {
          ASSERT_EQ(report->verdict, by_definition(property, intervals(whole))) << text;
        }
      }
    }
  }
}

// "lrsq": which of linearizable, regular, safe and sequential hold; a dash for each that does not.
std::string which(std::string_view text, std::string_view specification = "register") {
  const History history = parse_history(text, std::string(specification));
  std::string found;
  for (const auto& [letter, property] : {std::pair{'l', HistoryProperty::linearizable},
                                         {'r', HistoryProperty::regular},
                                         {'s', HistoryProperty::safe},
                                         {'q', HistoryProperty::sequential}}) {
    const auto report = check(history, {.property = property, .jobs = 1});
    if (!report.ok()) return report.error().to_string();
    if (report->verdict == Verdict::undecided) return report->reason;
    found += report->verdict == Verdict::holds ? letter : '-';
  }
  return found;
}

TEST(Properties, AreToldApart) {
  EXPECT_EQ(which("A write(1): nil | B read: 1"), "lrsq");
  // New, then old, while a write is under way: regular, but not atomic.
  EXPECT_EQ(which("A write(1) | B read: 1 | C read: 0 | A: nil"), "-rsq");
  // ... by one process: not even sequential.
  EXPECT_EQ(which("A write(1) | B read: 1 | B read: 0 | A: nil"), "-rs-");
  // A value that nobody wrote, read while a write is under way: safe only.
  EXPECT_EQ(which("A write(1) | B read: 7 | A: nil"), "--s-");
  EXPECT_EQ(which("A write(1): nil | B read: 7"), "----");
  // The value before the last, without any overlap: only the order of processes explains it.
  EXPECT_EQ(which("A write(1): nil | A write(2): nil | B read: 1"), "---q");
  EXPECT_EQ(which("A write(1): nil | A write(2): nil | A read: 1"), "----");
  EXPECT_EQ(which("A write(1): nil | B read: 0"), "---q");
  // Writes that overlap may be ordered by each read as it likes.
  EXPECT_EQ(which("A write(1) | B write(2) | A: nil | B: nil | C read: 1 | C read: 2 | C read: 1"),
            "-rs-");
  // A write that never returned may be read at any time, and overwrites nothing.
  EXPECT_EQ(which("A write(1) | B read: 1 | B read: 0 | B read: 1"), "-rs-");
  // A pending read is not judged.
  EXPECT_EQ(which("A write(1): nil | B read"), "lrsq");
}

TEST(Properties, SequentialConsistencyIsNotLocal) {
  EXPECT_EQ(which("P write(1, 1): nil | Q read(1): 0", "array"), "---q");
  EXPECT_EQ(which("P write(1, 1): nil | P read(2): 0 | Q write(2, 1): nil | Q read(1): 0", "array"),
            "----");
}

TEST(Properties, SeveralObjectsAreMergedIfTheirOrdersFit) {
  const auto verdict = [](std::string_view text) {
    const auto report = check(parse_history(text, "register"),
                              {.property = HistoryProperty::sequential, .jobs = 1});
    if (report->verdict == Verdict::holds) { EXPECT_EQ(report->witness.size(), report->completed); }
    return report->verdict;
  };
  EXPECT_EQ(verdict("P x.write(1): nil | Q x.read: 0 | Q y.write(1): nil | P y.read: 1"),
            Verdict::holds);
  EXPECT_EQ(verdict("P x.write(1): nil | P y.read: 0 | Q y.write(1): nil | Q x.read: 0"),
            Verdict::undecided);
  EXPECT_EQ(verdict("P x.write(1): nil | P x.read: 0 | Q y.write(1): nil"), Verdict::violation);
}

constexpr HistoryProperty kOfRegisters[] = {HistoryProperty::regular, HistoryProperty::safe,
                                            HistoryProperty::sequential};

TEST(Properties, AnInterruptedCheckClaimsNothing) {
  const std::atomic<bool> interrupt{true};
  for (const HistoryProperty property : kOfRegisters) {
    const auto report = check(parse_history("A write(1): nil | B read: 7", "register"),
                              {.property = property, .interrupt = &interrupt});
    ASSERT_TRUE(report.ok());
    EXPECT_NE(report->verdict, Verdict::holds);
    EXPECT_TRUE(report->interrupted || report->verdict == Verdict::violation);
  }
}

TEST(Properties, AreForReadsAndWritesOnly) {
  for (const HistoryProperty property : kOfRegisters) {
    for (const History& history :
         {parse_history("A enq(1): nil", "queue"), parse_history("A cas(0, 1): true", "register"),
          parse_history("A append(1, 1): nil", "map")}) {
      const auto report = check(history, {.property = property});
      ASSERT_FALSE(report.ok());
      EXPECT_EQ(report.error().kind, ErrorKind::usage);
    }
  }
  const auto quasi = check(parse_history("A read: 0", "register"),
                           {.property = HistoryProperty::quasi_linearizable});
  ASSERT_FALSE(quasi.ok());
  EXPECT_EQ(quasi.error().kind, ErrorKind::usage);
  EXPECT_EQ(find_property("quasi-linearizable"), HistoryProperty::quasi_linearizable);
  EXPECT_FALSE(find_property("nice"));
}

TEST(Properties, TheStalenessOfAViolationIsReported) {
  const auto stale = [](std::string_view text) {
    const auto report = check(parse_history(text, "register"), {.jobs = 1});
    return report->counterexample ? report->counterexample->stale : 9;
  };
  EXPECT_EQ(stale("A write(1): nil | A write(2): nil | B read: 1"), 2u);
  EXPECT_EQ(stale("A write(1): nil | A write(2): nil | A write(3): nil | B read: 1"), 3u);
  EXPECT_EQ(stale("A write(1): nil | B read: 7"), 0u);  // never written, so it is not stale
  EXPECT_EQ(stale("A cas(0, 1): true | B read: 0"), 0u);
}

}  // namespace
}  // namespace plumb::test
