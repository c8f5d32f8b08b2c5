// SPDX-License-Identifier: MIT
// From a violation to the few operations that show it.
//
// 1. Cut on the right, at the earliest return that no order explains. What is open there loses its
//    return.
// 2. Weaken, never delete. To delete an operation can manufacture a violation (without its enq, a
//    deq is wrong). To weaken one (forget its result, let it happen at any time after its call, or
//    never) can not: every linearization of the original is one of the weakened history. So if the
//    weakened history is still a violation, that operation is provably irrelevant, and hidden. We
//    weaken blocks of halving size (Zeller's ddmin), then single operations until none is left.
//    The operations that stay are a violation by themselves, too: weakened ones are optional.
// 3. A long history is cut on the left as well. Where breadth-first search has a single
//    configuration, every order that explains the past can be arranged to end in it, so the
//    history that starts there, in that state, with the operations that are open there, is a
//    violation iff the whole is.
// 4. For the reader, operations that put in a value which the others take out come back. This only
//    strengthens the history again.
// 5. A second engine must refute the result.
//
// Each test is a search, so all of it has a budget; what is not proved irrelevant in time stays.
#include "minimise.hpp"

#include <algorithm>
#include <chrono>

namespace plumb {
namespace {

using Ids = std::vector<OperationId>;

Ids all_but(std::size_t n, const Ids& removed) {
  Ids rest;
  for (OperationId op = 0; op < n; ++op)
    if (!std::binary_search(removed.begin(), removed.end(), op)) rest.push_back(op);
  return rest;
}

// Whether the problem is still a violation when only `kept` operations keep their constraints.
class Oracle {
 public:
  Oracle(const Problem& problem, Budget& budget) : problem_(problem), budget_(budget) {}

  bool still_violation(const Ids& kept) {
    // A test that takes long is most likely one whose many free operations make anything possible.
    Budget slice(0.25, std::size_t{512} << 20, nullptr);
    const Problem weakened = restrict(problem_, kept, all_but(problem_.ops.size(), kept));
    if (refute_by_traffic(weakened).verdict == Verdict::violation && !weakened.stuck) return true;
    return decide_jit(weakened, slice).verdict == Verdict::violation;
  }
  bool out_of_time() { return budget_.exhausted(); }

 private:
  const Problem& problem_;
  Budget& budget_;
};

// Returns: whether the result is minimal.
bool weaken(const Problem& problem, OperationId culprit, Budget& budget, Ids& kept) {
  Oracle oracle(problem, budget);
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

// The part of the problem from `forced.position` on, starting in the forced state.
// `sources` maps its operations to the problem's.
Problem cut_left(const Problem& problem, const Answer::Forced& forced, Ids& sources) {
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
  sources = std::move(kept);
  return rest;
}

// Operations that bring in a value which one of `kept` observed and none of them adds.
Ids context(const Problem& problem, const Ids& kept) {
  const auto traffic = [&](OperationId op) {
    return problem.specification->traffic(problem.labels[problem.ops[op].label]);
  };
  std::vector<Value> missing;
  for (const OperationId op : kept)
    if (const auto v = traffic(op).observes; v && problem.ops[op].completed()) missing.push_back(*v);
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  for (const OperationId op : kept)
    if (const auto v = traffic(op).adds) std::erase(missing, *v);
  Ids found;
  for (OperationId op = static_cast<OperationId>(problem.ops.size()); op-- > 0;) {
    if (missing.empty()) break;
    if (const auto v = traffic(op).adds)
      if (std::erase(missing, *v)) found.push_back(op);
  }
  return found;
}

void confirm(Minimised& result, Budget& budget) {
  const auto ask = [&](const char* name, const Answer& answer) {
    if (answer.verdict == Verdict::violation) result.confirmed_by = name;
    if (answer.verdict == Verdict::holds) result.contradicted_by = name;
    return answer.verdict != Verdict::undecided;
  };
  const std::size_t limit = std::size_t{1} << 30;
  if (result.problem.ops.size() <= 10) {
    Budget slice(5, limit, nullptr);
    if (ask("brute", decide_brute(result.problem, slice))) return;
  }
  Budget slice(5, limit, nullptr);
  if (budget.exhausted()) return;
  if (ask("wgl", decide_wgl(result.problem, slice))) return;
  // Too large for both: at least another search order, without the prunings.
  Budget last(5, limit, nullptr);
  EngineOptions plain;
  plain.breadth_first = true;
  plain.pure_labels = plain.deadline_first = plain.domination = false;
  ask("jit without prunings", decide_jit(result.problem, last, plain));
}

}  // namespace

Minimised minimise(const Problem& whole, const Answer& given, Budget& budget) {
  Minimised result;
  // The cut on the right.
  Answer answer = given;
  EngineOptions breadth_first;
  breadth_first.breadth_first = true;
  if (answer.failing_event == kNone && answer.unjustified == kNone) {
    answer = decide_jit(whole, budget);
    if (answer.verdict != Verdict::violation) answer = given;
  }
  result.cut = answer.failing_event == kNone ? static_cast<std::uint32_t>(whole.events.size())
                                             : answer.failing_event + 1;
  Problem problem = whole;
  if (answer.failing_event != kNone) {
    problem = prefix(whole, answer.failing_event);
    problem.stuck = false;
    for (Problem::Op& op : problem.ops) op.judged = false;
    result.culprit = whole.events[answer.failing_event].operation();
  } else if (answer.unjustified != kNone) {
    result.culprit = answer.unjustified;
    Ids others;  // of the judged operations: Definition 2 removes them
    for (OperationId op = 0; op < problem.ops.size(); ++op)
      if (problem.ops[op].judged && op != answer.unjustified) others.push_back(op);
    Ids rest = all_but(problem.ops.size(), others);
    problem = restrict(problem, rest);
    result.culprit = static_cast<OperationId>(
        std::lower_bound(rest.begin(), rest.end(), answer.unjustified) - rest.begin());
  }
  // From here on: operations of `problem`; `sources` leads back to the given ones.
  Ids sources;
  for (const Problem::Op& op : problem.ops) sources.push_back(op.source);
  Ids kept(problem.ops.size());
  for (OperationId op = 0; op < kept.size(); ++op) kept[op] = op;

  constexpr std::size_t kShort = 600, kFew = 12;
  const auto at = [](const Problem& p, OperationId source) {
    for (OperationId op = 0; op < p.ops.size(); ++op)
      if (p.ops[op].source == source) return op;
    return kNone;
  };
  if (!answer.core.empty()) {
    kept.clear();
    for (const OperationId op : answer.core)
      if (const OperationId here = at(problem, whole.ops[op].source); here != kNone)
        kept.push_back(here);
    std::sort(kept.begin(), kept.end());
    result.minimal = true;
  } else {
    if (problem.ops.size() <= kShort) {
      Budget slice(2, 0, nullptr);
      result.minimal = weaken(problem, result.culprit, slice, kept);
    }
    if (kept.size() > kFew && !problem.stuck && !budget.exhausted()) {
      const Answer bfs = decide_jit(problem, budget, breadth_first);
      if (bfs.verdict == Verdict::violation && bfs.forced.position != kNone) {
        Ids part;
        Problem window = cut_left(problem, bfs.forced, part);
        const OperationId culprit = at(window, problem.ops[result.culprit].source);
        Ids kept_here(window.ops.size());
        for (OperationId op = 0; op < kept_here.size(); ++op) kept_here[op] = op;
        Budget slice(3, 0, nullptr);
        const bool minimal = weaken(window, culprit, slice, kept_here);
        if (kept_here.size() < kept.size()) {
          result.left = bfs.forced.position;
          result.left_state = bfs.forced.space->print(bfs.forced.state);
          result.minimal = minimal;
          result.culprit = culprit;
          problem = std::move(window);
          kept = std::move(kept_here);
        }
      }
    }
  }
  Ids shown = kept;
  if (shown.size() <= kFew)
    for (const OperationId op : context(problem, kept)) shown.push_back(op);
  std::sort(shown.begin(), shown.end());
  result.problem = restrict(problem, shown);
  result.culprit = at(whole, problem.ops[result.culprit].source);
  for (const OperationId op : shown) result.operations.push_back(at(whole, problem.ops[op].source));
  confirm(result, budget);
  return result;
}

}  // namespace plumb
