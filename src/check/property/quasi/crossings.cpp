// SPDX-License-Identifier: MIT
// Two elements cross if, by real time alone, u was added before v and v has left before u: the enq
// of u had returned when that of v was called, and the deq of v had returned when that of u was
// called, if there is one at all. Then v overtakes u in every order. So
//
//   Restriction 1  is violated if v crosses more than k elements as the one that overtakes,
//   Restriction 2  if u crosses more than k as the one that is overtaken.
//
// A deq whose result is unknown may have taken any element: each excuses one. Crossings are
// counted by sorting, O(n log n), so a violation in a long history is found where a search would
// not come so far. That there are few crossings proves nothing.
#include "check/property/quasi/crossings.hpp"

#include <algorithm>

#include "check/property/quasi/k_automaton.hpp"
#include "check/property/quasi/stays.hpp"

namespace plumb::quasi {
namespace {

/// How many of the numbers put in so far are at least, or less than, one.
class Tally {
 public:
  explicit Tally(std::size_t most) : tree_(most + 2, 0) {}
  void put(std::size_t x) {
    ++size_;
    for (std::size_t i = x + 1; i < tree_.size(); i += i & -i) ++tree_[i];
  }
  std::size_t less(std::size_t x) const {
    std::size_t n = 0;
    for (std::size_t i = x; i > 0; i -= i & -i) n += tree_[i];
    return n;
  }
  std::size_t at_least(std::size_t x) const { return size_ - less(x); }

 private:
  std::vector<std::uint32_t> tree_;
  std::size_t size_ = 0;
};

class Crossings {
 public:
  Crossings(const Problem& problem, const Specification& plain, const std::vector<Stay>& stays,
            const Factors& factors)
      : problem_(problem), stays_(stays), factors_(factors), end_(problem.events.size()) {
    for (const Problem::Op& op : problem.ops) {
      const BoundLabel& label = problem.labels[op.label];
      if (removes(plain, label.method) && (!op.completed() || !label.known))
        unknown_.push_back(op.call);
    }
  }

  // By element that leaves: how many it overtakes for certain.
  void overtaking(Answer& answer) const {
    std::vector<std::size_t> returned = by(&Crossings::enq_return),
                             called = by(&Crossings::enq_call);
    Tally inside(end_);  // by when their deqs are called
    std::size_t next = 0, first = SIZE_MAX;
    const auto most = [this](std::size_t v) { return factor(v) + unknown_before(deq_return(v)); };
    for (const std::size_t v : called) {
      for (; next < returned.size() && enq_return(returned[next]) < enq_call(v); ++next)
        inside.put(deq_call(returned[next]));
      if (stays_[v].deq == kNone) continue;
      if (inside.at_least(deq_return(v)) > most(v) &&
          (first == SIZE_MAX || deq_return(v) < deq_return(first)))
        first = v;
    }
    if (first == SIZE_MAX) return;
    std::vector<OperationId> core = {stays_[first].enq, stays_[first].deq};
    for (std::size_t u = 0; u < stays_.size() && core.size() < most(first) + 3; ++u)
      if (crosses(u, first)) core.push_back(stays_[u].enq);
    propose(answer, static_cast<std::uint32_t>(deq_return(first)), std::move(core));
  }

  // By element: how many overtake it for certain.
  void overtaken(Answer& answer) const {
    const std::uint32_t most = *std::max_element(factors_.factor.begin(), factors_.factor.end());
    std::vector<std::size_t> returned = by(&Crossings::enq_return),
                             called = by(&Crossings::enq_call);
    Tally left(end_);  // of elements added later: when their deqs returned
    for (std::size_t next = called.size(), i = returned.size(); i-- > 0;) {
      const std::size_t u = returned[i];
      for (; next > 0 && enq_call(called[next - 1]) > enq_return(u); --next)
        if (stays_[called[next - 1]].deq != kNone) left.put(deq_return(called[next - 1]));
      if (stays_[u].deq == kNone && unknown_before(end_) > 0) continue;
      if (left.less(deq_call(u)) <= most) continue;
      std::vector<std::size_t> fast;
      for (std::size_t v = 0; v < stays_.size(); ++v)
        if (crosses(u, v)) fast.push_back(v);
      std::sort(fast.begin(), fast.end(),
                [this](std::size_t a, std::size_t b) { return deq_return(a) < deq_return(b); });
      std::vector<OperationId> core = {stays_[u].enq};
      for (std::size_t j = 0; j <= most; ++j) {
        core.push_back(stays_[fast[j]].enq);
        core.push_back(stays_[fast[j]].deq);
      }
      propose(answer, static_cast<std::uint32_t>(deq_return(fast[most])), std::move(core));
      return;  // one is enough
    }
  }

 private:
  std::size_t enq_call(std::size_t e) const { return problem_.ops[stays_[e].enq].call; }
  std::size_t enq_return(std::size_t e) const {
    return std::min<std::size_t>(end_, problem_.ops[stays_[e].enq].ret);
  }
  std::size_t deq_call(std::size_t e) const {
    return stays_[e].deq == kNone ? end_ : problem_.ops[stays_[e].deq].call;
  }
  std::size_t deq_return(std::size_t e) const { return problem_.ops[stays_[e].deq].ret; }
  bool crosses(std::size_t u, std::size_t v) const {
    return stays_[v].deq != kNone && enq_return(u) < enq_call(v) && deq_return(v) < deq_call(u);
  }
  std::size_t factor(std::size_t e) const {
    return factors_.of(problem_.labels[problem_.ops[stays_[e].deq].label].method);
  }
  std::vector<std::size_t> by(std::size_t (Crossings::*time)(std::size_t) const) const {
    std::vector<std::size_t> order(stays_.size());
    for (std::size_t e = 0; e < order.size(); ++e) order[e] = e;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return (this->*time)(a) < (this->*time)(b); });
    return order;
  }
  std::size_t unknown_before(std::size_t event) const {
    return static_cast<std::size_t>(std::lower_bound(unknown_.begin(), unknown_.end(), event) -
                                    unknown_.begin());
  }

  // The earliest one is reported.
  static void propose(Answer& answer, std::uint32_t event, std::vector<OperationId> core) {
    if (answer.verdict == Verdict::violation && answer.failing_event <= event) return;
    std::sort(core.begin(), core.end());
    answer.verdict = Verdict::violation;
    answer.failing_event = event;
    answer.core = std::move(core);
  }

  const Problem& problem_;
  const std::vector<Stay>& stays_;
  const Factors& factors_;
  std::size_t end_;
  std::vector<std::size_t>
      unknown_;  // removals that may have taken anything: when they were called
};

}  // namespace

Answer refute_by_crossings(const Problem& problem, const Specification& plain,
                           Relaxation relaxation, const Factors& factors) {
  Answer answer;
  answer.engine = "crossings";
  answer.reason = "no element is certainly too far out of order";
  const auto stays = stays_of(problem, plain);
  if (!stays) return answer;
  const Crossings crossings(problem, plain, *stays, factors);
  if (relaxation != Relaxation::lateness) crossings.overtaking(answer);
  if (relaxation != Relaxation::distance) crossings.overtaken(answer);
  if (answer.verdict == Verdict::violation) answer.reason.clear();
  return answer;
}

}  // namespace plumb::quasi
