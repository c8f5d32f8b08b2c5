// SPDX-License-Identifier: MIT
// The property is compositional (Round-Up, section III-B): objects are decided one by one. It is
// not by key: elements of different keys overtake each other.
//
// strict, distance and lateness are ordinary linearizability to another specification
// (k_automaton.cpp), so engines, witnesses and counterexamples are the ordinary ones. slot, all and
// def4 have engines and a verifier of their own (permuting.hpp). There a prefix of a history may be
// a violation although the history is none (a value may come out before it goes in), so a
// counterexample is only weakened, never cut, and has no culprit. Weakening is sound as ever: a
// sequentialization of the history and its permutation are one of the weakened history.
#include "check/property/quasi/quasi.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "check/property/quasi/crossings.hpp"
#include "check/property/quasi/diagnose.hpp"
#include "check/property/quasi/k_automaton.hpp"
#include "check/property/quasi/least_factor.hpp"
#include "check/property/quasi/permuting.hpp"
#include "check/property/quasi/value_order.hpp"
#include "explain/explain.hpp"

namespace plumb::quasi {
namespace {

// What each part may cost.
constexpr std::uint64_t kGuessSteps = 60 * kStepsPerSecond;
constexpr std::size_t kMostMeasured = 2000;  // operations; a remark is not worth more
constexpr std::uint64_t kCoreSteps = 1 * kStepsPerSecond;
constexpr std::uint64_t kConfirmSteps = 5 * kStepsPerSecond;
constexpr std::uint64_t kDistanceSteps = 2 * kStepsPerSecond;

const std::vector<std::string>& engines_of(Relaxation relaxation) {
  static const std::vector<std::string> permuting = {"auto", "joint", "roundup-literal"};
  static const std::vector<std::string> general = {"auto", "jit", "brute", "wgl"};
  return permutes(relaxation) ? permuting : general;
}

/// A problem of the relaxed object, which lives as long as this.
struct RelaxedProblem {
  RelaxedProblem(const Problem& plain, Relaxation relaxation, const Factors& factors)
      : specification(make_k_automaton(*plain.specification, relaxation, factors)), linear(plain) {
    linear.specification = specification.get();
  }
  std::unique_ptr<Specification> specification;
  Problem linear;
};

std::vector<QuasiSet> with_at_least(std::vector<QuasiSet> sets, std::int64_t factor) {
  for (QuasiSet& set : sets) set.factor = std::max(set.factor.value_or(kMostFactor), factor);
  return sets;
}

bool shows(const Counterexample& example, OperationId source) {
  return std::binary_search(example.operations.begin(), example.operations.end(), source);
}

}  // namespace

Result<Partitioning> QuasiLinearizable::split() {
  CheckOptions whole = options_;
  whole.partition = false;
  Result<Partitioning> parts = make_partitions(history_, whole);
  if (!parts.ok()) return parts;
  std::vector<const Specification*> specifications;
  for (const Object& object : history_.objects)
    specifications.push_back(options_.specification ? options_.specification
                                                    : find_specification(object.specification));
  if (Status s = check_question(report_.asked, history_, specifications); !s.ok())
    return std::move(s.error());
  const auto& engines = engines_of(relaxation_);
  if (std::find(engines.begin(), engines.end(), options_.engine) == engines.end())
    return Error{ErrorKind::usage,
                 fmt::format("engine '{}' does not decide --relaxation {}", options_.engine,
                             to_string(relaxation_)),
                 "one of: " + text::list_words(engines, "or")};
  return parts;
}

Answer QuasiLinearizable::decide(const Partition& part, Budget& budget) {
  return decide(part.problem, sets(), budget);
}

Answer QuasiLinearizable::decide(const Problem& problem, const std::vector<QuasiSet>& sets,
                                 Budget& budget) const {
  const Factors factors = bind(sets, *problem.specification);
  if (permutes(relaxation_)) {
    return options_.engine == "roundup-literal"
               ? decide_roundup_literal(problem, relaxation_, factors, budget, report_.asked.dedup)
               : decide_joint(problem, relaxation_, factors, budget);
  }
  const RelaxedProblem relaxed(problem, relaxation_, factors);
  Answer answer = decide_relaxed(relaxed.linear, *problem.specification, factors, budget);
  // What refers to the relaxed problem ends with it.
  complete(answer);
  answer.forced = {};
  return answer;
}

Answer QuasiLinearizable::decide_relaxed(const Problem& linear, const Specification& plain,
                                         const Factors& factors, Budget& budget) const {
  const EngineOptions options = engine_options(options_);
  if (options_.engine != "auto") return plumb::decide(options_.engine, linear, budget, options);
  Answer refuted = refute_by_crossings(linear, plain, relaxation_, factors);
  refuted.why_engine = "an element is certainly too far out of order";
  if (refuted.verdict == Verdict::violation) return refuted;
  auto order = ValueOrder::guess(linear, plain, relaxation_, factors);
  Budget slice(budget, kGuessSteps);
  EngineOptions depth_first = options;
  depth_first.depth_first = true;
  while (order) {
    Answer answer = decide_jit(order->follow(linear), slice, depth_first);
    answer.why_engine = "elements come and leave in the order that their operations suggest";
    if (answer.verdict == Verdict::holds) return answer;
    if (answer.failing_event == kNone || !order->loosen(linear, answer.failing_event)) break;
  }
  return decide_auto(linear, budget, options);
}

std::string QuasiLinearizable::verify(const Partition& part, const Answer& answer) const {
  if (permutes(relaxation_))
    return verify_permuted(part.problem, relaxation_, factors(part.problem), answer.witnesses[0],
                           answer.witnesses[1]);
  const RelaxedProblem relaxed(part.problem, relaxation_, factors(part.problem));
  return verify_witness(relaxed.linear, answer);
}

std::string QuasiLinearizable::merge(const Partitioning& parts, const std::vector<Answer>& answers,
                                     CheckReport& report) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Problem& problem = parts.partitions[i].problem;
    std::vector<OperationId> permuted;
    if (permutes(relaxation_)) permuted = answers[i].witnesses.back();
    for (auto& d : distances(problem, *problem.specification, relaxation_, factors(problem),
                             answers[i].witnesses.front(), permuted))
      report_.distances.push_back(std::move(d));
    for (OperationId& op : permuted) op = problem.ops[op].source;
    if (permutes(relaxation_)) report_.displaced.push_back(std::move(permuted));
  }
  return Property::merge(parts, answers, report);
}

// ---- A violation.
Minimised QuasiLinearizable::minimise(const Partition& part, const Answer& answer, Budget& budget) {
  return permutes(relaxation_) ? minimise_permuted(part.problem, budget)
                               : minimise_relaxed(part.problem, answer, budget);
}

Minimised QuasiLinearizable::minimise_relaxed(const Problem& problem, const Answer& answer,
                                              Budget& budget) const {
  const RelaxedProblem relaxed(problem, relaxation_, factors(problem));
  MinimiseOptions options;
  const Factors bound = factors(problem);
  options.decide = [&](const Problem& part, Budget& slice, const EngineOptions&) {
    Answer refuted = refute_by_crossings(part, *problem.specification, relaxation_, bound);
    return refuted.verdict == Verdict::violation ? refuted : decide_auto(part, slice);
  };
  options.family = problem.specification->family();  // fewer values inside, less out of order
  Minimised cut = plumb::minimise(relaxed.linear, answer, budget, options);
  cut.problem = {};  // it refers to the relaxed specification
  return cut;
}

Minimised QuasiLinearizable::minimise_permuted(const Problem& problem, Budget& budget) const {
  const Factors bound = factors(problem);
  const Decide by_joint = [&](const Problem& part, Budget& slice, const EngineOptions&) {
    return decide_joint(part, relaxation_, bound, slice);
  };
  Budget slice(budget, kCoreSteps, 0.5);
  const Core core = find_core(problem, {}, slice, by_joint, {.all_count = true});
  Minimised cut;
  set_operations(problem, core.needed, cut);
  cut.minimal = core.minimal;
  const auto confirm = [&](const Problem& part) {
    Budget second(budget, kConfirmSteps);
    const Answer again = decide_pairs(part, relaxation_, bound, second);
    if (again.verdict == Verdict::holds) cut.contradicted_by = again.engine;
    if (again.verdict == Verdict::violation) cut.confirmed_by = again.engine;
    return again.verdict;
  };
  // Never what is shown alone: without the enq that is not shown, a deq would be wrong.
  const Verdict shown = confirm(Forgetting(problem).problem(core.needed));
  cut.self_contained = shown == Verdict::violation;
  if (shown == Verdict::undecided) confirm(problem);
  return cut;
}

bool QuasiLinearizable::explain(const Partition& part, const Minimised&, Counterexample& example,
                                Budget& budget) {
  if (permutes(relaxation_)) {
    const std::size_t n = example.operations.size();
    example.why.push_back(
        fmt::format("No order of {} explains {}, even if operations move as far as {} allows.",
                    n == 1 ? "this operation" : "these " + text::count_words(n, "operation"),
                    n == 1 ? "its result" : "their results", to_string(relaxation_)));
  } else {
    const RelaxedProblem relaxed(part.problem, relaxation_, factors(part.problem));
    plumb::explain(history_, *relaxed.specification, example, part.problem.initial);
  }
  if (!history_.stuck) explain_distance(part.problem, example, budget);
  return true;
}

// The least factor that explains the operations of the counterexample, and what is then out of
// place.
void QuasiLinearizable::explain_distance(const Problem& problem, Counterexample& example,
                                         Budget& budget) {
  std::vector<Needed> needed_of(problem.ops.size(), Needed::nothing);
  std::vector<OperationId> kept, others;
  for (OperationId op = 0; op < problem.ops.size(); ++op) {
    const OperationId source = problem.ops[op].source;
    (shows(example, source) ? kept : others).push_back(op);
    if (!shows(example, source)) continue;
    const bool only_called =
        std::binary_search(example.only_called.begin(), example.only_called.end(), source);
    needed_of[op] = only_called ? Needed::call : Needed::outcome;
  }
  std::string what = "these operations";
  Problem part;
  if (permutes(relaxation_)) {  // the others make room to move
    part = restrict(problem, kept, others);
  } else if (!example.left_state.empty()) {
    const auto culprit =
        std::find_if(problem.ops.begin(), problem.ops.end(),
                     [&](const Problem::Op& op) { return op.source == example.culprit; });
    part = prefix(problem, culprit->ret);
    what = "all operations up to there";
  } else {
    part = Forgetting(problem).problem(needed_of);  // whatever the others did
  }
  if (part.ops.size() > kMostMeasured) return;
  Budget slice(budget, kDistanceSteps);
  const auto decide_with = [&](std::int64_t factor) {
    const std::vector<QuasiSet> raised = with_at_least(sets(), factor);
    if (!permutes(relaxation_)) return decide(part, raised, slice);
    return decide_joint(part, relaxation_, bind(raised, *problem.specification), slice);
  };
  const auto least = find_least_factor(
      part.ops.size(), [&](std::int64_t factor) { return decide_with(factor).verdict; });
  if (!least) return;
  report_.needed = least;
  std::optional<std::uint32_t> needed;
  if (*least >= 0) {
    const Answer answer = decide_with(*least);
    if (answer.verdict != Verdict::holds) return;
    needed = static_cast<std::uint32_t>(*least);
    report_.distances =
        distances(part, *problem.specification, relaxation_,
                  quasi::bind(with_at_least(sets(), *least), *problem.specification),
                  answer.witnesses.front(), answer.witnesses.back());
    if (permutes(relaxation_))
      std::erase_if(report_.distances, [&](const auto& d) { return !shows(example, d.operation); });
    // Of equal elements another one may have left: then it is not this far.
    if (largest(report_.distances) > *needed) report_.distances.clear();
  }
  for (std::string& sentence :
       distance_words(history_, relaxation_, sets(), report_.distances, needed, what))
    example.why.push_back(std::move(sentence));
}

}  // namespace plumb::quasi
