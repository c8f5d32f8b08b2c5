// SPDX-License-Identifier: MIT
// From a violation to the few operations that show it.
//
// 1. Cut on the right, at the earliest return that no order explains. What is open there loses its
//    return.
// 2. Weaken, never delete. To delete an operation can manufacture a violation (without its enq, a
//    deq is wrong). To weaken one (let it happen at any time after its call, or never) cannot:
//    every linearization of the original is one of the weakened history. So if the weakened history
//    is still a violation, that operation is provably irrelevant, and hidden. We weaken blocks of
//    halving size (Zeller's ddmin), then single operations until none is left. The operations that
//    stay are a violation by themselves, too: weakened ones are optional.
// 3. A long history is cut on the left as well. Where breadth-first search has a single
//    configuration, every order that explains the past can be arranged to end in it, so the
//    history that starts there, in that state, with the operations that are open there, is a
//    violation iff the whole is.
// 4. For the reader, operations that put in a value which the others take out come back. This only
//    strengthens the history again.
// 5. A second engine must refute the result, never the one that found the violation.
//
// Each test is a search, so all of it has a budget, in steps; what is not proved irrelevant within
// it stays.
#include "check/evidence/minimise.hpp"

#include <algorithm>
#include <map>

namespace plumb {
namespace {

using Ids = std::vector<OperationId>;

// What each part may cost.
constexpr std::uint64_t kEarliestSteps = 3 * kStepsPerSecond;  // to find the earliest failure
constexpr std::uint64_t kPrefixSteps = 1 * kStepsPerSecond;    // for one prefix of these
constexpr std::uint64_t kWeakenSteps = 2 * kStepsPerSecond;
constexpr std::uint64_t kCutLeftSteps = 3 * kStepsPerSecond;
constexpr std::uint64_t kConfirmSteps = 5 * kStepsPerSecond;  // by each engine
constexpr double kWeakenShare = 0.4;  // of the time that is left: the rest is for the second engine

constexpr std::size_t kFew = 12;          // operations that a reader can take in at once
constexpr std::size_t kFewForBrute = 10;  // operations whose orders can all be tried

Ids all_but(std::size_t n, const Ids& removed) {
  Ids rest;
  for (OperationId op = 0; op < n; ++op)
    if (!std::binary_search(removed.begin(), removed.end(), op)) rest.push_back(op);
  return rest;
}

OperationId find(const Problem& problem, OperationId source) {
  const auto at = std::lower_bound(
      problem.ops.begin(), problem.ops.end(), source,
      [](const Problem::Op& op, OperationId wanted) { return op.source < wanted; });
  return at == problem.ops.end() || at->source != source
             ? kNone
             : static_cast<OperationId>(at - problem.ops.begin());
}

// Whether the problem is still a violation when only `kept` operations keep their constraints.
class Oracle {
 public:
  Oracle(const Problem& problem, Budget& budget, const MinimiseOptions& options)
      : problem_(problem), budget_(budget), options_(options) {
    Budget first(budget, kStepsPerSecond);
    first.spend(problem.events.size());
    options.decide(problem, first, {});
    patience_ = std::clamp(20 * first.spent(), kStepsPerSecond / 100, kStepsPerSecond / 4);
  }

  bool still_violation(const Ids& kept) {
    // A test that takes long is most likely one whose many free operations make anything possible.
    Budget slice(budget_, patience_);
    slice.spend(problem_.events.size());  // to make it; and it may be decided without a search
    const Problem weakened = restrict(problem_, kept, all_but(problem_.ops.size(), kept));
    return options_.decide(weakened, slice, {}).verdict == Verdict::violation;
  }
  bool out_of_budget() { return budget_.exhausted(); }

 private:
  const Problem& problem_;
  Budget& budget_;
  const MinimiseOptions& options_;
  std::uint64_t patience_;  // steps per test
};

// The part of the problem from `forced.position` on, starting in the forced state.
Problem cut_left(const Problem& problem, const Answer::Forced& forced) {
  Ids kept;
  for (OperationId op = 0; op < problem.ops.size(); ++op) {
    const Problem::Op& o = problem.ops[op];
    const bool over = o.completed() && o.ret < forced.position;
    const bool done = std::find(forced.linearized.begin(), forced.linearized.end(), op) !=
                      forced.linearized.end();
    if (!over && !done) kept.push_back(op);
  }
  Problem rest = restrict(problem, kept);
  rest.origin = forced.space;
  rest.origin_state = forced.state;
  return rest;
}

// Operations that bring in the values which `kept` took out and do not bring in themselves: of each
// value as many as were taken out, the last ones called before the cut, or else the first after it.
Ids context(const Problem& problem, std::uint32_t cut, const Ids& kept) {
  const auto traffic = [&](OperationId op) {
    return problem.specification->traffic(problem.labels[problem.ops[op].label]);
  };
  std::map<Value, std::size_t> missing;
  for (const OperationId op : kept)
    if (const auto v = traffic(op).observes) {
      std::size_t& copies = missing[*v];
      copies = traffic(op).removes ? copies + 1 : std::max<std::size_t>(copies, 1);
    }
  const auto serve = [&](OperationId op) {
    const auto v = traffic(op).adds;
    const auto at = v ? missing.find(*v) : missing.end();
    if (at == missing.end()) return false;
    if (--at->second == 0) missing.erase(at);
    return true;
  };
  for (const OperationId op : kept) serve(op);
  Ids found;
  const auto n = static_cast<OperationId>(problem.ops.size());
  const auto consider = [&](OperationId op) {
    if (missing.empty() || problem.ops[op].judged ||
        std::binary_search(kept.begin(), kept.end(), op))
      return;
    if (serve(op)) found.push_back(op);
  };
  for (OperationId op = n; op-- > 0;)
    if (problem.ops[op].call < cut) consider(op);
  for (const OperationId op : found)  // one that is there in time is enough to show
    if (const auto v = traffic(op).adds) missing.erase(*v);
  for (OperationId op = 0; op < n; ++op)
    if (problem.ops[op].call >= cut) consider(op);
  return found;
}

// The first of these that decides it, but for the one that found the violation.
void confirm(Minimised& result, const std::string& found_by, Budget& budget) {
  const auto ask = [&](const std::string& engine, const std::string& name,
                       const EngineOptions& options) {
    if (name == found_by) return false;
    Budget slice(budget, kConfirmSteps);
    const Verdict verdict = decide(engine, result.problem, slice, options).verdict;
    if (verdict == Verdict::violation) result.confirmed_by = name;
    if (verdict == Verdict::holds) result.contradicted_by = name;
    return verdict != Verdict::undecided;
  };
  if (result.problem.ops.size() <= kFewForBrute && ask("brute", "brute", {})) return;
  if (ask("jit", "jit", {}) || ask("wgl", "wgl", {})) return;
  // Too large for these: at least another search order, without the prunings that jit relies on.
  EngineOptions plain;
  plain.breadth_first = true;
  plain.pure_labels = plain.deadline_first = plain.domination = false;
  ask("jit", "jit without prunings", plain);
}

// The answer with the earliest return that no order explains, as far as it is found.
Answer find_earliest(const Problem& whole, const Answer& given, Budget& budget) {
  Budget slice(budget, kEarliestSteps, kWeakenShare);
  Answer answer = given;
  if (answer.failing_event == kNone && answer.unjustified == kNone) {
    answer = decide_by_search(whole, slice);
    if (answer.verdict != Verdict::violation) return given;
  }
  while (!answer.core.empty() && answer.failing_event > 0 && !slice.exhausted()) {
    // What refuted it without a search need not be the earliest: see whether all before it holds.
    Budget one(slice, kPrefixSteps);
    one.spend(answer.failing_event);
    Answer before = decide_auto(prefix(whole, answer.failing_event - 1), one);
    if (before.verdict != Verdict::violation || before.failing_event == kNone) break;
    answer = std::move(before);
  }
  return answer;
}

// The steps at the top of this file, one after the other. `problem_` is what is left of `whole_`.
class Minimiser {
 public:
  Minimiser(const Problem& whole, Budget& budget, const MinimiseOptions& options)
      : whole_(whole), budget_(budget), options_(options) {}

  Minimised run(const Answer& given) {
    const Answer answer = find_earliest(whole_, given, budget_);
    cut_right(answer);
    choose(answer);
    if (options_.cut_left && kept_.size() > kFew && answer.core.empty() && !problem_.stuck &&
        !budget_.exhausted())
      cut_left_side();
    show();
    confirm(result_, given.engine, budget_);
    return std::move(result_);
  }

 private:
  // Definition 2 removes the judged operations but the one that it is about.
  void cut_right(const Answer& answer) {
    const bool blocking = answer.failing_event == kNone && answer.unjustified != kNone;
    culprit_ = answer.unjustified;
    Ids removed;
    for (OperationId op = 0; op < whole_.ops.size(); ++op)
      if (whole_.ops[op].judged && !(blocking && op == culprit_)) removed.push_back(op);
    problem_ = restrict(whole_, all_but(whole_.ops.size(), removed));
    problem_.stuck = blocking;
    result_.cut = static_cast<std::uint32_t>(whole_.events.size());
    if (answer.failing_event != kNone) {
      result_.cut = answer.failing_event + 1;
      culprit_ = whole_.events[answer.failing_event].operation();
      problem_ = prefix(problem_, problem_.ops[find(problem_, whole_.ops[culprit_].source)].ret);
    }
    result_.culprit = culprit_;
    if (culprit_ != kNone) culprit_ = find(problem_, whole_.ops[culprit_].source);
  }

  // The operations that matter: the core, if the engine gave one; else what weakening leaves.
  void choose(const Answer& answer) {
    kept_ = all_but(problem_.ops.size(), {});
    if (!answer.core.empty()) {
      kept_.clear();
      for (const OperationId op : answer.core)
        if (const OperationId here = find(problem_, whole_.ops[op].source); here != kNone)
          kept_.push_back(here);
      result_.minimal = true;
    } else if (problem_.ops.size() <= options_.most) {
      Budget slice(budget_, kWeakenSteps, kWeakenShare);
      result_.minimal = weaken(problem_, culprit_, slice, options_, kept_);
    }
  }

  void cut_left_side() {
    EngineOptions breadth_first;
    breadth_first.breadth_first = true;
    Budget search(budget_, kCutLeftSteps, kWeakenShare);
    const Answer bfs = decide_by_search(problem_, search, breadth_first);
    if (bfs.verdict != Verdict::violation || bfs.forced.position == kNone) return;
    Problem window = cut_left(problem_, bfs.forced);
    const OperationId culprit_there = find(window, problem_.ops[culprit_].source);
    Ids kept_there = all_but(window.ops.size(), {});
    Budget slice(budget_, kWeakenSteps, kWeakenShare);
    const bool minimal = weaken(window, culprit_there, slice, options_, kept_there);
    if (kept_there.size() >= kept_.size()) return;
    result_.left = bfs.forced.position;
    result_.left_state = bfs.forced.space->print(bfs.forced.state);
    result_.minimal = minimal;
    problem_ = std::move(window);
    kept_ = std::move(kept_there);
  }

  // Back to operations of the whole, with those that a reader needs.
  void show() {
    for (const OperationId op : kept_)
      result_.operations.push_back(find(whole_, problem_.ops[op].source));
    if (kept_.size() <= kFew && result_.left == 0) {
      const Ids more = context(whole_, result_.cut, result_.operations);
      if (more.size() <= kFew)
        result_.operations.insert(result_.operations.end(), more.begin(), more.end());
      std::sort(result_.operations.begin(), result_.operations.end());
    }
    result_.problem = restrict(whole_, result_.operations);
    result_.problem.origin = problem_.origin;
    result_.problem.origin_state = problem_.origin_state;
    result_.problem.stuck = problem_.stuck;
    for (Problem::Op& op : result_.problem.ops)
      op.judged = op.judged && op.source == whole_.ops[result_.culprit].source;
  }

  const Problem& whole_;
  Budget& budget_;
  const MinimiseOptions& options_;
  Problem problem_;
  OperationId culprit_ = kNone;  // of `problem_`
  Ids kept_;                     // of `problem_`
  Minimised result_;
};

}  // namespace

bool weaken(const Problem& problem, OperationId culprit, Budget& budget,
            const MinimiseOptions& options, Ids& kept) {
  Oracle oracle(problem, budget, options);
  // Operations that are open at the cut constrain nothing: try without all of them at once.
  Ids returned;
  for (const OperationId op : kept)
    if (op == culprit || problem.ops[op].completed()) returned.push_back(op);
  if (returned.size() < kept.size() && oracle.still_violation(returned)) kept = returned;

  for (std::size_t block = std::max<std::size_t>(1, kept.size() / 2);;) {
    bool changed = false;
    // Latest first at the end, where single operations go; the oldest are the likeliest to be
    // irrelevant, so whole blocks go from the front.
    for (std::size_t i = 0; i < kept.size();) {
      if (oracle.out_of_budget()) return false;
      const std::size_t begin = block > 1 ? i : kept.size() - 1 - i;
      const std::size_t end = std::min(kept.size(), begin + block);
      Ids fewer(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(begin));
      for (std::size_t j = begin; j < kept.size(); ++j)
        if (j >= end || kept[j] == culprit) fewer.push_back(kept[j]);
      if (fewer.size() < kept.size() && oracle.still_violation(fewer)) {
        kept = std::move(fewer);
        changed = true;
      } else {
        i += block;
      }
    }
    if (block > 1) block /= 2;
    else if (!changed) return true;
  }
}

Minimised minimise(const Problem& whole, const Answer& answer, Budget& budget,
                   const MinimiseOptions& options) {
  return Minimiser(whole, budget, options).run(answer);
}

}  // namespace plumb
