// SPDX-License-Identifier: MIT
// Round-Up, Algorithms 1 and 2: the baseline that the joint search is measured by.
//
//   for each sequentialization rho' of the history
//     for each quasi permutation rho'' of rho', the first of which is rho' itself
//       if the specification allows rho'', the history is quasi linearizable
//
// Sequentializations are enumerated by Definition 1: any operation whose predecessors are placed
// comes next. (The rewriting of lines 16-21, "replace by op1 first and by op2 first", gives the
// same for two threads. With three overlapping calls it misses the orders that begin with the
// third: of six it makes four.) A pending operation may be in rho' or not.
//
// Permutations are those of Algorithm 2, of the operations that count together: of all operations,
// or of each set, one set after the other. Under def4 the sets are then shuffled in every way.
//
// Section VI-C removes three redundancies. (1) Equal serial histories of the specification: it is
// an automaton here, in which they are one path; without dedup the specification itself runs each
// sequence. (2) Equal concurrent histories: of several objects, see check_quasi.cpp. (3) Equal rho'
// and rho'': each is looked at once; they are equal if their labels are. (The authors compare with
// those of histories before as well; each history is decided by itself here.)
//
// The numbers in the paper's tables are those of all sequentializations and of all permutations,
// also of histories that hold: `exhaust` does not end at the first that is legal.
#include <algorithm>
#include <string>
#include <unordered_set>

#include "check/problem/automaton.hpp"
#include "check/property/quasi/permutations.hpp"
#include "check/property/quasi/permuting.hpp"

namespace plumb::quasi {
namespace {

constexpr std::size_t kMostLiteral = 64;  // operations; a set of them is one word

class RoundupLiteral {
 public:
  RoundupLiteral(const Problem& problem, Relaxation relaxation, const Factors& factors,
                 Budget& budget, bool dedup, bool exhaust)
      : problem_(problem), relaxation_(relaxation), factors_(factors), budget_(budget),
        dedup_(dedup), exhaust_(exhaust), charge_(budget), automaton_(problem),
        space_(problem.make_space()) {
    for (OperationId b = 0; b < problem.ops.size(); ++b) {
      predecessors_.push_back(0);
      for (OperationId a = 0; a < problem.ops.size(); ++a)
        if (problem.ops[a].ret < problem.ops[b].call || problem.ops[b].after == a)
          predecessors_[b] |= bit(a);
      if (problem.ops[b].completed()) completed_ |= bit(b);
    }
  }

  Answer run() {
    Answer answer;
    answer.engine = "roundup-literal";
    sequentialize(0);
    answer.stats = stats_;
    answer.stats.bytes = charge_.held();
    if (!witnesses_.empty()) {
      answer.verdict = Verdict::holds;
      answer.covered = problem_.completed();
      answer.witnesses = std::move(witnesses_);
    } else if (budget_.stopped() != Budget::Stop::none) {
      answer.reason = describe_stop(budget_);
    } else {
      answer.verdict = Verdict::violation;
    }
    return answer;
  }

 private:
  using Sequence = std::vector<OperationId>;
  static std::uint64_t bit(OperationId op) { return std::uint64_t{1} << op; }
  std::uint32_t set_of(OperationId op) const {
    return factors_.set_of[problem_.labels[problem_.ops[op].label].method];
  }

  // ---- Algorithm 1. True: it is over, since rho'' was found.
  bool sequentialize(std::uint64_t placed) {
    if (++sequentialized_ % 1024 == 0) budget_.exhausted(1024);
    if ((placed & completed_) == completed_) {
      ++stats_.configurations;
      if (is_new(sequentializations_, sequentialization_) && permute_all()) return true;
    }
    for (OperationId op = 0; op < problem_.ops.size(); ++op) {
      if ((placed & bit(op)) || (predecessors_[op] & ~placed)) continue;
      sequentialization_.push_back(op);
      if (sequentialize(placed | bit(op))) return true;
      sequentialization_.pop_back();
      if (budget_.stopped() != Budget::Stop::none) return false;
    }
    return false;
  }

  // ---- Quasi permutations of the sequentialization.
  bool permute_all() {
    groups_.assign(relaxation_ == Relaxation::all ? 1 : factors_.factor.size(), {});
    for (const OperationId op : sequentialization_)
      groups_[relaxation_ == Relaxation::all ? 0 : set_of(op)].push_back(op);
    orders_.resize(groups_.size());
    return permute(0);
  }
  bool permute(std::size_t group) {
    if (group == groups_.size()) {
      permuted_.clear();
      used_.assign(groups_.size(), 0);
      return relaxation_ == Relaxation::def4 ? shuffle() : fill_slots();
    }
    std::vector<std::uint32_t> factor;
    for (const OperationId op : groups_[group]) factor.push_back(factors_.factor[set_of(op)]);
    QuasiPermutations permutations(std::move(factor));
    orders_[group].resize(groups_[group].size());
    while (permutations.next()) {
      for (std::size_t i = 0; i < orders_[group].size(); ++i)
        orders_[group][i] = groups_[group][permutations.order()[i]];
      if (permute(group + 1)) return true;
      if (budget_.stopped() != Budget::Stop::none) return false;
    }
    return false;
  }
  // Each place of rho' gets the next operation of the group whose place it is.
  bool fill_slots() {
    for (const OperationId op : sequentialization_) {
      const std::size_t group = relaxation_ == Relaxation::all ? 0 : set_of(op);
      permuted_.push_back(orders_[group][used_[group]++]);
    }
    return is_legal();
  }
  bool shuffle() {
    if (permuted_.size() == sequentialization_.size()) return is_legal();
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      if (used_[group] == orders_[group].size()) continue;
      permuted_.push_back(orders_[group][used_[group]++]);
      if (shuffle()) return true;
      permuted_.pop_back();
      --used_[group];
      if (budget_.stopped() != Budget::Stop::none) return false;
    }
    return false;
  }

  // ---- rho'' in spec(o)?
  bool is_legal() {
    if (++stats_.steps % 1024 == 0) budget_.exhausted(4 * 1024);
    if (!is_new(permutations_, permuted_)) return false;
    if (!is_legal(0, dedup_ ? automaton_.initial() : space_->initial())) return false;
    if (witnesses_.empty()) witnesses_ = {sequentialization_, permuted_};
    return !exhaust_;
  }
  bool is_legal(std::size_t from, StateId state) {
    if (from == permuted_.size()) return true;
    const LabelId label = problem_.ops[permuted_[from]].label;
    if (dedup_) {
      const auto next = automaton_.step(state, label);
      if (next.size() == 1) return is_legal(from + 1, next.front());
      const std::vector<StateId> copy(next.begin(), next.end());
      return std::any_of(copy.begin(), copy.end(),
                         [&](StateId s) { return is_legal(from + 1, s); });
    }
    std::vector<StateId> next;
    space_->step(state, problem_.labels[label], next);
    return std::any_of(next.begin(), next.end(), [&](StateId s) { return is_legal(from + 1, s); });
  }

  // A seen one was not legal, or is a witness already. When memory runs short, no more are
  // remembered, which costs time only.
  bool is_new(std::unordered_set<std::u16string>& seen, const Sequence& sequence) {
    if (!dedup_) return true;
    key_.clear();
    for (const OperationId op : sequence)
      key_.push_back(static_cast<char16_t>(problem_.ops[op].label));
    if (charge_.held() > kMostRemembered) return !seen.contains(key_);
    if (!seen.insert(key_).second) return false;
    charge_.add(2 * key_.size() + 80);
    return true;
  }

  static constexpr std::size_t kMostRemembered = std::size_t{256} << 20;
  const Problem& problem_;
  const Relaxation relaxation_;
  const Factors& factors_;
  Budget& budget_;
  const bool dedup_, exhaust_;
  Charge charge_;
  Automaton automaton_;
  std::unique_ptr<StateSpace> space_;
  SearchStats stats_;
  std::vector<std::uint64_t> predecessors_;  // by operation, as a set
  std::uint64_t completed_ = 0;
  std::uint64_t sequentialized_ = 0;       // beginnings of rho'
  Sequence sequentialization_, permuted_;  // rho', rho''
  std::vector<Sequence> witnesses_;        // the first of both that will do
  std::vector<Sequence> groups_, orders_;  // what counts together, in rho' and permuted
  std::vector<std::size_t> used_;          // by group: so many are in rho''
  std::unordered_set<std::u16string> sequentializations_, permutations_;
  std::u16string key_;
};

}  // namespace

Answer decide_roundup_literal(const Problem& problem, Relaxation relaxation, const Factors& factors,
                              Budget& budget, bool dedup, bool exhaust) {
  if (problem.ops.size() > kMostLiteral) {
    Answer answer;
    answer.engine = "roundup-literal";
    answer.reason = "roundup-literal takes at most " + std::to_string(kMostLiteral) +
                    " operations; this problem has " + std::to_string(problem.ops.size());
    return answer;
  }
  return RoundupLiteral(problem, relaxation, factors, budget, dedup, exhaust).run();
}

}  // namespace plumb::quasi
