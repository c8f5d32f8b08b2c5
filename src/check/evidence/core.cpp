// SPDX-License-Identifier: MIT
// What is shown of a violation shall be a proof by itself: nobody can explain it away by what the
// operations that are not shown may have done. So these are not deleted (to delete an operation can
// manufacture a violation: without its enq, a deq is wrong), nor merely allowed to take effect late
// (their calls and results might be what makes the contradiction). They are forgotten but for their
// existence: each becomes a pending operation, called before everything else, with any result.
//
// Each operation has up to two facts: when it was called; and what it returned, and when. To forget
// a fact never makes a violation of a history that is none, so the facts that can be forgotten are
// found one after the other, and one pass leaves a set of which none can be (a minimal
// unsatisfiable subset). To be faster, we try whole groups first: all but what the engine names;
// all of one method; blocks of halving size (Zeller's ddmin).
#include "check/evidence/core.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "check/evidence/free_moves.hpp"
#include "check/evidence/projection.hpp"
#include "spec/families.hpp"

namespace plumb {
namespace {

using Ids = std::vector<OperationId>;

}  // namespace

std::vector<Needed> known_up_to(const Problem& problem, std::uint32_t last_event,
                                bool of_open_ones) {
  std::vector<Needed> needed;
  for (const Problem::Op& op : problem.ops) {
    const bool known = op.judged || (op.completed() && (of_open_ones || op.ret <= last_event));
    needed.push_back(op.call <= last_event && known ? Needed::outcome : Needed::call);
  }
  return needed;
}

Forgetting::Forgetting(const Problem& whole, Family family)
    : whole_(whole), family_(family == Family::none ? whole.specification->family() : family) {
  using Key = std::pair<MethodId, std::vector<Value>>;
  std::map<Key, LabelId> first;
  for (LabelId id = 0; id < whole.labels.size(); ++id) {
    BoundLabel label = whole.labels[id];
    label.known = false;
    label.result = {};
    labels_.push_back(label);
    pure_.push_back(whole.specification->pure(label));
    same_label_.push_back(
        first.try_emplace({label.method, {label.args.begin(), label.args.end()}}, id)
            .first->second);
  }
}

Problem Forgetting::problem(const std::vector<Needed>& needed) const {
  return make(needed, std::vector<bool>(whole_.ops.size(), false));
}

Problem Forgetting::short_problem(const std::vector<Needed>& needed) const {
  return make(needed, useless(needed));
}

Problem Forgetting::alone(const std::vector<Needed>& needed) const {
  return make(needed, std::vector<bool>(whole_.ops.size(), true));
}

// What takes effect or not, and changes no state, explains nothing. Nor does the addition of a
// value that no other operation is known to have seen: leave it out, with the removal that takes
// it, if there is one (a forgotten one), and the other operations still do what they did. The same
// is true of a write in a register that is only read and written. (Not in stuck histories: what is
// inside may be a reason to block. Not if a removal did happen, but nobody knows of what.)
//
// Of forgotten operations that are alike, only so many can be of use: of removals, one for each
// value that may be inside; of what changes a cell or an element, one before each operation of
// which something is needed, and one after them, because between these no state has to come twice.
std::vector<bool> Forgetting::useless(const std::vector<Needed>& needed) const {
  const bool unseen = unseen_values_are_useless(needed);
  const std::set<Value> seen = seen_values(needed);
  std::vector<bool> out(needed.size(), false);
  std::size_t known = 0, inside = 0;  // operations of which something is needed; values
  for (OperationId op = 0; op < needed.size(); ++op) {
    const BoundLabel& label = label_of(op);
    const bool puts = role(op) == Role::adds || role(op) == Role::writes;
    if (needed[op] != Needed::nothing) ++known;
    else
      out[op] = pure_[whole_.ops[op].label] || (unseen && puts && !seen.count(label.args.back()));
    inside += puts && !out[op];
  }
  std::size_t most = needed.size();
  if (kCells.contains(family_) || family_ == Family::set) most = known + 1;
  const auto initially = initial_content(*whole_.specification, whole_.initial);
  std::map<LabelId, std::size_t> copies;
  for (OperationId op = 0; op < needed.size(); ++op) {
    if (needed[op] != Needed::nothing || out[op]) continue;
    const bool takes = kCollections.contains(family_) && role(op) == Role::takes && initially &&
                       !whole_.origin && !whole_.stuck;
    const std::size_t of_use = takes                    ? inside + initially->size()
                               : role(op) == Role::none ? needed.size()
                                                        : most;
    out[op] = ++copies[same_label_[whole_.ops[op].label]] > of_use;
  }
  return out;
}

bool Forgetting::unseen_values_are_useless(const std::vector<Needed>& needed) const {
  if (whole_.stuck) return false;
  for (OperationId op = 0; op < needed.size(); ++op) {
    if (needed[op] == Needed::nothing && pure_[whole_.ops[op].label]) continue;
    if (!moves_values(family_, role(op))) return false;
    const bool looks = role(op) == Role::takes || role(op) == Role::peeks;
    const bool known = whole_.labels[whole_.ops[op].label].known;
    if (looks && needed[op] == Needed::outcome && !known) return false;
  }
  return true;
}

std::set<Value> Forgetting::seen_values(const std::vector<Needed>& needed) const {
  std::set<Value> seen;
  for (OperationId op = 0; op < needed.size(); ++op) {
    const BoundLabel& label = whole_.labels[whole_.ops[op].label];
    if (needed[op] == Needed::outcome && label.known) seen.insert(label.result);
  }
  return seen;
}

Role Forgetting::role(OperationId op) const {
  return whole_.specification->methods()[label_of(op).method].role;
}

Problem Forgetting::make(const std::vector<Needed>& needed,
                         const std::vector<bool>& left_out) const {
  Problem part;
  part.specification = whole_.specification;
  part.initial = whole_.initial;
  part.origin = whole_.origin;
  part.origin_state = whole_.origin_state;
  part.stuck = whole_.stuck;
  std::map<std::pair<LabelId, bool>, LabelId> numbers;  // by label, and whether its result is known
  std::vector<OperationId> number(whole_.ops.size(), kNone);
  const auto call = [&](OperationId old) {
    const bool outcome = needed[old] == Needed::outcome;
    Problem::Op op = whole_.ops[old];
    const LabelId label = outcome ? op.label : same_label_[op.label];
    const auto [at, fresh] =
        numbers.try_emplace({label, outcome}, static_cast<LabelId>(part.labels.size()));
    if (fresh) {
      part.labels.push_back(outcome ? whole_.labels[label] : labels_[label]);
      part.pure.push_back(outcome ? whole_.pure[label] : pure_[label]);
    }
    op.label = at->second;
    op.call = static_cast<std::uint32_t>(part.events.size());
    op.ret = kNone;
    op.judged = op.judged && outcome;
    number[old] = static_cast<OperationId>(part.ops.size());
    part.events.emplace_back(number[old], false);
    part.ops.push_back(op);
  };
  for (OperationId old = 0; old < whole_.ops.size(); ++old)
    if (needed[old] == Needed::nothing && !left_out[old]) call(old);
  for (const Event event : whole_.events) {
    const OperationId old = event.operation();
    if (needed[old] == Needed::nothing) continue;
    if (!event.is_return()) {
      call(old);
    } else if (needed[old] == Needed::outcome) {
      part.ops[number[old]].ret = static_cast<std::uint32_t>(part.events.size());
      part.events.emplace_back(number[old], true);
    }
  }
  // `after` still holds old numbers. The order of a process leads around what is forgotten.
  for (OperationId old = 0; old < whole_.ops.size(); ++old) {
    if (number[old] == kNone) continue;
    OperationId before = needed[old] == Needed::nothing ? kNone : whole_.ops[old].after;
    while (before != kNone && needed[before] != Needed::outcome) before = whole_.ops[before].after;
    part.ops[number[old]].after = before == kNone ? kNone : number[before];
  }
  return part;
}

namespace {

class CoreSearch {
 public:
  CoreSearch(const Problem& problem, const Answer& answer, Budget& budget, const Decide& decide,
             const CoreOptions& options)
      : problem_(problem), forgetting_(problem, options.family),
        projection_(problem, options.all_count ? Ids() : answer.core,
                    options.all_count ? kNone : culprit_of(problem, answer)),
        answer_(answer), budget_(budget), decide_(decide), all_count_(options.all_count) {
    core_.needed = known_up_to(problem, answer.failing_event);
    Budget first(budget, kStepsPerSecond);
    core_.engine = decide_left(core_.needed, first).engine;
    patience_ = problem.events.size() +
                std::clamp(20 * first.spent(), kStepsPerSecond / 100, kStepsPerSecond / 20);
  }

  Core run() {
    // What is open at the failing return may have a result that matters, but seldom has.
    if (answer_.failing_event != kNone) accept(known_up_to(problem_, answer_.failing_event, false));
    if (!answer_.core.empty()) keep_only(answer_.core);
    for (const Ids& group : by_method()) forget(group);
    for (std::size_t block = still_needed().size() / 2; block > 1; block /= 2) forget_blocks(block);
    core_.minimal = forget_single_facts();
    return std::move(core_);
  }

 private:
  Problem left_of(const std::vector<Needed>& needed) const {
    return all_count_ ? forgetting_.problem(needed) : forgetting_.short_problem(needed);
  }

  // The cheapest proofs first.
  Answer decide_left(const std::vector<Needed>& needed, Budget& slice) const {
    slice.spend(problem_.events.size());  // to make it; and it may be decided without a search
    const Problem left = left_of(needed);
    Answer answer;
    const auto ask = [&](const Problem& problem) {
      answer = decide_where_defined([&] { return decide_(problem, slice, {}); });
    };
    if (const auto projected = projection_.of(left)) ask(*projected);
    if (answer.verdict != Verdict::violation && !all_count_)
      answer = decide_with_free_moves("jit", left, slice);
    if (answer.verdict != Verdict::violation) ask(left);
    return answer;
  }

  // Whether the candidate is a violation as well; if so, it is the new core.
  bool accept(std::vector<Needed> candidate) {
    if (candidate == core_.needed) return true;
    // A test that takes long is most likely one whose many free operations make anything possible.
    Budget slice(budget_, patience_);
    const Answer answer = decide_left(candidate, slice);
    if (answer.verdict == Verdict::undecided) all_decided_ = false;
    if (answer.verdict != Verdict::violation) return false;
    core_.needed = std::move(candidate);
    core_.engine = answer.engine;
    return true;
  }

  bool forget(const Ids& ops) {
    std::vector<Needed> candidate = core_.needed;
    for (const OperationId op : ops) candidate[op] = Needed::nothing;
    return accept(std::move(candidate));
  }

  // What an engine names may suffice; if not, perhaps with all that has to do with the same values,
  // or with all removals: of what stays inside, each might have been the one that took it.
  void keep_only(const Ids& seed) {
    std::vector<Needed> candidate(core_.needed.size(), Needed::nothing);
    std::set<Value> values;
    const auto values_of = [&](OperationId op, auto use) {
      const BoundLabel& label = problem_.labels[problem_.ops[op].label];
      for (const Value v : label.args) use(v);
      if (label.known && !label.result.is_nil()) use(label.result);
    };
    for (const OperationId op : seed) {
      candidate[op] = core_.needed[op];
      values_of(op, [&](Value v) { values.insert(v); });
    }
    if (accept(candidate)) return;
    for (OperationId op = 0; op < candidate.size(); ++op)
      values_of(op, [&](Value v) {
        if (values.count(v)) candidate[op] = core_.needed[op];
      });
    if (accept(candidate)) return;
    for (OperationId op = 0; op < candidate.size(); ++op)
      if (forgetting_.role(op) == Role::takes) candidate[op] = core_.needed[op];
    accept(std::move(candidate));
  }

  Ids still_needed() const {
    Ids ops;
    for (OperationId op = 0; op < core_.needed.size(); ++op)
      if (core_.needed[op] != Needed::nothing) ops.push_back(op);
    return ops;
  }

  // Those of which only the call is needed apart: they come late.
  std::vector<Ids> by_method() const {
    std::map<std::tuple<Needed, MethodId>, Ids> groups;
    for (const OperationId op : still_needed())
      groups[{core_.needed[op], problem_.labels[problem_.ops[op].label].method}].push_back(op);
    std::vector<Ids> out;
    for (auto& [method, ops] : groups) out.push_back(std::move(ops));
    return out;
  }

  void forget_blocks(std::size_t block) {
    const Ids ops = still_needed();
    for (std::size_t begin = 0; begin < ops.size() && !budget_.exhausted(); begin += block) {
      const std::size_t end = std::min(ops.size(), begin + block);
      forget(Ids(ops.begin() + static_cast<std::ptrdiff_t>(begin),
                 ops.begin() + static_cast<std::ptrdiff_t>(end)));
    }
  }

  // The oldest first: what is left is near the end. Returns: whether every answer was known.
  bool forget_single_facts() {
    all_decided_ = true;
    for (const OperationId op : still_needed()) {
      if (budget_.exhausted()) return false;
      if (forget({op}) || core_.needed[op] != Needed::outcome) continue;
      std::vector<Needed> candidate = core_.needed;
      candidate[op] = Needed::call;
      accept(std::move(candidate));
    }
    return all_decided_;
  }

  const Problem& problem_;
  const Forgetting forgetting_;
  const Projection projection_;
  const Answer& answer_;
  Budget& budget_;
  const Decide& decide_;
  const bool all_count_;
  Core core_;
  std::uint64_t patience_;  // steps per test
  bool all_decided_ = true;
};

}  // namespace

Core find_core(const Problem& problem, const Answer& answer, Budget& budget, const Decide& decide,
               const CoreOptions& options) {
  return CoreSearch(problem, answer, budget, decide, options).run();
}

}  // namespace plumb
