// SPDX-License-Identifier: MIT
// The joint search: a sequentialization rho' and its permutation rho'' at once.
//
// Algorithm 1 makes every rho', then every rho'' of it, and only then asks the specification. But
// most of a rho'' is refused after a few operations, and most pairs of beginnings have the same
// future. So we build both together, an operation of each at a time:
//
//   x   the next of rho': no operation that is not in rho' yet happens before it
//   y   the next of rho'': the specification allows it (with recorded results, few y do)
//
// An operation that is in one of the two only keeps the place that it has there, until the other
// sequence passes that place by more than its factor; then this is a dead end. Both sequences have
// the same length at all times, and each pair of sequences is built in exactly one way.
//
// A configuration is (what is in rho', what is in rho'', the places of those that are in one only,
// the specification's state); from equal ones the same can happen, so each is explored once.
// Operations that are in both before a certain one are not written down: at fixed concurrency and
// factors a configuration does not grow with the history.
//
// Cost: at most (downsets of happens-before) x (ways to have at most K early and K late operations)
// x (states); the literal algorithm has |sequentializations| x |permutations|.
#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "check/problem/automaton.hpp"
#include "check/property/quasi/permuting.hpp"

namespace plumb::quasi {
namespace {

class JointSearch {
 public:
  JointSearch(const Problem& problem, Relaxation relaxation, const Factors& factors, Budget& budget)
      : problem_(problem), relaxation_(relaxation), budget_(budget), charge_(budget),
        automaton_(problem), counts_(relaxation == Relaxation::all ? 1 : factors.factor.size()),
        most_factor_(counts_.size(), 0), ops_(problem.ops.size()), open_(problem.completed()) {
    for (OperationId op = 0; op < ops_.size(); ++op) {
      Place& p = ops_[op];
      p.set = factors.set_of[problem.labels[problem.ops[op].label].method];
      p.counted = relaxation == Relaxation::all ? 0 : p.set;
      p.factor = factors.factor[p.set];
      most_factor_[p.counted] = std::max(most_factor_[p.counted], p.factor);
    }
  }

  Answer run() {
    state_ = automaton_.initial();
    bool found = enter();
    while (!found && !stack_.empty()) {
      Frame& top = stack_.back();
      if (top.entered) undo(moves_[top.next++], top.state);
      top.entered = top.next < moves_.size();
      if (!top.entered) {
        moves_.resize(top.first);
        stack_.pop_back();
        continue;
      }
      apply(moves_[top.next]);
      if (++stats_.steps % 256 == 0 && !within_budget()) break;
      found = enter();
    }
    return conclude(found);
  }

 private:
  struct Place {
    std::uint32_t set = 0, counted = 0, factor = 0;
    std::uint32_t in_sequentialization = kNone, in_permuted = kNone;  // the place there
  };
  struct Counts {  // so many operations that count together are in each
    std::uint32_t sequentialization = 0, permuted = 0;
  };
  struct Move {
    OperationId x, y;
    StateId state;
  };
  struct Frame {
    std::size_t first, next;  // of its moves, which are the last ones of all
    StateId state;
    bool entered = false;
  };

  // A configuration. Returns: whether it is the end of both sequences.
  bool enter() {
    furthest_ = std::max(furthest_, sequentialization_.size());
    if (open_ == 0 && apart_.empty()) return true;
    if (!seen_.insert(key()).second) return false;
    key_bytes_ += key_.size() + 56;
    const std::size_t first = moves_.size();
    find_moves();
    stack_.push_back({first, first, state_});
    return false;
  }

  void apply(const Move& move) {
    put(move.x, &Place::in_sequentialization, &Place::in_permuted, &Counts::sequentialization);
    sequentialization_.push_back(move.x);
    open_ -= problem_.ops[move.x].completed();
    put(move.y, &Place::in_permuted, &Place::in_sequentialization, &Counts::permuted);
    permuted_.push_back(move.y);
    state_ = move.state;
    while (base_ < ops_.size() && in_both(base_)) ++base_;
  }
  void undo(const Move& move, StateId state) {
    take(move.y, &Place::in_permuted, &Place::in_sequentialization, &Counts::permuted);
    permuted_.pop_back();
    take(move.x, &Place::in_sequentialization, &Place::in_permuted, &Counts::sequentialization);
    sequentialization_.pop_back();
    open_ += problem_.ops[move.x].completed();
    state_ = state;
    base_ = std::min({base_, move.x, move.y});
  }
  bool in_both(OperationId op) const {
    return ops_[op].in_sequentialization != kNone && ops_[op].in_permuted != kNone;
  }
  void put(OperationId op, std::uint32_t Place::*here, std::uint32_t Place::*there,
           std::uint32_t Counts::*count) {
    Place& p = ops_[op];
    p.*here = (counts_[p.counted].*count)++;
    if (p.*there == kNone) apart_.push_back(op);
    else std::erase(apart_, op);
  }
  void take(OperationId op, std::uint32_t Place::*here, std::uint32_t Place::*there,
            std::uint32_t Counts::*count) {
    Place& p = ops_[op];
    --(counts_[p.counted].*count);
    p.*here = kNone;
    if (p.*there == kNone) std::erase(apart_, op);
    else apart_.push_back(op);
  }

  // ---- Moves.
  void find_moves() {
    const std::size_t first = moves_.size();
    find_candidates();
    for (const OperationId x : nexts_) {
      const Place& px = ops_[x];
      const std::uint32_t place = counts_[px.counted].sequentialization;
      if (px.in_permuted != kNone && apart(place, px.in_permuted) > px.factor) continue;
      for (const OperationId y : unused_)
        if (may_permute(x, y)) {
          const auto next = automaton_.step(state_, problem_.ops[y].label);
          for (const StateId state : next) moves_.push_back({x, y, state});
        }
    }
    // In its own place first, then as it happened: what holds is then found without going back.
    std::stable_partition(moves_.begin() + static_cast<std::ptrdiff_t>(first), moves_.end(),
                          [](const Move& move) { return move.x == move.y; });
  }

  // `nexts_`: may come next in rho', the first to return first. `unused_`: may come next in rho''.
  // Events are read until an operation that is called later would be placed too late in rho'.
  void find_candidates() {
    nexts_.clear();
    unused_.clear();
    before_.assign(counts_.size(), 0);  // unplaced operations that have returned, by what counts
    bool some_returned = false;
    if (base_ == ops_.size()) return;
    for (std::size_t at = problem_.ops[base_].call; at < problem_.events.size(); ++at) {
      const OperationId op = problem_.events[at].operation();
      Place& p = ops_[op];
      if (problem_.events[at].is_return()) {
        if (p.in_sequentialization != kNone) continue;
        some_returned = true;
        ++before_[p.counted];
        if (nothing_in_time()) break;
        continue;
      }
      const OperationId after = problem_.ops[op].after;
      if (!some_returned && p.in_sequentialization == kNone &&
          (after == kNone || ops_[after].in_sequentialization != kNone))
        nexts_.push_back(op);
      if (p.in_permuted == kNone &&
          (p.in_sequentialization != kNone || in_time(p.counted, p.factor)))
        unused_.push_back(op);
    }
    std::stable_sort(nexts_.begin(), nexts_.end(), [this](OperationId a, OperationId b) {
      return problem_.ops[a].ret < problem_.ops[b].ret;
    });
  }
  // Whether an operation behind those that have returned can be in rho' in time for its next place
  // in rho''.
  bool in_time(std::uint32_t counted, std::uint32_t factor) const {
    const Counts& c = counts_[counted];
    return c.sequentialization + before_[counted] <= std::uint64_t{c.permuted} + factor;
  }
  bool nothing_in_time() const {
    for (std::uint32_t c = 0; c < counts_.size(); ++c)
      if (in_time(c, most_factor_[c])) return false;
    return true;
  }

  static std::uint32_t apart(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

  // With x next in rho', may y be next in rho''?
  bool may_permute(OperationId x, OperationId y) const {
    const Place &px = ops_[x], &py = ops_[y];
    if (relaxation_ == Relaxation::slot && px.set != py.set) return false;
    Counts cx = counts_[px.counted], cy = counts_[py.counted];
    const std::uint32_t x_place = cx.sequentialization;
    if (y == x) {
      if (apart(x_place, cy.permuted) > py.factor) return false;
    } else if (py.in_sequentialization != kNone) {
      if (apart(py.in_sequentialization, cy.permuted) > py.factor) return false;
    }
    // After both, nothing may have missed its last place.
    const auto passed = [&](OperationId z) {
      const Place& p = ops_[z];
      const Counts& c = counts_[p.counted];
      if (p.in_sequentialization == kNone)
        return std::uint64_t{c.sequentialization} + (p.counted == px.counted) >
               std::uint64_t{p.in_permuted} + p.factor;
      return std::uint64_t{c.permuted} + (p.counted == py.counted) >
             std::uint64_t{p.in_sequentialization} + p.factor;
    };
    for (const OperationId z : apart_)
      if (z != x && z != y && passed(z)) return false;
    if (x != y) {
      if (px.in_permuted == kNone && std::uint64_t{cx.permuted} + (px.counted == py.counted) >
                                         std::uint64_t{x_place} + px.factor)
        return false;
      if (py.in_sequentialization == kNone &&
          std::uint64_t{cy.sequentialization} + (px.counted == py.counted) >
              std::uint64_t{cy.permuted} + py.factor)
        return false;
    }
    return true;
  }

  // ---- Remembering.
  const std::string& key() {
    key_.clear();
    const auto number = [this](std::uint32_t n) {
      for (; n >= 128; n >>= 7) key_.push_back(static_cast<char>(n | 128));
      key_.push_back(static_cast<char>(n));
    };
    number(state_);
    number(base_);
    // Of those from base_ on, what is in which; the rest is in neither.
    std::size_t left = sequentialization_.size() + permuted_.size() - 2 * std::size_t{base_};
    for (OperationId op = base_; left > 0; ++op) {
      const Place& p = ops_[op];
      const bool one = p.in_sequentialization != kNone, two = p.in_permuted != kNone;
      key_.push_back(static_cast<char>(one + 2 * two));
      left -= static_cast<std::size_t>(one) + two;
      if (one == two) continue;
      // How long it may stay so: relative to where the other sequence is.
      const Counts& c = counts_[p.counted];
      number(one ? p.in_sequentialization + p.factor - c.permuted
                 : p.in_permuted + p.factor - c.sequentialization);
    }
    return key_;
  }
  bool within_budget() {
    const std::size_t bytes = key_bytes_ + moves_.capacity() * sizeof(Move) +
                              stack_.capacity() * sizeof(Frame) + automaton_.bytes();
    stats_.bytes = std::max<std::uint64_t>(stats_.bytes, bytes);
    const std::uint64_t work = stats_.steps + automaton_.work();
    const std::uint64_t before = std::exchange(charged_steps_, work);
    return charge_.hold(bytes + automaton_.bytes_soon()) && !budget_.exhausted(work - before);
  }

  Answer conclude(bool found) {
    Answer answer;
    answer.engine = "joint";
    within_budget();
    stats_.configurations = seen_.size();
    stats_.states = automaton_.space().size();
    answer.stats = stats_;
    answer.covered = std::min(furthest_, problem_.completed());
    if (found) {
      answer.verdict = Verdict::holds;
      answer.witnesses = {sequentialization_, permuted_};
    } else if (budget_.stopped() != Budget::Stop::none) {
      answer.reason = describe_stop(budget_);
    } else {
      answer.verdict = Verdict::violation;
    }
    return answer;
  }

  const Problem& problem_;
  const Relaxation relaxation_;
  Budget& budget_;
  Charge charge_;
  Automaton automaton_;
  SearchStats stats_;
  std::uint64_t charged_steps_ = 0;
  std::vector<Counts> counts_;              // by what counts together
  std::vector<std::uint32_t> most_factor_;  // likewise
  std::vector<Place> ops_;
  std::size_t open_;                // completed operations that are not in rho' yet
  std::vector<OperationId> apart_;  // in one of the two only
  std::vector<OperationId> sequentialization_, permuted_;
  StateId state_ = 0;
  OperationId base_ = 0;  // all operations before it are in both
  std::vector<Move> moves_;
  std::vector<Frame> stack_;
  std::vector<OperationId> nexts_, unused_;
  std::vector<std::uint32_t> before_;
  std::unordered_set<std::string> seen_;
  std::string key_;
  std::size_t key_bytes_ = 0, furthest_ = 0;
};

}  // namespace

Answer decide_joint(const Problem& problem, Relaxation relaxation, const Factors& factors,
                    Budget& budget) {
  return JointSearch(problem, relaxation, factors, budget).run();
}

}  // namespace plumb::quasi
