// SPDX-License-Identifier: MIT
// Operations of which less is asked (docs/objects.md), against their definitions by the letter, on
// every history of random classes.
//
// A history is explained if its operations can be put in an order, each after those that were over
// before its call, in which the class, called serially, gives the same results; where
//   - one that may fail, and did while another operation was going on, may be left out;
//   - a weak read may be left out if it has its result in some serial execution of the test;
//   - an asynchronous one is over only when main goes on.
// Of a stuck history, for each pending operation there is such an order after which it blocks.
//
// None of the code under test is used: no serial histories, no tree of them, no spread test.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "lineup/check.hpp"
#include "lineup/random_classes.hpp"
#include "lineup/simulated.hpp"
#include "lineup/tell.hpp"
#include "plumb/test_abi.hpp"

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
      operation.part = i < test.initial.size() ? kInitial : i < first_final ? kColumn : kFinal;
      operations_.push_back(operation);
    }
    std::vector<Operation> left = operations_;
    note_serial_results(type_.initial(), left);
  }

  bool explains(const History& history, bool classic) const {
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
  enum Part { kInitial, kColumn, kFinal };
  struct Operation {
    int cell = 0, thread = 0;
    std::size_t invocation = 0;
    Part part = kColumn;
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
    if (a.part != b.part) return a.part < b.part;
    if (a.part == kColumn && what(a).asynchronous) return false;
    return a.returned < b.called;
  }

  // Its result; nothing: it blocks.
  std::optional<std::string> call(const Operation& operation, Shared& shared) const {
    const auto& steps = type_.methods()[operation.invocation].steps;
    Local local{operation.thread, 0};
    for (std::size_t at = 0;;) {
      const Step step = steps[at](shared, local);
      if (step.what == Step::kBlocks) return std::nullopt;
      if (step.what == Step::kReturns) return step.result;
      at = step.what == Step::kGoTo ? static_cast<std::size_t>(step.to) : at + 1;
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

  // All serial executions: each thread in its order, but what is asynchronous may come later.
  void note_serial_results(const Shared& shared, const std::vector<Operation>& left) {
    const auto is_earlier = [&](const Operation& a, const Operation& b) {
      if (a.part != b.part) return a.part < b.part;
      if (a.part == kColumn && what(a).asynchronous) return false;
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

  void read(const History& history, std::vector<Operation>& done,
            std::vector<Operation>& pending) const {
    std::vector<Operation> all = operations_;
    for (std::size_t i = 0; i < history.events.size(); ++i) {
      const Event& event = history.events[i];
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

std::string words(const Simulated& type, const Matrix& test, int number) {
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
  type.concurrent(test, -1, [&](const History& history) {
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
  for (int i = 0; i < 20 * classes(); ++i) {
    Simulated type = random_class(random, 3);
    Matrix test = random_test(random, 2 + draw(random, 2), 2);
    while (interleavings(type, test) > 1000) test = random_test(random, 2 + draw(random, 2), 2);
    if (draw(random, 4) == 0) test.initial.push_back(draw(random, 3));
    if (draw(random, 4) == 0) test.final.push_back(draw(random, 3));
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
    ASSERT_EQ(got.verdict, expected.violating == 0 ? CheckResult::kPass : CheckResult::kFail)
        << words(type, test, i);
    if (got.history) {
      for (const std::string& sentence : tell(test, type.object(), got, type.results()).why)
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
  EXPECT_GT(violations, cases / 2);
  for (const char* kind : kTraits) EXPECT_GT(excused[kind], 0u) << kind;
}

}  // namespace
}  // namespace plumb::lineup
