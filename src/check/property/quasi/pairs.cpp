// SPDX-License-Identifier: MIT
// The second engine of the relaxations by permutation: the definition in permuting.hpp, read aloud.
//
// What joint finds is confirmed here, so this shares no code with it, and none of its prunings. A
// node is a pair of beginnings, of rho' and of rho'', of the same length. Its edges append any
// operation to each. Of an operation that is in one of the two, the node has the place, which says
// where it can still be put into the other one; a node in which it is too late for that has no
// edges. All nodes that can be reached are visited.
//
// Pending operations with the same label and the same predecessors can be exchanged, so nodes that
// differ in them alone are one. What is forgotten of a history consists of such operations.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "check/property/quasi/permuting.hpp"

namespace plumb::quasi {
namespace {

class PairSearch {
 public:
  PairSearch(const Problem& problem, Relaxation relaxation, const Factors& factors, Budget& budget)
      : problem_(problem), relaxation_(relaxation), factors_(factors), budget_(budget),
        charge_(budget), space_(problem.make_space()) {
    const std::size_t n = problem.ops.size();
    std::vector<bool> has_successor(n, false);
    std::map<std::pair<LabelId, std::vector<OperationId>>, std::vector<OperationId>> alike;
    for (OperationId op = 0; op < n; ++op) {
      auto& before = before_.emplace_back();
      for (OperationId other = 0; other < n; ++other)
        if (problem.happens_before(other, op) || problem.ops[op].after == other)
          before.push_back(other);
      if (problem.ops[op].after != kNone) has_successor[problem.ops[op].after] = true;
    }
    for (OperationId op = 0; op < n; ++op)
      if (!problem.ops[op].completed() && !has_successor[op])
        alike[{problem.ops[op].label, before_[op]}].push_back(op);
    for (auto& [key, ops] : alike) alike_.push_back(std::move(ops));
  }

  Answer run() {
    Answer answer;
    answer.engine = "pairs";
    visit({std::vector<std::uint32_t>(problem_.ops.size(), kNeither), space_->initial()});
    while (!waiting_.empty() && !held_) {
      if (!within_budget()) break;
      const Node* const here = waiting_.back();
      waiting_.pop_back();
      for (OperationId x = 0; x < before_.size(); ++x)
        if (may_be_next(*here, x)) append(*here, x);
    }
    answer.stats.configurations = nodes_.size();
    if (held_) answer.verdict = Verdict::holds;
    else if (waiting_.empty()) answer.verdict = Verdict::violation;
    else answer.reason = describe_stop(budget_);
    return answer;
  }

 private:
  // By operation: in neither, in both, or its place in the only one.
  static constexpr std::uint32_t kNeither = 0, kBoth = 1;
  static std::uint32_t in_first(std::uint32_t place) { return 2 + 2 * place; }
  static std::uint32_t in_second(std::uint32_t place) { return 3 + 2 * place; }
  static bool is_in_first(std::uint32_t where) {
    return where == kBoth || (where >= 2 && where % 2 == 0);
  }
  static bool is_in_second(std::uint32_t where) { return where == kBoth || where % 2 == 1; }
  static std::uint32_t place(std::uint32_t where) { return where / 2 - 1; }

  using Node = std::pair<std::vector<std::uint32_t>, StateId>;

  std::uint32_t set_of(OperationId op) const {
    return factors_.set_of[problem_.labels[problem_.ops[op].label].method];
  }
  bool count_together(OperationId a, OperationId b) const {
    return relaxation_ == Relaxation::all || set_of(a) == set_of(b);
  }

  // The next place for the operation, in rho' or rho''.
  std::uint32_t next_place(const Node& node, OperationId op, bool (*is_in)(std::uint32_t)) const {
    std::uint32_t n = 0;
    for (OperationId other = 0; other < before_.size(); ++other)
      n += is_in(node.first[other]) && count_together(op, other);
    return n;
  }

  bool may_be_next(const Node& node, OperationId x) const {
    return !is_in_first(node.first[x]) &&
           std::all_of(before_[x].begin(), before_[x].end(),
                       [&](OperationId before) { return is_in_first(node.first[before]); });
  }

  // Whether an operation of which one place is known may have that one in the other sequence.
  bool is_near(OperationId op, std::uint32_t where, std::uint32_t other) const {
    const std::uint32_t one = place(where);
    return (one > other ? one - other : other - one) <= factors_.factor[set_of(op)];
  }

  bool within_budget() {
    const std::size_t bytes = nodes_.size() * (sizeof(Node) + 64 + 4 * before_.size());
    return charge_.hold(bytes + space_->bytes()) && !budget_.exhausted();
  }

  void append(const Node& here, OperationId x) {
    budget_.spend(before_.size());
    Node one = here;
    const std::uint32_t x_place = next_place(here, x, is_in_first);
    if (here.first[x] != kNeither && !is_near(x, here.first[x], x_place)) return;
    one.first[x] = here.first[x] == kNeither ? in_first(x_place) : kBoth;
    for (OperationId y = 0; y < before_.size(); ++y) {
      if (is_in_second(one.first[y])) continue;
      if (relaxation_ == Relaxation::slot && set_of(x) != set_of(y)) continue;
      const std::uint32_t y_place = next_place(one, y, is_in_second);
      if (one.first[y] != kNeither && !is_near(y, one.first[y], y_place)) continue;
      Node both = one;
      both.first[y] = one.first[y] == kNeither ? in_second(y_place) : kBoth;
      if (is_too_late(both)) continue;
      std::vector<StateId> to;
      space_->step(here.second, problem_.labels[problem_.ops[y].label], to);
      for (const StateId state : to) visit({both.first, state});
    }
  }

  bool is_too_late(const Node& node) const {
    for (OperationId op = 0; op < before_.size(); ++op) {
      const std::uint32_t where = node.first[op];
      if (where == kNeither || where == kBoth) continue;
      const std::uint32_t next =
          next_place(node, op, is_in_first(where) ? is_in_second : is_in_first);
      if (next > place(where) && !is_near(op, where, next)) return true;
    }
    return false;
  }

  void visit(Node node) {
    bool all = true, apart = false;
    for (OperationId op = 0; op < before_.size(); ++op) {
      all = all && (!problem_.ops[op].completed() || node.first[op] == kBoth);
      apart = apart || node.first[op] > kBoth;
    }
    held_ = held_ || (all && !apart);
    for (const auto& ops : alike_) {
      std::vector<std::uint32_t> where;
      for (const OperationId op : ops) where.push_back(node.first[op]);
      std::sort(where.begin(), where.end());
      for (std::size_t i = 0; i < ops.size(); ++i) node.first[ops[i]] = where[i];
    }
    const auto [at, fresh] = nodes_.insert(std::move(node));
    if (fresh) waiting_.push_back(&*at);
  }

  const Problem& problem_;
  const Relaxation relaxation_;
  const Factors& factors_;
  Budget& budget_;
  Charge charge_;
  const std::unique_ptr<StateSpace> space_;
  std::vector<std::vector<OperationId>> before_;  // by operation
  std::vector<std::vector<OperationId>> alike_;   // can be exchanged
  std::set<Node> nodes_;
  std::vector<const Node*> waiting_;
  bool held_ = false;
};

}  // namespace

Answer decide_pairs(const Problem& problem, Relaxation relaxation, const Factors& factors,
                    Budget& budget) {
  return PairSearch(problem, relaxation, factors, budget).run();
}

}  // namespace plumb::quasi
