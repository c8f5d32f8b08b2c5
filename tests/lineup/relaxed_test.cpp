// SPDX-License-Identifier: MIT
// Operations of which less is asked (docs/objects.md), against their definitions by the letter, on
// every history of random classes.
//
// A history is explained if its operations can be put in an order, each after those that were over
// before its call, in which the class, called serially, gives the same results; where
//   - one that may fail, and did while another operation was going on, may be left out;
//   - a weak read may be left out if it has its result in some serial execution of the test;
//   - an asynchronous one is never over, whoever called it.
// Of a stuck history, for each pending operation there is such an order after which it blocks.
//
// None of the code under test is used: no serial histories, no tree of them, no spread test.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "lineup/check.hpp"
#include "lineup/explain.hpp"
#include "lineup/random_classes.hpp"
#include "lineup/relaxed.hpp"
#include "lineup/simulated.hpp"
#include "plumb/specification.hpp"
#include "plumb/test_abi.hpp"
#include "report/table.hpp"

namespace plumb::lineup {
namespace {

class Definition {
 public:
  Definition(const Simulated& type, const Matrix& test) : type_(type) {
    const std::vector<Cell> all = cells(test);
    const std::size_t first_final = all.size() - test.final.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
      Operation operation;
      operation.cell = static_cast<int>(i);
      operation.thread = all[i].thread;
      operation.invocation = static_cast<std::size_t>(all[i].invocation);
      operation.part = i < test.initial.size() ? Part::initial
                       : i < first_final       ? Part::column
                                               : Part::final;
      operations_.push_back(operation);
    }
    std::vector<Operation> left = operations_;
    note_serial_results(type_.initial(), left);
  }

  bool explains(const ObservedHistory& history, bool classic) const {
    std::vector<Operation> done, pending;
    read(history, done, pending);
    if (!history.stuck) return has_order(type_.initial(), done, nullptr);
    if (classic) {
      // Each pending one has taken effect, with whatever result, or not.
      done.insert(done.end(), pending.begin(), pending.end());
      return has_order(type_.initial(), done, nullptr);
    }
    return std::ranges::all_of(
        pending, [&](const Operation& p) { return has_order(type_.initial(), done, &p); });
  }

 private:
  static constexpr int kNever = 1 << 20;
  enum class Part { initial, column, final };
  struct Operation {
    int cell = 0, thread = 0;
    std::size_t invocation = 0;
    Part part = Part::column;
    int called = kNever, returned = kNever;
    std::string result = {};
    bool any_result = false;
    bool may_be_left_out = false;
  };

  const Invocation& what(const Operation& operation) const {
    return type_.object().invocations[operation.invocation];
  }

  // Is `a` over when `b` is called?
  bool is_before(const Operation& a, const Operation& b) const {
    return !what(a).asynchronous && a.returned < b.called;
  }

  // Its result; nothing: it blocks.
  std::optional<std::string> call(const Operation& operation, Shared& shared) const {
    const auto& steps = type_.methods()[operation.invocation].steps;
    Local local{operation.thread, 0};
    for (std::size_t at = 0;;) {
      const Step step = steps[at](shared, local);
      if (step.what == Step::What::blocks) return std::nullopt;
      if (step.what == Step::What::returns) return step.result;
      at = step.what == Step::What::go_to ? static_cast<std::size_t>(step.to) : at + 1;
    }
  }

  // Calls use(operation, the others) for each that may come first.
  template <class Before, class Use>
  static void for_each_first(const std::vector<Operation>& left, Before is_before, Use use) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (std::ranges::any_of(left, [&](const Operation& o) { return is_before(o, left[i]); }))
        continue;
      std::vector<Operation> rest = left;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      use(left[i], rest);
    }
  }

  // All serial executions: main before the others and after them, each thread in its order; but
  // nothing waits for what is asynchronous.
  void note_serial_results(const Shared& shared, const std::vector<Operation>& left) {
    const auto is_earlier = [&](const Operation& a, const Operation& b) {
      if (what(a).asynchronous) return false;
      if (a.part != b.part) return a.part < b.part;
      return a.thread == b.thread && a.cell < b.cell;
    };
    for_each_first(left, is_earlier, [&](const Operation& next, const auto& rest) {
      if (what(next).may_fail || what(next).weak_read) note_serial_results(shared, rest);
      Shared after = shared;
      const auto result = call(next, after);
      if (!result) return;
      serial_results_[next.cell].insert(*result);
      note_serial_results(after, rest);
    });
  }

  void read(const ObservedHistory& history, std::vector<Operation>& done,
            std::vector<Operation>& pending) const {
    std::vector<Operation> all = operations_;
    for (std::size_t i = 0; i < history.events.size(); ++i) {
      const ObservedEvent& event = history.events[i];
      Operation& operation = all[static_cast<std::size_t>(event.operation)];
      (event.is_return ? operation.returned : operation.called) = static_cast<int>(i);
      if (event.is_return) operation.result = type_.results().text(event.result);
    }
    const auto is_busy = [&](const Operation& by, const Operation& with) {
      return by.cell != with.cell && by.called < with.returned && !is_before(by, with);
    };
    for (Operation& operation : all) {
      if (operation.called == kNever) continue;
      if (operation.returned == kNever) {
        operation.any_result = operation.may_be_left_out = true;
        pending.push_back(operation);
        continue;
      }
      const bool failed = operation.result == "false" || operation.result == "null";
      if (what(operation).may_fail && failed) {
        operation.may_be_left_out = std::ranges::any_of(
            all, [&](const Operation& other) { return is_busy(other, operation); });
      }
      if (what(operation).weak_read && serial_results_.contains(operation.cell))
        operation.may_be_left_out |= serial_results_.at(operation.cell).contains(operation.result);
      done.push_back(operation);
    }
  }

  bool has_order(const Shared& shared, const std::vector<Operation>& left,
                 const Operation* blocks) const {
    Shared after = shared;
    if (left.empty()) return blocks == nullptr || !call(*blocks, after);
    bool found = false;
    const auto before = [&](const Operation& a, const Operation& b) { return is_before(a, b); };
    for_each_first(left, before, [&](const Operation& next, const auto& rest) {
      if (found) return;
      if (next.may_be_left_out && (found = has_order(shared, rest, blocks))) return;
      after = shared;
      const auto result = call(next, after);
      if (!result || (!next.any_result && *result != next.result)) return;
      const Shared then = after;
      found = has_order(then, rest, blocks);
    });
    return found;
  }

  const Simulated& type_;
  std::vector<Operation> operations_;
  std::map<int, std::set<std::string>> serial_results_;  // by cell
};

constexpr const char* kTraits[] = {"may_fail", "weak_read", "asynchronous"};
bool& trait(Invocation& invocation, std::size_t number) {
  return number == 0   ? invocation.may_fail
         : number == 1 ? invocation.weak_read
                       : invocation.asynchronous;
}

std::string words(const Simulated& type, const Matrix& test, std::uint64_t number) {
  std::string text = "class " + std::to_string(number) + ": " + to_text(test, type.object());
  for (Invocation invocation : type.object().invocations) {
    for (std::size_t i = 0; i < std::size(kTraits); ++i) {
      if (trait(invocation, i)) text += ", " + invocation.method + " " + kTraits[i];
    }
  }
  return text;
}

// At most so many.
double interleavings(const Simulated& type, const Matrix& test) {
  double number = 1;
  std::size_t all = 0;
  for (const Column& column : test.columns) {
    std::size_t steps = 0;
    for (const int i : column) steps += type.methods()[static_cast<std::size_t>(i)].steps.size();
    for (std::size_t i = 1; i <= steps; ++i)
      number *= static_cast<double>(++all) / static_cast<double>(i);
  }
  return number;
}

// How many histories of the test the definition does not explain.
struct Counted {
  std::uint64_t histories = 0, violating = 0;
};
Counted count(Simulated& type, const Matrix& test, bool classic) {
  const Definition definition(type, test);
  Counted counted;
  type.concurrent(test, -1, [&](const ObservedHistory& history) {
    ++counted.histories;
    counted.violating += definition.explains(history, classic) ? 0 : 1;
    return true;
  });
  return counted;
}

TEST(LineUpRelaxed, EveryHistoryIsJudgedAsTheDefinitionSays) {
  Random random(seed() + 5);
  std::uint64_t cases = 0, histories = 0, violations = 0;
  std::map<std::string, std::uint64_t> excused;  // histories, by what made the difference
  Draws draws(20 * classes());
  draws.until("violations", violations, 10 * classes());
  for (const char* kind : kTraits) draws.until(std::string("excused: ") + kind, excused[kind]);
  for (const std::uint64_t i : draws) {
    Simulated type = random_class(random, 3);
    Matrix test = random_test(random, 2 + draw(random, 2), 2);
    while (interleavings(type, test) > 1000) test = random_test(random, 2 + draw(random, 2), 2);
    for (Column* alone : {&test.initial, &test.final}) {
      // If all are asynchronous, they have n! orders.
      for (int n = draw(random, 2) == 0 ? 0 : draw(random, 3); n > 0 && size(test) < 7; --n)
        alone->push_back(draw(random, 3));
    }
    const bool classic = draw(random, 4) == 0;
    const std::uint64_t strict = count(type, test, classic).violating;
    // One trait of one method mostly, so that its effect can be told; else any of all.
    const bool one = draw(random, 3) != 0;
    const auto method = static_cast<std::size_t>(draw(random, 3)),
               kind = static_cast<std::size_t>(draw(random, 3));
    for (std::size_t m = 0; m < 3; ++m) {
      for (std::size_t k = 0; k < 3; ++k) {
        trait(type.object().invocations[m], k) =
            one ? m == method && k == kind : draw(random, 3) == 0;
      }
    }
    const Counted expected = count(type, test, classic);
    CheckSettings settings;
    settings.classic = classic;
    settings.all_histories = true;
    const CheckResult got = check(type, type.object(), test, settings);
    ASSERT_EQ(got.histories, expected.histories) << words(type, test, i);
    ASSERT_EQ(got.violating, expected.violating) << words(type, test, i);
    ASSERT_EQ(got.verdict, expected.violating == 0 ? CheckResult::TestVerdict::pass
                                                   : CheckResult::TestVerdict::fail)
        << words(type, test, i);
    if (got.history) {
      for (const std::string& sentence : explain(test, type.object(), got, type.results()).why)
        EXPECT_EQ(sentence.find(kLeftOut), sentence.npos) << sentence << words(type, test, i);
    }
    ++cases;
    histories += expected.histories;
    violations += expected.violating;
    if (one) excused[kTraits[kind]] += strict - expected.violating;
  }
  // Each matters.
  RecordProperty("cases", static_cast<int>(cases));
  RecordProperty("histories", static_cast<int>(histories));
  EXPECT_EQ(draws.lacks(), "");
}

// A class of which one history is known. Serially it is whatever the other says.
class Known final : public Runner {
 public:
  // Calls, and returns where there is a result.
  using Events = std::vector<std::pair<int, std::optional<std::string>>>;
  Known(Simulated& type, const Events& events) : type_(type) {
    for (const auto& [operation, result] : events) {
      history_.events.push_back(
          {operation, result.has_value(), result ? type_.results().number(*result) : 0});
    }
  }
  RunResult serial(const Matrix& test, const OnHistory& on_history) override {
    return type_.serial(test, on_history);
  }
  RunResult concurrent(const Matrix&, int, const OnHistory& on_history) override {
    on_history(history_);
    return {};
  }
  const Results& results() const override { return type_.results(); }

 private:
  Simulated& type_;
  ObservedHistory history_;
};
constexpr auto kCalls = std::nullopt;

// Its methods are never run where a specification is given.
Simulated names_only(const std::vector<std::string>& texts) {
  std::vector<SimulatedMethod> methods;
  for (const std::string& text : texts)
    methods.push_back({text.substr(0, text.find('(')), text, {}});
  return {"Names", {}, std::move(methods)};
}

CheckResult judge_by(const char* specification, Simulated& type, const std::string& test,
                     const Known::Events& events) {
  CheckSettings settings;
  settings.by.specification = find_specification(specification);
  Known runner(type, events);
  return check(runner, type.object(), type.test(test), settings);
}

TEST(LineUpRelaxed, AGivenSpecificationForgivesWhoFailsWhileOthersAreBusy) {
  Simulated queue = names_only({"enq(1)", "enq(2)", "deq()"});
  const std::string test = "pre enq(1); enq(2) | deq";
  const Known::Events busy{{0, kCalls}, {0, ""}, {1, kCalls}, {2, kCalls}, {2, "null"}, {1, ""}};
  const Known::Events alone{{0, kCalls}, {0, ""}, {1, kCalls}, {1, ""}, {2, kCalls}, {2, "null"}};
  const Known::Events wrong{{0, kCalls}, {0, ""}, {1, kCalls}, {2, kCalls}, {2, "2"}, {1, ""}};
  EXPECT_EQ(judge_by("queue", queue, test, busy).verdict, CheckResult::TestVerdict::fail);
  queue.object().invocations[2].may_fail = true;
  EXPECT_EQ(judge_by("queue", queue, test, busy).verdict, CheckResult::TestVerdict::pass);
  EXPECT_EQ(judge_by("queue", queue, test, alone).verdict, CheckResult::TestVerdict::fail);
  EXPECT_EQ(judge_by("queue", queue, test, wrong).verdict, CheckResult::TestVerdict::fail);
}

TEST(LineUpRelaxed, AGivenSpecificationDoesNotBlameWhatMayFail) {
  Simulated queue = names_only({"enq(1)", "enq(2)", "deq()"});
  queue.object().invocations[2].may_fail = true;
  const std::string test = "pre enq(1); enq(2) | deq, deq";
  const CheckResult result = judge_by("queue", queue, test,
                                      {{0, kCalls},
                                       {0, ""},
                                       {1, kCalls},
                                       {2, kCalls},
                                       {2, "null"},
                                       {3, kCalls},
                                       {3, "2"},
                                       {1, ""}});
  ASSERT_EQ(result.verdict, CheckResult::TestVerdict::fail);
  const Explanation explanation =
      explain(queue.test(test), queue.object(), result, queue.results());
  ASSERT_TRUE(explanation.counterexample);
  for (const std::string& row :
       report::make_table({explanation.history, nullptr, {}}, *explanation.counterexample, 100))
    EXPECT_EQ(row.find("null"), std::string::npos) << row;
  EXPECT_EQ(explanation.why.back(), "deq() of B is relaxed and omitted here.");
}

TEST(LineUpRelaxed, AGivenSpecificationIsNotDecidedWhereTooManyMayHaveFailed) {
  Simulated queue = names_only({"enq(1)", "enq(2)", "deq()"});
  queue.object().invocations[2].may_fail = true;
  std::string test = "pre enq(1); enq(2) | deq";
  Known::Events events{{0, kCalls}, {0, ""}, {1, kCalls}};
  for (int i = 2; i < 15; ++i) {
    if (i > 2) test += ", deq";
    events.insert(events.end(), {{i, kCalls}, {i, "null"}});
  }
  events.emplace_back(1, "");
  EXPECT_EQ(judge_by("queue", queue, test, events).verdict, CheckResult::TestVerdict::pass);
  events.insert(events.end(), {{15, kCalls}, {15, "2"}});  // not the first
  const CheckResult result = judge_by("queue", queue, test + "; post deq", events);
  EXPECT_EQ(result.verdict, CheckResult::TestVerdict::undecided);
  EXPECT_NE(result.cut.text.find("too many optional operations (limit 12)"), std::string::npos)
      << result.cut.text;
}

TEST(LineUpRelaxed, AGivenSpecificationForgivesWeakReads) {
  Simulated counter = names_only({"inc()", "get()"});
  const std::string test = "inc, get; post get";
  const auto events = [](const char* then) {
    return Known::Events{{0, kCalls}, {0, ""}, {1, kCalls}, {1, "0"}, {2, kCalls}, {2, then}};
  };
  EXPECT_EQ(judge_by("counter", counter, test, events("1")).verdict,
            CheckResult::TestVerdict::fail);
  counter.object().invocations[1].weak_read = true;
  EXPECT_EQ(judge_by("counter", counter, test, events("1")).verdict,
            CheckResult::TestVerdict::pass);
}

TEST(LineUpRelaxed, AGivenSpecificationLetsTheAsynchronousComeLater) {
  Simulated counter = names_only({"inc()", "get()"});
  const std::string test = "inc, inc, get; post get";
  const auto events = [](const char* then, const char* at_last) {
    return Known::Events{{0, kCalls}, {0, ""},   {1, kCalls}, {1, ""},
                         {2, kCalls}, {2, then}, {3, kCalls}, {3, at_last}};
  };
  EXPECT_EQ(judge_by("counter", counter, test, events("0", "1")).verdict,
            CheckResult::TestVerdict::fail);
  counter.object().invocations[0].asynchronous = true;
  EXPECT_EQ(judge_by("counter", counter, test, events("0", "1")).verdict,
            CheckResult::TestVerdict::pass);
  EXPECT_EQ(judge_by("counter", counter, test, events("2", "2")).verdict,
            CheckResult::TestVerdict::pass);
  const CheckResult result = judge_by("counter", counter, test, events("2", "1"));
  ASSERT_EQ(result.verdict, CheckResult::TestVerdict::fail);
  EXPECT_FALSE(
      explain(counter.test(test), counter.object(), result, counter.results()).why.empty());
}

// A counter, and a try that never fails serially.
Simulated counter_with_try() {
  const auto inc = [](Shared& s, Local&) { return ++s[0], returns(); };
  const auto get = [](Shared& s, Local&) { return returns(std::to_string(s[0])); };
  const auto attempt = [](Shared&, Local&) { return returns("true"); };
  return {"Counter",
          {0},
          {{"inc", "inc()", {inc}}, {"get", "get()", {get}}, {"attempt", "attempt()", {attempt}}}};
}

TEST(LineUpRelaxed, TheNearestOrderIsNotBlamedForWhatMayFail) {
  Simulated counter = counter_with_try();
  counter.object().invocations[2].may_fail = true;
  const Matrix test = counter.test("inc | attempt; post get");
  Known runner(counter, {{0, kCalls}, {1, kCalls}, {1, "false"}, {0, ""}, {2, kCalls}, {2, "7"}});
  const CheckResult result = check(runner, counter.object(), test, {});
  ASSERT_EQ(result.verdict, CheckResult::TestVerdict::fail);
  EXPECT_EQ(explain(test, counter.object(), result, counter.results()).why.back(),
            "Nearest, leaving out attempt() of B: A inc(), main get() = 1. There get() of main "
            "returns 1; here it returns 7.");
}

TEST(LineUpRelaxed, TheNearestOrderMayHaveTheAsynchronousLater) {
  Simulated counter = counter_with_try();
  counter.object().invocations[0].asynchronous = true;
  const Matrix test = counter.test("inc, get; post get");
  Known runner(counter, {{0, kCalls}, {0, ""}, {1, kCalls}, {1, "0"}, {2, kCalls}, {2, "7"}});
  const CheckResult result = check(runner, counter.object(), test, {});
  ASSERT_EQ(result.verdict, CheckResult::TestVerdict::fail);
  const std::string why = explain(test, counter.object(), result, counter.results()).why.back();
  EXPECT_EQ(why.find("get() of A returns"), std::string::npos) << why;
}

TEST(LineUpRelaxed, OrdersThatCanNotBeAreNotRun) {
  Simulated counter = counter_with_try();
  counter.object().invocations[0].asynchronous = true;
  const Matrix test = counter.test("pre get, inc, get; get, inc | get; post get, inc");
  const Spread apart = spread(test, counter.object());
  // get; inc of main | get of A | get of B ...
  EXPECT_EQ(apart.test.initial.size(), 1U);
  EXPECT_TRUE(apart.test.final.empty());
  EXPECT_EQ(apart.test.columns.size(), 7U);
  const std::vector<Cell> all = cells(test);
  std::set<std::vector<int>> orders;
  counter.serial(apart.test, [&](const ObservedHistory& history) {
    std::vector<int> order;
    for (const SerialStep& step : apart.before(to_serial(history))) order.push_back(step.operation);
    orders.insert(order);
    return true;
  });
  // By the letter: everybody is after those of before, unless these are asynchronous.
  const std::set<std::pair<int, int>> before{{0, 1}, {0, 2}, {2, 3}, {2, 4}, {2, 5}, {3, 4},
                                             {3, 6}, {5, 6}, {6, 7}, {0, 3}, {0, 4}, {0, 5},
                                             {0, 6}, {0, 7}, {2, 6}, {2, 7}, {3, 7}, {5, 7}};
  std::vector<int> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::set<std::vector<int>> expected;
  do {
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = i;
    if (std::ranges::all_of(before, [&](const auto& pair) {
          return place[static_cast<std::size_t>(pair.first)] <
                 place[static_cast<std::size_t>(pair.second)];
        }))
      expected.insert(order);
  } while (std::ranges::next_permutation(order).found);
  EXPECT_EQ(orders, expected);
}

TEST(LineUpRelaxed, ATestWithoutAsynchronousCallsStaysAsItIs) {
  Simulated counter = counter_with_try();
  counter.object().invocations[2].asynchronous = true;
  const Matrix test = counter.test("pre inc; get | inc, get; post get");
  const Spread apart = spread(test, counter.object());
  EXPECT_FALSE(apart.is_apart);
  EXPECT_EQ(apart.test, test);
}

}  // namespace
}  // namespace plumb::lineup
