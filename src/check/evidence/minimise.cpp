// SPDX-License-Identifier: MIT
// From a violation to the few operations that show it.
//
// 1. Cut on the right, at the earliest return that no order explains. What is open there loses its
//    return.
// 2. Weaken, never delete. To delete an operation can manufacture a violation (without its enq, a
//    deq is wrong). To weaken one (let it happen at any time after its call, or never) can not:
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
// 5. A second engine must refute the result.
//
// Each test is a search, so all of it has a budget; what is not proved irrelevant in time stays.
#include "check/evidence/minimise.hpp"

#include <algorithm>
#include <map>

namespace plumb {
namespace {

using Ids = std::vector<OperationId>;

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
    const auto start = Budget::Clock::now();
    Budget first(budget.at_most(1), 0, nullptr);
    options.decide(problem, first, {});
    const std::chrono::duration<double> seconds = Budget::Clock::now() - start;
    patience_ = std::clamp(20 * seconds.count(), 0.01, 0.25);
  }

  bool still_violation(const Ids& kept) {
    // A test that takes long is most likely one whose many free operations make anything possible.
    Budget slice(budget_.at_most(patience_), 0, nullptr);
    const Problem weakened = restrict(problem_, kept, all_but(problem_.ops.size(), kept));
    return options_.decide(weakened, slice, {}).verdict == Verdict::violation;
  }
  bool out_of_time() { return budget_.exhausted(); }

 private:
  const Problem& problem_;
  Budget& budget_;
  const MinimiseOptions& options_;
  double patience_;  // seconds a test
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

void confirm(Minimised& result, const std::string& found_by, Budget& budget) {
  const auto ask = [&](const char* name, const Answer& answer) {
    if (answer.verdict == Verdict::violation) result.confirmed_by = name;
    if (answer.verdict == Verdict::holds) result.contradicted_by = name;
    return answer.verdict != Verdict::undecided;
  };
  const std::size_t limit = std::size_t{1} << 30;
  if (result.problem.ops.size() <= 10) {
    Budget slice(budget.at_most(5), limit, nullptr);
    if (ask("brute", decide_brute(result.problem, slice))) return;
  }
  if (budget.exhausted()) return;
  if (found_by != "jit") {
    Budget slice(budget.at_most(5), limit, nullptr);
    if (ask("jit", decide_jit(result.problem, slice))) return;
  }
  Budget slice(budget.at_most(5), limit, nullptr);
  if (ask("wgl", decide_wgl(result.problem, slice))) return;
  // Too large for both: at least another search order, without the prunings.
  Budget last(budget.at_most(5), limit, nullptr);
  EngineOptions plain;
  plain.breadth_first = true;
  plain.pure_labels = plain.deadline_first = plain.domination = false;
  ask("jit without prunings", decide_jit(result.problem, last, plain));
}

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
      if (oracle.out_of_time()) return false;
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

Minimised minimise(const Problem& whole, const Answer& given, Budget& budget,
                   const MinimiseOptions& options) {
  constexpr std::size_t kFew = 12;
  Minimised result;
  Answer answer = given;
  if (answer.failing_event == kNone && answer.unjustified == kNone) {
    answer = decide_by_search(whole, budget);
    if (answer.verdict != Verdict::violation) answer = given;
  }
  while (!answer.core.empty() && answer.failing_event > 0 && !budget.exhausted()) {
    // What refuted it without a search need not be the earliest: see whether all before it holds.
    Budget slice(budget.at_most(1), 0, nullptr);
    Answer before = decide_auto(prefix(whole, answer.failing_event - 1), slice);
    if (before.verdict != Verdict::violation || before.failing_event == kNone) break;
    answer = std::move(before);
  }

  // The cut on the right. From here on: operations of `problem`, until they are shown. Definition 2
  // removes the judged operations but the one that it is about.
  const bool blocking = answer.failing_event == kNone && answer.unjustified != kNone;
  OperationId culprit = answer.unjustified;
  Ids removed;
  for (OperationId op = 0; op < whole.ops.size(); ++op)
    if (whole.ops[op].judged && !(blocking && op == culprit)) removed.push_back(op);
  Problem problem = restrict(whole, all_but(whole.ops.size(), removed));
  problem.stuck = blocking;
  result.cut = static_cast<std::uint32_t>(whole.events.size());
  if (answer.failing_event != kNone) {
    result.cut = answer.failing_event + 1;
    culprit = whole.events[answer.failing_event].operation();
    problem = prefix(problem, problem.ops[find(problem, whole.ops[culprit].source)].ret);
  }
  result.culprit = culprit;
  if (culprit != kNone) culprit = find(problem, whole.ops[culprit].source);

  Ids kept = all_but(problem.ops.size(), {});
  if (!answer.core.empty()) {
    kept.clear();
    for (const OperationId op : answer.core)
      if (const OperationId here = find(problem, whole.ops[op].source); here != kNone)
        kept.push_back(here);
    result.minimal = true;
  } else if (problem.ops.size() <= options.most) {
    Budget slice(0.4 * budget.at_most(5), 0, nullptr);  // the rest is for the second engine
    result.minimal = weaken(problem, culprit, slice, options, kept);
  }
  if (options.cut_left && kept.size() > kFew && answer.core.empty() && !problem.stuck &&
      !budget.exhausted()) {
    EngineOptions breadth_first;
    breadth_first.breadth_first = true;
    const Answer bfs = decide_by_search(problem, budget, breadth_first);
    if (bfs.verdict == Verdict::violation && bfs.forced.position != kNone) {
      Problem window = cut_left(problem, bfs.forced);
      const OperationId culprit_there = find(window, problem.ops[culprit].source);
      Ids kept_there = all_but(window.ops.size(), {});
      Budget slice(0.4 * budget.at_most(5), 0, nullptr);
      const bool minimal = weaken(window, culprit_there, slice, options, kept_there);
      if (kept_there.size() < kept.size()) {
        result.left = bfs.forced.position;
        result.left_state = bfs.forced.space->print(bfs.forced.state);
        result.minimal = minimal;
        problem = std::move(window);
        kept = std::move(kept_there);
      }
    }
  }

  for (const OperationId op : kept)
    result.operations.push_back(find(whole, problem.ops[op].source));
  if (kept.size() <= kFew && result.left == 0) {
    const Ids more = context(whole, result.cut, result.operations);
    if (more.size() <= kFew)
      result.operations.insert(result.operations.end(), more.begin(), more.end());
    std::sort(result.operations.begin(), result.operations.end());
  }
  result.problem = restrict(whole, result.operations);
  result.problem.origin = problem.origin;
  result.problem.origin_state = problem.origin_state;
  result.problem.stuck = problem.stuck;
  for (Problem::Op& op : result.problem.ops)
    op.judged = op.judged && op.source == whole.ops[result.culprit].source;
  confirm(result, given.engine, budget);
  return result;
}

}  // namespace plumb
