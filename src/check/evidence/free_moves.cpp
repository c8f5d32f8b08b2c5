// SPDX-License-Identifier: MIT
#include "check/evidence/free_moves.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "check/evidence/core.hpp"

namespace plumb {
namespace {

constexpr std::size_t kMostStates = 300;  // to which the object can move by itself
constexpr std::size_t kFewForgotten = 8;  // forgotten operations that any engine can try
constexpr std::size_t kMostReplayed = 200;
constexpr std::uint64_t kFreeSteps = kStepsPerSecond / 200;

using Labels = std::shared_ptr<const std::vector<BoundLabel>>;

void make_distinct(std::vector<StateId>& states) {
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
}

// The states of another space, with its numbers.
class FreeSpace final : public StateSpace {
 public:
  FreeSpace(std::unique_ptr<StateSpace> plain, Labels moves, std::shared_ptr<bool> too_many)
      : plain_(std::move(plain)), moves_(std::move(moves)), too_many_(std::move(too_many)) {}

  StateId initial() override { return plain_->initial(); }

  void step(StateId from, const BoundLabel& label, std::vector<StateId>& to) override {
    std::vector<StateId> all;
    for (const StateId here : reachable(from)) plain_->step(here, label, all);
    if (*too_many_) return;  // nobody will listen
    make_distinct(all);
    to.insert(to.end(), all.begin(), all.end());
  }

  std::vector<Value> results(StateId from, const BoundLabel& label) override {
    std::vector<Value> all;
    for (const StateId here : reachable(from))
      for (const Value v : plain_->results(here, label)) all.push_back(v);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  std::string print(StateId state) const override { return plain_->print(state); }
  std::size_t size() const override { return plain_->size(); }
  std::size_t bytes() const override { return plain_->bytes(); }
  std::unique_ptr<StateSpace> fork(StateId state) const override {
    return std::make_unique<FreeSpace>(plain_->fork(state), moves_, too_many_);
  }

 private:
  const std::vector<StateId>& reachable(StateId from) {
    std::vector<StateId>& all = reachable_[from];
    if (!all.empty() || *too_many_) return all;
    all.push_back(from);
    std::unordered_set<StateId> seen = {from};
    std::vector<StateId> next;
    for (std::size_t i = 0; i < all.size() && !*too_many_; ++i) {
      next.clear();
      for (const BoundLabel& move : *moves_) plain_->step(all[i], move, next);
      for (const StateId state : next)
        if (seen.insert(state).second) all.push_back(state);
      *too_many_ = all.size() > kMostStates;
    }
    return all;
  }

  std::unique_ptr<StateSpace> plain_;
  Labels moves_;
  std::shared_ptr<bool> too_many_;
  std::unordered_map<StateId, std::vector<StateId>> reachable_;
};

// What its author said of the plain one need not be true of it: no operation is pure.
class FreeSpecification final : public Specification {
 public:
  FreeSpecification(const Specification& plain, Labels moves, std::shared_ptr<bool> too_many)
      : plain_(plain), moves_(std::move(moves)), too_many_(std::move(too_many)) {}

  const std::string& name() const override { return plain_.name(); }
  std::span<const Method> methods() const override { return plain_.methods(); }
  std::string reject(const BoundLabel& label) const override { return plain_.reject(label); }
  std::string reject_initial(Value initial) const override {
    return plain_.reject_initial(initial);
  }
  std::unique_ptr<StateSpace> states(std::optional<Value> initial) const override {
    return std::make_unique<FreeSpace>(plain_.states(initial), moves_, too_many_);
  }
  std::unique_ptr<Replay> replay(std::optional<Value>) const override {
    throw std::logic_error("an order of it would be none of the plain object");
  }
  bool pure(const BoundLabel&) const override { return false; }
  std::vector<Value> keys(const BoundLabel&) const override { return {}; }
  Traffic traffic(const BoundLabel&) const override { return {}; }
  std::optional<std::vector<Value>> initial_values(std::optional<Value>) const override {
    return std::nullopt;
  }

 private:
  const Specification& plain_;
  Labels moves_;
  std::shared_ptr<bool> too_many_;
};

// Those that are pending and come first.
std::size_t count_forgotten(const Problem& problem) {
  std::size_t n = 0;
  while (n < problem.ops.size() && problem.ops[n].call == n && !problem.ops[n].completed() &&
         !problem.ops[n].judged)
    ++n;
  return n;
}

}  // namespace

Answer decide_with_free_moves(const std::string& engine, const Problem& problem, Budget& budget) {
  const std::size_t forgotten = count_forgotten(problem);
  const std::size_t shown = problem.ops.size() - forgotten;
  // What is inside may be a reason to block.
  if (problem.stuck || forgotten < kFewForgotten || shown > kMostReplayed) return {};
  std::vector<bool> is_move(problem.labels.size(), false);
  for (OperationId op = 0; op < forgotten; ++op) is_move[problem.ops[op].label] = true;
  const auto moves = std::make_shared<std::vector<BoundLabel>>();
  for (LabelId id = 0; id < is_move.size(); ++id)
    if (is_move[id] && !problem.pure[id]) moves->push_back(problem.labels[id]);

  const auto too_many = std::make_shared<bool>(false);
  const FreeSpecification specification(*problem.specification, moves, too_many);
  std::vector<OperationId> kept;
  for (std::size_t op = forgotten; op < problem.ops.size(); ++op)
    kept.push_back(static_cast<OperationId>(op));
  Problem rest = restrict(problem, kept);
  rest.specification = &specification;
  rest.pure.assign(rest.pure.size(), false);
  if (rest.origin) {
    rest.origin =
        std::make_shared<FreeSpace>(rest.origin->fork(rest.origin_state), moves, too_many);
    rest.origin_state = rest.origin->initial();
  }
  Budget slice(budget, kFreeSteps);
  EngineOptions breadth_first;
  breadth_first.breadth_first = true;
  const Answer answer =
      decide_where_defined([&] { return decide(engine, rest, slice, breadth_first); });
  if (*too_many || answer.verdict != Verdict::violation) return {};
  Answer refuted;  // the positions of the other one are those of another problem
  refuted.verdict = Verdict::violation;
  refuted.engine = answer.engine;
  if (answer.failing_event != kNone) {
    const std::size_t failing = rest.events[answer.failing_event].operation();
    refuted.failing_event = problem.ops[forgotten + failing].ret;
  }
  return refuted;
}

}  // namespace plumb
