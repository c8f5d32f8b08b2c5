// SPDX-License-Identifier: MIT
// The orders that the page steps through, against all orders that there are.
#include "explain/steps.hpp"

#include <gtest/gtest.h>

#include <set>

#include "oracle/oracle.hpp"
#include "plumb/check.hpp"

namespace plumb::test {
namespace {

using report::bound_label;
using report::Order;
using report::OrderStep;
using report::Story;

// Every order, one after the other, without remembering anything.
class AllOrders {
 public:
  AllOrders(const Story& story, const std::vector<OperationId>& ops)
      : story_(story), ops_(ops), space_(story.specification().states(story.initial())),
        taken_(ops.size()) {}

  int most_returned() {
    extend(space_->initial(), 0);
    return most_;
  }

 private:
  void extend(StateId state, int returned) {
    most_ = std::max(most_, returned);
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const OperationId op = ops_[i];
      if (taken_[i] || (story_.history().stuck && story_.history().fate[op] == Fate::pending))
        continue;
      bool waits = false;
      for (std::size_t j = 0; j < ops_.size(); ++j)
        waits = waits || (!taken_[j] && j != i && story_.history().happens_before(ops_[j], op));
      if (waits) continue;
      std::vector<StateId> next;
      space_->step(state, story_.bound(op), next);
      taken_[i] = true;
      for (const StateId to : next) extend(to, returned + story_.completed(op));
      taken_[i] = false;
    }
  }

  const Story& story_;
  const std::vector<OperationId>& ops_;
  std::unique_ptr<StateSpace> space_;
  std::vector<bool> taken_;
  int most_ = 0;
};

// Whether the specification allows the order, and prints these states on the way.
void expect_legal(const Order& order, const Specification& specification, const History& history,
                  std::optional<Value> initial) {
  const auto space = specification.states(initial);
  std::set<StateId> states = {space->initial()};
  ASSERT_EQ(order.initial, space->print(space->initial()));
  std::set<OperationId> taken;
  for (const OrderStep& step : order.steps) {
    for (const auto& [refused, possible] : step.refused) {
      ASSERT_FALSE(taken.contains(refused));
      const BoundLabel label = bound_label(specification, history, history.label[refused]);
      bool illegal_somewhere = !label.known;  // a culprit that waits although it could return
      for (const StateId from : states) {
        std::vector<StateId> to;
        space->step(from, label, to);
        illegal_somewhere = illegal_somewhere || to.empty();
      }
      ASSERT_TRUE(illegal_somewhere) << history.print(refused);
    }
    if (step.operation == kNone) continue;
    for (OperationId earlier = 0; earlier < history.size(); ++earlier)
      if (order.of.empty() || std::count(order.of.begin(), order.of.end(), earlier) > 0) {
        ASSERT_TRUE(taken.contains(earlier) || !history.happens_before(earlier, step.operation));
      }
    ASSERT_TRUE(taken.insert(step.operation).second);
    std::set<StateId> next;
    for (const StateId from : states) {
      std::vector<StateId> to;
      space->step(from, bound_label(specification, history, history.label[step.operation]), to);
      for (const StateId state : to)
        if (space->print(state) == step.state) next.insert(state);
    }
    ASSERT_FALSE(next.empty()) << history.print(step.operation) << " to " << step.state;
    states = std::move(next);
  }
}

class Steps : public testing::TestWithParam<const Specification*> {};

TEST_P(Steps, AreThoseOfTheLongestOrderOrOfTheWitness) {
  const Specification& specification = *GetParam();
  const RandomHistories source(specification);
  const std::uint64_t n = histories() / 40;
  std::uint64_t longest = 0, witnesses = 0;
  Draws draws(n);
  draws.until("longest orders", longest, n / 50).until("witnesses", witnesses, n / 50);
  for (const std::uint64_t i : draws) {
    const History history =
        source.make(seed_of(specification, i) + 3'000'000'019, {.most = 6, .most_processes = 4});
    SCOPED_TRACE(to_text(history) + " number " + std::to_string(i));
    const std::optional<Value> initial = history.objects[0].initial;
    const Result<CheckReport> report =
        check(history, {.specification = &specification, .initial = initial, .jobs = 1});
    ASSERT_TRUE(report.ok());
    if (report->counterexample && report->counterexample->left_state.empty()) {
      ++longest;
      const Story story(history, specification, *report->counterexample, initial);
      const std::optional<Order> order = report::longest_order(story);
      ASSERT_TRUE(order && order->exhaustive);
      expect_legal(*order, specification, history, initial);
      if (HasFatalFailure()) return;
      int returned = 0, required = 0;
      for (const OrderStep& step : order->steps)
        returned += step.operation != kNone && story.completed(step.operation);
      for (const OperationId op : order->of) required += story.completed(op);
      ASSERT_EQ(returned, AllOrders(story, order->of).most_returned());
      if (!story.stuck()) { ASSERT_LT(returned, required) << "then it would be linearizable"; }
    } else if (report->verdict == Verdict::holds && !history.stuck && !report->witness.empty()) {
      ++witnesses;
      const auto order = report::replay_order(
          history, [&](ObjectId) { return &specification; }, initial, report->witness, 1000);
      ASSERT_TRUE(order);
      expect_legal(*order, specification, history, initial);
      if (HasFatalFailure()) return;
      ASSERT_EQ(order->steps.size(), report->witness.size() + 1);
      for (std::size_t k = 0; k < report->witness.size(); ++k)
        ASSERT_EQ(order->steps[k].operation, report->witness[k]);
    }
  }
  EXPECT_EQ(draws.lacks(), "");
}

INSTANTIATE_TEST_SUITE_P(Every, Steps, testing::ValuesIn(all_specifications()),
                         [](const auto& info) { return test_name(*info.param); });

}  // namespace
}  // namespace plumb::test
