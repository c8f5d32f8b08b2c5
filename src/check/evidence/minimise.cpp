// SPDX-License-Identifier: MIT
// From a violation to the few operations that show it.
//
// 1. Find the earliest return that no order explains (in a long history only if the operations that
//    an engine named are not enough). A search names none; perhaps an engine that was not asked
//    does.
// 2. Forget all that does not matter (core.cpp). What stays is a proof by itself: a violation
//    whatever the other operations did.
// 3. A long history is cut on the left as well. Where breadth-first search has a single
//    configuration, every order that explains the past leads to it, so the history that starts
//    there, in that state, with the operations that are open there, is a violation iff the whole
//    is.
// 4. A second engine must refute the result, neither the one that found the violation nor the one
//    that cut it down.
//
// Each test is a search, so all of it has a budget, in steps; what is not proved irrelevant within
// it stays.
#include "check/evidence/minimise.hpp"

#include <algorithm>

#include "check/evidence/free_moves.hpp"
#include "check/evidence/projection.hpp"

namespace plumb {
namespace {

using Ids = std::vector<OperationId>;

// What each part may cost.
constexpr std::uint64_t kEarliestSteps = 3 * kStepsPerSecond;  // to find the earliest failure
constexpr std::uint64_t kPrefixSteps = 1 * kStepsPerSecond;    // for one prefix of these
constexpr std::uint64_t kCoreSteps = 2 * kStepsPerSecond;
constexpr std::uint64_t kLeastTests = 100;  // without a search, however long the history is
constexpr std::uint64_t kCutLeftSteps = 3 * kStepsPerSecond;
constexpr std::uint64_t kConfirmSteps = 1 * kStepsPerSecond;  // by each engine
constexpr std::uint64_t kConfirmFactor = 2;                   // of the steps that finding it took
constexpr double kShare = 0.4;  // of the time that is left: the rest is for the second engine

constexpr std::size_t kFew = 12;         // operations that a reader can take in at once
constexpr std::size_t kFewForBrute = 6;  // operations whose orders can all be tried

OperationId find(const Problem& problem, OperationId source) {
  const auto at = std::lower_bound(
      problem.ops.begin(), problem.ops.end(), source,
      [](const Problem::Op& op, OperationId wanted) { return op.source < wanted; });
  return at == problem.ops.end() || at->source != source
             ? kNone
             : static_cast<OperationId>(at - problem.ops.begin());
}

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

// The answer with the earliest return that no order explains, as far as it is found.
Answer find_earliest(const Problem& whole, const Answer& given, Budget& budget) {
  Budget slice(budget, kEarliestSteps, kShare);
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

std::uint64_t steps_to_confirm(std::uint64_t steps_to_find) {
  return std::max(kConfirmSteps, kConfirmFactor * steps_to_find);
}

// Asks engines that have not been asked yet.
class SecondEngine {
 public:
  SecondEngine(Minimised& result, Budget& budget, std::vector<std::string> first)
      : result_(result), budget_(budget), first_(std::move(first)) {}

  /// Returns: whether one of them refutes it, or finds that it holds.
  bool decides(const Problem& problem, const Problem& all, std::uint64_t steps = kConfirmSteps) {
    steps_ = steps;
    Budget slice(budget_, steps_);
    if (!is_first("brute") &&
        decide_with_free_moves("brute", problem, slice).verdict == Verdict::violation) {
      result_.confirmed_by = "brute";
      return true;
    }
    const Problem& small = all.ops.size() <= kFewForBrute ? all : problem;
    if (small.ops.size() <= kFewForBrute && ask("brute", "brute", small, {})) return true;
    for (const char* engine : {"jit", "wgl"})
      if (ask(engine, engine, problem, {})) return true;
    // Too large for these: at least another search order, without the prunings that jit relies on.
    EngineOptions plain;
    plain.breadth_first = true;
    plain.pure_labels = plain.deadline_first = plain.domination = false;
    return ask("jit", "jit without prunings", problem, plain);
  }

  /// The same of a projection: if that holds, nothing is known.
  bool refutes(const std::optional<Problem>& projected) {
    if (!projected) return false;
    decides(*projected, *projected);
    result_.contradicted_by.clear();
    return !result_.confirmed_by.empty();
  }

 private:
  bool is_first(const std::string& engine) const {
    return std::find(first_.begin(), first_.end(), engine) != first_.end();
  }

  bool ask(const std::string& engine, const std::string& name, const Problem& problem,
           const EngineOptions& options) {
    if (is_first(name)) return false;
    Budget slice(budget_, steps_);
    Verdict verdict = decide_with_free_moves(engine, problem, slice).verdict;
    if (verdict == Verdict::undecided)
      verdict =
          decide_where_defined([&] { return decide(engine, problem, slice, options); }).verdict;
    if (verdict == Verdict::violation) result_.confirmed_by = name;
    if (verdict == Verdict::holds) result_.contradicted_by = name;
    return verdict != Verdict::undecided;
  }

  Minimised& result_;
  Budget& budget_;
  const std::vector<std::string> first_;
  std::uint64_t steps_ = kConfirmSteps;
};

// The steps at the top of this file, one after the other.
class Minimiser {
 public:
  Minimiser(const Problem& whole, Budget& budget, const MinimiseOptions& options)
      : whole_(whole), budget_(budget), options_(options) {}

  Minimised run(Answer given) {
    const std::string finder = given.engine;
    const std::uint64_t steps = given.stats.steps;
    if (given.core.empty()) {
      Budget slice(budget_, kEarliestSteps, kShare);
      Answer named = decide_without_search(whole_, slice);
      if (named.verdict == Verdict::violation && !named.core.empty()) given = std::move(named);
    }
    // At the earliest failure an element may still be inside, so that all removals before it are
    // needed: each says that it took another one. A later removal that returns the element says so
    // for all of them.
    Answer later = given;
    later.failing_event = kNone;
    const bool is_long = whole_.ops.size() > options_.most, is_named = !given.core.empty();
    Answer answer = is_long && is_named ? later : find_earliest(whole_, given, budget_);
    if (!answer.core.empty() || !is_long) {
      core_ = core_of(whole_, answer);
    } else {
      core_.needed = known_up_to(whole_, answer.failing_event);
    }
    if (is_named && count_needed(core_) > kFew)
      use_if_smaller(is_long ? find_earliest(whole_, given, budget_) : std::move(later), answer);
    if (options_.cut_left && count_needed(core_) > kFew && answer.core.empty() &&
        answer.failing_event != kNone && !whole_.stuck && !budget_.exhausted())
      cut_left_side(answer);
    show();
    confirm(finder, answer, steps_to_confirm(steps));
    find_culprit(answer);
    return std::move(result_);
  }

 private:
  static std::size_t count_needed(const Core& core) {
    return core.needed.size() - static_cast<std::size_t>(std::count(
                                    core.needed.begin(), core.needed.end(), Needed::nothing));
  }

  Core core_of(const Problem& problem, const Answer& answer) {
    // Where a monitor named operations, most tests need no search.
    const std::uint64_t tests =
        answer.core.empty() || problem.specification->family() == Family::none ? 0 : kLeastTests;
    Budget slice(budget_, kCoreSteps + tests * problem.events.size(), kShare);
    return find_core(problem, answer, slice, options_.decide, {false, options_.family});
  }

  void use_if_smaller(Answer other, Answer& answer) {
    Core core = core_of(whole_, other);
    if (count_needed(core) >= count_needed(core_)) return;
    core_ = std::move(core);
    answer = std::move(other);
  }

  void cut_left_side(const Answer& answer) {
    // Without prunings that drop orders which lead to other states; the engine `hiding` always
    // drops some.
    EngineOptions breadth_first;
    breadth_first.breadth_first = true;
    breadth_first.deadline_first = breadth_first.domination = false;
    Budget search(budget_, kCutLeftSteps, kShare);
    // The same numbers as those of the whole.
    const Answer bfs = decide_jit(prefix(whole_, answer.failing_event), search, breadth_first);
    if (bfs.verdict != Verdict::violation || bfs.forced.position == kNone) return;
    Problem window = cut_left(whole_, bfs.forced);
    const OperationId failing = whole_.events[answer.failing_event].operation();
    Answer here;
    here.failing_event = window.ops[find(window, whole_.ops[failing].source)].ret;
    Core core = core_of(window, here);
    if (count_needed(core) >= count_needed(core_)) return;
    result_.left = bfs.forced.position;
    result_.left_state = bfs.forced.space->print(bfs.forced.state);
    result_.left_open = std::any_of(window.ops.begin(), window.ops.end(), [&](const auto& op) {
      return whole_.ops[find(whole_, op.source)].call < result_.left && !window.pure[op.label];
    });
    window_ = std::move(window);
    problem_ = &window_;
    core_ = std::move(core);
  }

  // Back to operations of the whole.
  void show() {
    set_operations(*problem_, core_.needed, result_);
    for (Ids* ops : {&result_.operations, &result_.only_called})
      for (OperationId& op : *ops) op = find(whole_, problem_->ops[op].source);
    result_.minimal = core_.minimal;
  }

  // Whatever the others did, if that can be decided; else as it was recorded.
  // That takes about as long as finding it did.
  void confirm(const std::string& finder, const Answer& answer, std::uint64_t most_steps) {
    const Forgetting forgetting(*problem_, options_.family);
    const Projection projection(whole_, answer.core, culprit_of(whole_, answer));
    SecondEngine second(result_, budget_, {finder, core_.engine});
    const Problem shown = forgetting.short_problem(core_.needed);
    result_.problem = forgetting.alone(core_.needed);
    result_.self_contained =
        second.refutes(projection.of(shown)) ||
        (second.decides(shown, forgetting.problem(core_.needed)) && !result_.confirmed_by.empty());
    if (result_.self_contained || !result_.contradicted_by.empty()) return;
    if (!second.refutes(projection.of(whole_))) second.decides(*problem_, *problem_, most_steps);
  }

  // The first return, of what is shown, that no order explains; else what never returns.
  void find_culprit(const Answer& answer) {
    Budget slice(budget_, kPrefixSteps);
    EngineOptions breadth_first;
    breadth_first.breadth_first = true;
    const Forgetting forgetting(*problem_, options_.family);
    const Problem shown = forgetting.short_problem(core_.needed);
    Answer again = decide_with_free_moves("jit", shown, slice);
    if (again.failing_event == kNone)
      again = decide_where_defined([&] {
        return shown.ops.size() <= kFewForBrute ? decide_brute(shown, slice)
                                                : decide_jit(shown, slice, breadth_first);
      });
    OperationId source = kNone;
    if (const OperationId op = culprit_of(shown, again); op != kNone) source = shown.ops[op].source;
    else if (const OperationId op = culprit_of(whole_, answer); op != kNone)
      source = whole_.ops[op].source;
    if (source != kNone) result_.culprit = find(whole_, source);
    const Ids& shown_ids = result_.operations;
    if (!std::binary_search(shown_ids.begin(), shown_ids.end(), result_.culprit))
      result_.culprit = last_returned();
  }

  OperationId last_returned() const {
    OperationId last = kNone;
    for (const OperationId op : result_.operations) {
      const bool returned =
          whole_.ops[op].completed() &&
          !std::binary_search(result_.only_called.begin(), result_.only_called.end(), op);
      if (returned && (last == kNone || whole_.ops[op].ret > whole_.ops[last].ret)) last = op;
    }
    return last;
  }

  const Problem& whole_;
  Budget& budget_;
  const MinimiseOptions& options_;
  Problem window_;                    // after a cut on the left
  const Problem* problem_ = &whole_;  // or the window
  Core core_;                         // of `problem_`
  Minimised result_;
};

}  // namespace

void set_operations(const Problem& problem, const std::vector<Needed>& needed, Minimised& cut) {
  for (OperationId op = 0; op < needed.size(); ++op) {
    if (needed[op] == Needed::nothing) continue;
    cut.operations.push_back(op);
    const bool forgotten = problem.ops[op].completed() || problem.ops[op].judged;
    if (needed[op] == Needed::call && forgotten) cut.only_called.push_back(op);
  }
}

void confirm_whole(const Problem& problem, const Answer& answer, std::uint64_t factor,
                   Budget& budget, Minimised& cut) {
  SecondEngine second(cut, budget, {answer.engine});
  second.decides(problem, problem, factor * steps_to_confirm(answer.stats.steps));
}

Minimised minimise(const Problem& whole, const Answer& answer, Budget& budget,
                   const MinimiseOptions& options) {
  return Minimiser(whole, budget, options).run(answer);
}

}  // namespace plumb
