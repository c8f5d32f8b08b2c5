// SPDX-License-Identifier: MIT
// A check of quasi linearizability from end to end, as check.cpp is one of linearizability.
//
// The property is compositional (Round-Up, section III-B): objects are decided one by one. It is
// not by key: elements of different keys overtake each other.
//
// strict, distance and lateness are ordinary linearizability to another specification
// (k_automaton.cpp), so engines, witnesses and counterexamples are the ordinary ones. slot, all and
// def4 have engines and a verifier of their own (permuting.hpp). There a prefix of a history may be
// a violation although the history is none (a value may come out before it goes in), so a
// counterexample is only weakened, never cut, and has no culprit. Weakening is sound as ever: a
// sequentialization of the history and its permutation are one of the weakened history.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "check/evidence/evidence.hpp"
#include "check/problem/partition.hpp"
#include "check/property/quasi/crossings.hpp"
#include "check/property/quasi/diagnose.hpp"
#include "check/property/quasi/k_automaton.hpp"
#include "check/property/quasi/permuting.hpp"
#include "check/property/quasi/value_order.hpp"
#include "plumb/check.hpp"

namespace plumb {
namespace quasi {
namespace {

constexpr double kMostGuessing = 60;  // seconds

const std::vector<std::string>& engines_of(Relaxation relaxation) {
  static const std::vector<std::string> permuting = {"auto", "joint", "roundup-literal"};
  static const std::vector<std::string> general = {"auto", "jit", "brute", "wgl"};
  return permutes(relaxation) ? permuting : general;
}

class QuasiCheck {
 public:
  QuasiCheck(const History& history, const QuasiOptions& asked, const CheckOptions& options,
             CheckProgress& progress)
      : history_(history), options_(options), progress_(progress),
        budget_(options.timeout_seconds, options.memory_bytes, options.interrupt) {
    report_.asked = asked;
  }

  Result<QuasiReport> run() {
    if (Status s = prepare(); !s.ok()) return std::move(s.error());
    const auto start = Clock::now();
    decide_all();
    check().seconds = since(start);
    const auto evidence = Clock::now();
    if (Status s = prove(); !s.ok()) return std::move(s.error());
    check().evidence_seconds = since(evidence);
    if (report_.asked.least_factors) find_least_factors();
    check().peak_bytes = budget_.peak();
    check().interrupted = options_.interrupt && options_.interrupt->load();
    return std::move(report_);
  }

 private:
  CheckReport& check() { return report_.check; }
  const std::vector<QuasiSet>& sets() const { return report_.asked.sets; }

  // ---- The question.
  Status prepare() {
    progress_.phase = "splitting";
    const auto start = Clock::now();
    check().property = "quasi-linearizable";
    check().operations = history_.size();
    for (OperationId op = 0; op < history_.size(); ++op)
      ++(history_.returned(op) ? check().completed : check().pending);
    CheckOptions whole = options_;
    whole.partition = false;
    Result<Partitioning> split = make_partitions(history_, whole);
    if (!split.ok()) return std::move(split.error());
    split_ = std::move(*split);
    check().scope_notes = split_.notes;
    std::vector<const Specification*> specifications;
    for (const Object& object : history_.objects)
      specifications.push_back(options_.specification ? options_.specification
                                                      : find_specification(object.specification));
    if (Status s = check_question(report_.asked, history_, specifications); !s.ok()) return s;
    relaxation_ = *find_relaxation(report_.asked.relaxation);
    const auto& engines = engines_of(relaxation_);
    if (std::find(engines.begin(), engines.end(), options_.engine) == engines.end())
      return Error{ErrorKind::usage,
                   fmt::format("engine '{}' does not decide --relaxation {}", options_.engine,
                               report_.asked.relaxation),
                   "one of: " + text::list_words(engines, "or")};
    check().split_seconds = since(start);
    return {};
  }

  // ---- Deciding.
  const Problem& problem(std::size_t i) const { return split_.partitions[i].problem; }
  const Specification& plain(std::size_t i) const { return *problem(i).specification; }

  Answer decide(const Problem& question, const std::vector<QuasiSet>& sets, Budget& budget) {
    const Factors factors = bind(sets, *question.specification);
    if (permutes(relaxation_)) {
      return options_.engine == "roundup-literal"
                 ? decide_roundup_literal(question, relaxation_, factors, budget,
                                          report_.asked.dedup)
                 : decide_joint(question, relaxation_, factors, budget);
    }
    const auto relaxed = make_k_automaton(*question.specification, relaxation_, factors);
    const Problem linear = relaxed_problem(question, *relaxed);
    Answer answer = decide_relaxed(linear, *question.specification, factors, budget);
    complete(answer);
    answer.forced = {};  // it lives in the specification, which ends here
    if (answer.verdict == Verdict::holds)
      if (std::string wrong = verify_witness(linear, answer); !wrong.empty()) wrong_ = wrong;
    return answer;
  }
  Answer decide_relaxed(const Problem& linear, const Specification& plain, const Factors& factors,
                        Budget& budget) {
    if (options_.engine != "auto")
      return plumb::decide(options_.engine, linear, budget, engine_options());
    Answer refuted = refute_by_crossings(linear, plain, relaxation_, factors);
    refuted.why_engine = "an element is certainly too far out of order";
    if (refuted.verdict == Verdict::violation) return refuted;
    auto order = ValueOrder::guess(linear, plain, relaxation_, factors);
    Budget slice(budget.at_most(kMostGuessing), budget.memory_limit(), options_.interrupt);
    EngineOptions depth_first = engine_options();
    depth_first.depth_first = true;
    while (order) {
      Answer answer = decide_jit(order->follow(linear), slice, depth_first);
      answer.why_engine = "elements come and leave in the order that their operations suggest";
      if (answer.verdict == Verdict::holds) return answer;
      if (answer.failing_event == kNone || !order->loosen(linear, answer.failing_event)) break;
    }
    return decide_auto(linear, budget, engine_options());
  }
  static Problem relaxed_problem(const Problem& plain, const Specification& relaxed) {
    Problem linear = plain;
    linear.specification = &relaxed;
    return linear;
  }
  EngineOptions engine_options() const {
    EngineOptions engine;
    engine.lru_entries = options_.lru_entries;
    engine.breadth_first = options_.search == "bfs";
    engine.depth_first = options_.search == "dfs";
    return engine;
  }

  void decide_all() {
    progress_.phase = "deciding";
    progress_.partitions = split_.partitions.size();
    progress_.operations = history_.size();
    answers_.resize(split_.partitions.size());
    check().partitions.resize(split_.partitions.size());
    bool violated = false;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      PartitionReport& part = check().partitions[i];
      part.object = split_.partitions[i].object;
      part.operations = problem(i).ops.size();
      part.skipped = violated && !options_.keep_going;
      if (part.skipped) continue;
      const auto start = Clock::now();
      const std::size_t same = report_.asked.dedup ? same_as(i) : i;
      answers_[i] = same < i ? answers_[same] : decide(problem(i), sets(), budget_);
      report_answer(answers_[i], part);
      if (same < i) part.why_engine = "another object has the same history";
      part.seconds = since(start);
      violated = violated || answers_[i].verdict == Verdict::violation;
      ++progress_.partitions_decided;
      progress_.operations_decided += part.operations;
    }
  }

  // The first object with the same history as this one (section VI-C, the second redundancy).
  std::size_t same_as(std::size_t i) const {
    const auto same_label = [](const BoundLabel& a, const BoundLabel& b) {
      return a.method == b.method && a.known == b.known && a.result == b.result &&
             std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end());
    };
    const auto same_op = [](const Problem::Op& a, const Problem::Op& b) {
      return a.label == b.label && a.call == b.call && a.ret == b.ret && a.after == b.after &&
             a.judged == b.judged;
    };
    const Problem& p = problem(i);
    for (std::size_t j = 0; j < i; ++j) {
      const Problem& q = problem(j);  // labels are numbered by their first operation in both
      if (p.specification == q.specification && p.initial == q.initial && p.stuck == q.stuck &&
          std::equal(p.labels.begin(), p.labels.end(), q.labels.begin(), q.labels.end(),
                     same_label) &&
          std::equal(p.ops.begin(), p.ops.end(), q.ops.begin(), q.ops.end(), same_op))
        return j;
    }
    return i;
  }

  // ---- Proving.
  Status prove() {
    progress_.phase = "proving";
    std::size_t violated = SIZE_MAX;
    std::string undecided;
    for (std::size_t i = answers_.size(); i-- > 0;) {
      const PartitionReport& part = check().partitions[i];
      if (part.verdict == Verdict::violation) violated = i;
      if (part.verdict == Verdict::undecided && !part.skipped) undecided = part.reason;
      check().skipped_partitions += part.skipped;
      if (part.verdict == Verdict::holds && permutes(relaxation_))
        if (std::string wrong = verify_permuted(problem(i), relaxation_, bind(sets(), plain(i)),
                                                answers_[i].witnesses[0], answers_[i].witnesses[1]);
            !wrong.empty())
          wrong_ = wrong;
    }
    if (!wrong_.empty())
      return Error{ErrorKind::internal, "a witness is wrong: " + wrong_,
                   "this is a bug in plumb: please report it", history_.file};
    if (violated != SIZE_MAX) return convict(violated);
    if (!undecided.empty()) {
      check().reason = undecided;
      return {};
    }
    check().verdict = Verdict::holds;
    return merge();
  }

  Status merge() {
    std::vector<std::vector<OperationId>> orders;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      const Problem& p = problem(i);
      const std::vector<OperationId>& order = answers_[i].witnesses.front();
      std::vector<OperationId> permuted;
      if (permutes(relaxation_)) permuted = answers_[i].witnesses.back();
      for (auto& d : distances(p, plain(i), relaxation_, bind(sets(), plain(i)), order, permuted))
        report_.distances.push_back(std::move(d));
      for (OperationId& op : permuted) op = p.ops[op].source;
      if (permutes(relaxation_)) report_.displaced.push_back(std::move(permuted));
      if (history_.stuck) blocking_witnesses(p, answers_[i]);
      orders.push_back(order);
    }
    if (history_.stuck) return {};
    if (auto order = merge_witnesses(history_, split_, orders)) {
      check().witness = std::move(*order);
    } else {
      check().verdict = Verdict::undecided;
      check().reason =
          "every object holds, but the parts' orders contradict the order within a process";
    }
    return {};
  }
  void blocking_witnesses(const Problem& p, const Answer& answer) {
    std::size_t j = 0;
    for (const Problem::Op& op : p.ops) {
      if (!op.judged) continue;
      std::vector<OperationId> order = answer.witnesses[j++];
      for (OperationId& id : order) id = p.ops[id].source;
      check().blocking_witnesses.emplace_back(op.source, std::move(order));
    }
  }

  // ---- A violation.
  Status convict(std::size_t index) {
    check().verdict = Verdict::violation;
    if (!options_.minimise) return {};
    progress_.phase = "minimising";
    const double left = options_.timeout_seconds - since(started_);
    const double most = options_.timeout_seconds > 0 ? std::clamp(0.9 * left, 0.001, 10.0) : 10;
    Budget budget(most, 0, options_.interrupt);
    Status refuted =
        permutes(relaxation_) ? refute_permuted(index, budget) : refute_relaxed(index, budget);
    if (!refuted.ok() || !check().counterexample) return refuted;
    explain_distance(index, budget);
    return {};
  }

  Status refute_relaxed(std::size_t index, Budget& budget) {
    const auto relaxed = make_k_automaton(plain(index), relaxation_, bind(sets(), plain(index)));
    const Problem linear = relaxed_problem(problem(index), *relaxed);
    Answer answer = answers_[index];
    if (answer.engine == "crossings") sharpen(linear, answer, budget);
    return refute(history_, linear, answer, budget, check(), options_.excerpt);
  }

  // What crosses suffices for a violation, but need not be the least that does. The core has the
  // enqs of all elements that it speaks of; besides it, only removals that may have taken anything
  // could explain it.
  void sharpen(const Problem& linear, Answer& answer, Budget& budget) const {
    const Problem start = prefix(linear, answer.failing_event);  // the same numbers
    std::vector<OperationId> few = answer.core, kept;
    for (OperationId op = 0; op < start.ops.size(); ++op)
      if (says_nothing(start, op) &&
          !std::binary_search(answer.core.begin(), answer.core.end(), op))
        few.push_back(op);
    std::sort(few.begin(), few.end());
    const OperationId culprit = linear.events[answer.failing_event].operation();
    OperationId culprit_there = kNone;
    for (OperationId i = 0; i < few.size(); ++i) {
      if (std::binary_search(answer.core.begin(), answer.core.end(), few[i])) kept.push_back(i);
      if (few[i] == culprit) culprit_there = i;
    }
    MinimiseOptions by_search;
    by_search.decide = [](const Problem& part, Budget& slice, const EngineOptions& options) {
      return decide_jit(part, slice, options);
    };
    Budget slice(budget.at_most(2), 0, nullptr);
    weaken(restrict(start, few), culprit_there, slice, by_search, kept);
    answer.core.clear();
    for (const OperationId i : kept) answer.core.push_back(few[i]);
  }
  static bool says_nothing(const Problem& of, OperationId op) {
    return !of.labels[of.ops[op].label].known;
  }

  Status refute_permuted(std::size_t index, Budget& budget) {
    const Problem& whole = problem(index);
    const Factors factors = bind(sets(), plain(index));
    MinimiseOptions by_joint;
    by_joint.decide = [&](const Problem& part, Budget& slice, const EngineOptions&) {
      return decide_joint(part, relaxation_, factors, slice);
    };
    std::vector<OperationId> kept(whole.ops.size());
    for (OperationId op = 0; op < kept.size(); ++op) kept[op] = op;
    Budget slice(0.5 * budget.at_most(10), 0, nullptr);
    Counterexample example;
    example.minimal = weaken(whole, kNone, slice, by_joint, kept);
    const Problem part = restrict(whole, kept);
    const bool literally = answers_[index].engine == "roundup-literal";
    Budget second(budget.at_most(5), std::size_t{1} << 30, nullptr);
    const Answer again = literally ? decide_joint(part, relaxation_, factors, second)
                                   : decide_roundup_literal(part, relaxation_, factors, second);
    Minimised cut;
    (again.verdict == Verdict::holds ? cut.contradicted_by : cut.confirmed_by) =
        again.verdict == Verdict::undecided ? "" : again.engine;
    if (Status s = ask_second_engine(cut, answers_[index], history_, check()); !s.ok()) return s;
    example.confirmed_by = cut.confirmed_by;
    for (const OperationId op : kept) example.operations.push_back(whole.ops[op].source);
    example.why.push_back(
        fmt::format("No order of {} explains {}, even if operations move as far as {} allows.",
                    kept.size() == 1 ? "this operation"
                                     : "these " + text::count_words(kept.size(), "operation"),
                    kept.size() == 1 ? "its result" : "their results", report_.asked.relaxation));
    check().counterexample = std::move(example);
    return {};
  }

  // The least factor that explains the operations of the counterexample, and what is then out of
  // place.
  void explain_distance(std::size_t index, Budget& budget) {
    Counterexample& example = *check().counterexample;
    if (history_.stuck) return;
    const Problem& whole = problem(index);
    const auto is_shown = [&](OperationId source) {
      return std::binary_search(example.operations.begin(), example.operations.end(), source);
    };
    std::vector<OperationId> kept, others;
    for (OperationId op = 0; op < whole.ops.size(); ++op)
      (is_shown(whole.ops[op].source) ? kept : others).push_back(op);
    std::string what = "these operations";
    Problem part;
    if (permutes(relaxation_)) {  // the others make room to move, whatever they did
      part = restrict(whole, kept, others);
    } else if (!example.left_state.empty()) {
      const auto culprit =
          std::find_if(whole.ops.begin(), whole.ops.end(),
                       [&](const Problem::Op& op) { return op.source == example.culprit; });
      part = prefix(whole, culprit->ret);
      what = "all operations up to there";
    } else {
      part = restrict(whole, kept);
    }
    Budget slice(budget.at_most(2), 0, options_.interrupt);
    const auto with_at_least = [&](std::int64_t factor) {
      std::vector<QuasiSet> raised = sets();
      for (QuasiSet& set : raised) set.factor = std::max(set.factor.value_or(kMostFactor), factor);
      return raised;
    };
    const auto decide_with = [&](const std::vector<QuasiSet>& raised) {
      if (!permutes(relaxation_)) return decide(part, raised, slice);
      return decide_joint(part, relaxation_, bind(raised, plain(index)), slice);
    };
    const auto least = find_least(part.ops.size(), [&](std::int64_t factor) {
      return decide_with(with_at_least(factor)).verdict;
    });
    if (!least) return;
    report_.needed = least;
    std::optional<std::uint32_t> needed;
    if (*least >= 0) {
      const std::vector<QuasiSet> raised = with_at_least(*least);
      const Answer answer = decide_with(raised);
      if (answer.verdict != Verdict::holds) return;
      needed = static_cast<std::uint32_t>(*least);
      report_.distances = distances(part, plain(index), relaxation_, bind(raised, plain(index)),
                                    answer.witnesses.front(), answer.witnesses.back());
      if (permutes(relaxation_))
        std::erase_if(report_.distances, [&](const auto& d) { return !is_shown(d.operation); });
      // Of equal elements another one may have left: then it is not this far.
      if (largest(report_.distances) > *needed) report_.distances.clear();
    }
    for (std::string& sentence :
         distance_words(history_, relaxation_, sets(), report_.distances, needed, what))
      example.why.push_back(std::move(sentence));
  }

  // ---- Least factors.
  // The least k for which holds(k): -1 if there is none, nothing if it could not be decided. What
  // holds for k holds for k + 1, and more than `most` never helps.
  template <class Holds>
  static std::optional<std::int64_t> find_least(std::size_t most, const Holds& holds) {
    const auto ask = [&](std::int64_t k) -> std::optional<bool> {
      const Verdict verdict = holds(k);
      if (verdict == Verdict::undecided) return std::nullopt;
      return verdict == Verdict::holds;
    };
    std::int64_t fails = -1, passes = static_cast<std::int64_t>(most);
    for (std::int64_t k = 0; k < passes; k = 2 * k + 1) {  // small ones are likely, and cheap
      const auto answer = ask(k);
      if (!answer) return std::nullopt;
      if (*answer) passes = k;
      else fails = k;
      if (*answer) break;
    }
    if (passes == static_cast<std::int64_t>(most)) {
      const auto answer = ask(passes);
      if (!answer) return std::nullopt;
      if (!*answer) return -1;
    }
    while (passes - fails > 1) {
      const std::int64_t k = fails + (passes - fails) / 2;
      const auto answer = ask(k);
      if (!answer) return std::nullopt;
      (*answer ? passes : fails) = k;
    }
    return passes;
  }

  void find_least_factors() {
    progress_.phase = "looking for the least factors";
    for (std::size_t i = 0; i < sets().size(); ++i) {
      const auto holds = [&](std::int64_t factor) {
        std::vector<QuasiSet> changed = sets();
        changed[i].factor = factor;
        for (std::size_t p = 0; p < answers_.size(); ++p)
          if (const Verdict v = decide(problem(p), changed, budget_).verdict; v != Verdict::holds)
            return v;
        return Verdict::holds;
      };
      report_.least.push_back(find_least(history_.size(), holds));
    }
  }

  const History& history_;
  const CheckOptions& options_;
  CheckProgress& progress_;
  const Clock::time_point started_ = Clock::now();
  Budget budget_;
  Relaxation relaxation_ = Relaxation::strict;
  Partitioning split_;
  std::vector<Answer> answers_;  // by object
  std::string wrong_;            // with a witness
  QuasiReport report_;
};

}  // namespace
}  // namespace quasi

Result<QuasiReport> check_quasi(const History& history, const QuasiOptions& asked,
                                const CheckOptions& options, CheckProgress* progress) {
  CheckProgress unused;
  return quasi::QuasiCheck(history, asked, options, progress ? *progress : unused).run();
}

}  // namespace plumb
