// SPDX-License-Identifier: MIT
#include "explain/orders.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>

namespace plumb::report {

namespace {

class ResultSearch {
 public:
  ResultSearch(const Story& story, const std::vector<OperationId>& ops, std::size_t max_steps)
      : story_(story), ops_(ops), max_steps_(max_steps), space_(story.states()) {}

  Alternatives run() {
    if (!space_ || ops_.size() > 64) return {};
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      labels_.push_back(story_.bound(ops_[i]));
      const std::uint64_t bit = std::uint64_t{1} << i;
      if (ops_[i] == story_.culprit()) culprit_ = i;
      else if (story_.completed(ops_[i])) required_ |= bit;
      // Definition 2 of Line-Up: a pending operation is judged without the other pending ones.
      else if (story_.never_returns(ops_[i])) excluded_ |= bit;
      before_.push_back(0);
      for (std::size_t j = 0; j < ops_.size(); ++j)
        if (i != j && story_.history().happens_before(ops_[j], ops_[i]))
          before_[i] |= std::uint64_t{1} << j;
    }
    labels_[culprit_].known = false;
    if (!story_.stuck()) required_ |= std::uint64_t{1} << culprit_;
    else excluded_ |= std::uint64_t{1} << culprit_;

    extend(0, space_->initial(), nullptr);
    // If the others have no order by themselves (they may need some that are not shown), nothing
    // follows for the culprit.
    if (steps_ > max_steps_ || !others_done_) return {};
    return {true, false, {results_.begin(), results_.end()}, blocks_};
  }

 private:
  // `result`: what the culprit returned, if it is taken already.
  void extend(std::uint64_t taken, StateId state, const Value* result) {
    if (++steps_ > max_steps_) return;
    if (result && results_.count(*result)) return;  // nothing new can come of it
    if (!seen_.insert({taken, state, result ? *result : Value::nil()}).second) return;
    const std::uint64_t own = std::uint64_t{1} << culprit_;
    if (((taken | own) & required_) == required_) others_done_ = true;
    if ((taken & required_) == required_) finish(state, result);
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const std::uint64_t bit = std::uint64_t{1} << i;
      if ((taken | excluded_) & bit || (before_[i] & ~taken)) continue;
      if (i != culprit_) {
        follow(taken | bit, state, labels_[i], result);
        continue;
      }
      const std::vector<Value> possible = space_->results(state, labels_[i]);
      if (possible.empty()) blocks_ = true;
      for (const Value value : possible) {
        BoundLabel label = labels_[i];
        label.result = value;
        label.known = true;
        follow(taken | bit, state, label, &value);
      }
    }
  }

  void follow(std::uint64_t taken, StateId state, const BoundLabel& label, const Value* result) {
    std::vector<StateId> next;
    space_->step(state, label, next);
    for (const StateId to : next) extend(taken, to, result);
  }

  void finish(StateId state, const Value* result) {
    if (!story_.stuck()) {
      results_.insert(*result);
      return;
    }
    const std::vector<Value> possible = space_->results(state, labels_[culprit_]);
    if (possible.empty()) blocks_ = true;
    results_.insert(possible.begin(), possible.end());
  }

  const Story& story_;
  const std::vector<OperationId>& ops_;
  const std::size_t max_steps_;
  std::unique_ptr<StateSpace> space_;
  std::vector<BoundLabel> labels_;
  std::vector<std::uint64_t> before_;  // who must be taken first
  std::uint64_t required_ = 0, excluded_ = 0;
  std::size_t culprit_ = 0, steps_ = 0;
  std::set<std::tuple<std::uint64_t, StateId, Value>> seen_;
  std::set<Value> results_;
  bool blocks_ = false, others_done_ = false;
};

}  // namespace

Alternatives find_alternatives(const Story& story, std::size_t max_steps) {
  const Counterexample& c = story.counterexample();
  // The state at a cut is forced by the results of all operations that were called before it. If
  // the culprit is one of them, another result of it might have allowed another state.
  if (!c.left_state.empty() && story.history().call[c.culprit] < c.left_position) return {};
  // Where clocks err, operations of other objects may come in between.
  if (!story.history().after.empty() && story.history().objects.size() > 1) return {};
  if (c.left_state.empty()) {
    const std::vector<OperationId> linked = story.linked();
    Alternatives all = ResultSearch(story, linked, max_steps).run();
    all.of_all = true;
    if (all.known) return all;
  }
  return ResultSearch(story, story.operations(), max_steps).run();
}

}  // namespace plumb::report
