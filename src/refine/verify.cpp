// SPDX-License-Identifier: MIT
// One question about a model: the search that answers it, then what a report needs besides.
#include "refine/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <thread>

#include "base/clock.hpp"
#include "base/compiler_driver.hpp"
#include "base/resident.hpp"
#include "base/text.hpp"
#include "explain/words.hpp"
#include "model/code/sequential.hpp"
#include "plumb/version.hpp"
#include "refine/evidence/least.hpp"
#include "refine/question/history_monitor.hpp"
#include "refine/question/register_monitor.hpp"
#include "refine/replay.hpp"
#include "refine/search/store.hpp"

namespace plumb::refine {

using model::Program;

namespace {

// "the specification is Stack of stack_coarse.plumb (CAPACITY=4), one operation at a time"
std::string specification_words(const model::SpecModel& spec) {
  std::string constants;
  for (const auto& [name, value] : spec.program.constants)
    constants += fmt::format("{}{}={}", constants.empty() ? " (" : ", ", name, value);
  return fmt::format("the specification is {} of {}{}, one operation at a time",
                     spec.program.object, spec.file, constants.empty() ? "" : constants + ")");
}

CheckpointOptions checkpoint_options(const Program& program, std::string_view text,
                                     const Question& question, const VerifyOptions& options) {
  CheckpointOptions checkpoint;
  if (options.checkpoint.empty()) return checkpoint;
  checkpoint.file = options.checkpoint;
  checkpoint.every_seconds = options.checkpoint_seconds;
  ContentHash hash;
  hash.add(PLUMB_VERSION).add(text).add(question_name(question));
  const auto add_constants = [&](const Program& p) {
    for (const auto& [name, value] : p.constants) hash.add(fmt::format("{}={}", name, value));
  };
  add_constants(program);
  if (program.spec_model) {
    hash.add(program.spec_model->text);
    add_constants(program.spec_model->program);
  }
  hash.add(options.compact ? "compact" : "");
  for (const ReductionName& r : kReductions) hash.add(options.reductions.*r.on ? r.name : "");
  checkpoint.key = hash.hex();
  return checkpoint;
}

// What the search had found by then is lost with its tables.
VerifyReport out_of_memory(const Question& question, const SearchProgress* progress) {
  VerifyReport report;
  report.question = question;
  report.reason = "out of memory";
  report.found.stopped = StopReason::out_of_memory;
  if (!progress) return report;
  report.found.states = progress->states;
  report.found.transitions = progress->transitions;
  report.found.depth = progress->depth;
  report.found.waiting = progress->waiting;
  return report;
}

class Verification {
 public:
  Verification(const Program& program, std::string_view text, const VerifyOptions& options,
               SearchProgress* progress)
      : program_(program), text_(text), options_(options),
        question_(options.question.value_or(question_of(program))), progress_(progress),
        budget_(options.timeout_seconds, options.memory_bytes, options.interrupt) {
    report_.question = question_;
    report_.specification = make_specification(program);
    search_.reductions = options.reductions;
    if (const auto* criterion = std::get_if<Criterion>(&question_)) search_.criterion = *criterion;
    search_.jobs = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
    search_.native = options.native;
    search_.compact = options.compact;
    search_.checkpoint = checkpoint_options(program, text, question_, options);
  }

  Result<VerifyReport> run() {
    if (Status fits = fit(); !fits.ok()) return std::move(fits.error());
    const auto start = Clock::now();
    if (Status searched = search(); !searched.ok()) return std::move(searched.error());
    report_.seconds = since(start);
    if (Status sound = specification(); !sound.ok()) return std::move(sound.error());
    note_reductions();
    note_scope();
    settle_cuts();
    note_store();
    if (report_.found.verdict == Verdict::holds && !about_progress(question_))
      report_.warnings = vacuity(program_, report_.found.coverage, model::Quotes(text_));
    if (options_.savings && by_product(question_) && report_.found.verdict != Verdict::undecided)
      find_savings();
    if (report_.found.verdict == Verdict::violation)
      if (Status shown = lasso_ ? show_lasso() : show_run(); !shown.ok())
        return std::move(shown.error());
    return std::move(report_);
  }

 private:
  // ---- before the search

  /// Whether the question can be asked of this model.
  Status fit() {
    if (about_progress(question_)) {
      property_ = ProgressProperty::of(question_, program_);
      if (!property_)
        return Error{
            ErrorKind::usage,
            fmt::format("the model has no operation '{}'", std::get<Returns>(question_).operation),
            "see its op declarations"};
    }
    if (!options_.checkpoint.empty() && question_ != Question(Criterion::linearizable) &&
        !std::holds_alternative<ExploreOnly>(question_))
      return Error{ErrorKind::usage,
                   fmt::format("no checkpoints are kept for '{}'", question_name(question_)),
                   "they are for linearizability by the product, and for --explore-only"};
    if (of_registers(question_)) return fit_register();
    return {};
  }

  Status fit_register() {
    const RegisterShape shape = register_shape(program_);
    std::string why_not = shape.why_not;
    if (why_not.empty() && records(question_))
      why_not = why_not_recorded(program_, search_.criterion);
    if (why_not.empty()) {
      report_.initial_value =
          value_of(program_, program_.ops[shape.read].result, shape.values.front());
      return {};
    }
    const std::string message =
        fmt::format("this question applies only to registers with one writer{}: {}",
                    records(question_) ? " and few calls" : "", why_not);
    if (!is_asserted(program_, question_))
      return Error{ErrorKind::usage, message, "ask whether it is linearizable, by the product"};
    return Error{ErrorKind::bad_input, fmt::format("{}: {}", program_.asserted->words(), message),
                 "remove it, or ask for linearizability by --engine product", "",
                 program_.asserted->line};
  }

  // ---- the search

  Status search() {
    if (property_) {
      Progressed progressed = decide_progress(program_, *property_, budget_, progress_);
      report_.found = std::move(progressed.found);
      lasso_ = std::move(progressed.lasso);
    } else if (std::holds_alternative<ExploreOnly>(question_)) {
      search_.reductions.symmetry = false;
      report_.found = explore(program_, search_, budget_, progress_);
    } else {
      report_.found = refine(program_, search_, budget_, progress_);
      return without_wrong_marks();
    }
    return {};
  }

  /// Where the marked points explain a run badly, the marks may be wrong, and not the object.
  Status without_wrong_marks() {
    if (search_.criterion != Criterion::points || report_.found.verdict != Verdict::violation ||
        report_.found.kind == Found::fault)
      return {};
    Result<MarksFailure> failure = explain_marks(program_, text_, report_.found);
    if (!failure.ok()) return std::move(failure.error());
    report_.marks = std::move(*failure);
    search_.criterion = Criterion::linearizable;
    report_.found = refine(program_, search_, budget_, progress_);
    return {};
  }

  Status specification() {
    Found& found = report_.found;
    if (found.refused) return std::move(*found.refused);
    if (!found.spec_fault) return {};
    return Error{ErrorKind::bad_input,
                 "the specification has a fault: " + found.spec_fault->message,
                 "it must be defined for every call in every state that it can reach",
                 program_.spec_model ? program_.spec_model->file : "", found.spec_fault->line};
  }

  // ---- scope

  void note(std::string words) { report_.notes.push_back(std::move(words)); }

  void note_reductions() {
    if (!by_product(question_)) return;
    if (options_.reductions.symmetry)
      for (const model::ClientClass& c : program_.classes)
        if (!c.symmetric && c.count > 1)
          note(fmt::format(
              "no symmetry among processes {} to {}: their operations use self as a number",
              c.first, c.first + c.count - 1));
    if (options_.reductions.partial_order && !is_plain(program_))
      note(fmt::format("no partial-order reduction: the model has {}",
                       program_.pools.empty() ? "invariants" : "nodes"));
  }

  void note_scope() {
    if (about_progress(question_))
      for (const model::ClientClass& c : program_.classes)
        if (c.at_most > 0 && c.count > 0)
          note(
              fmt::format("processes {} to {} make at most {} calls each, so infinite runs that "
                          "need more calls are not covered",
                          c.first, c.first + c.count - 1, c.at_most));
    if (program_.spec_model && std::holds_alternative<Criterion>(question_))
      note(specification_words(*program_.spec_model));
    if (program_.asserted && !is_asserted(program_, question_))
      note(fmt::format("{} in line {} played no part, because something else was asked",
                       program_.asserted->words(), program_.asserted->line));
  }

  /// Paths end where `new` finds no node. What lies behind them is not known.
  void settle_cuts() {
    Found& found = report_.found;
    switch (found.stopped) {
      case Budget::Stop::time_limit: report_.reason = "time-out"; break;
      case Budget::Stop::memory_limit: report_.reason = "memory limit"; break;
      case Budget::Stop::interrupted: report_.reason = "interrupted"; break;
      default: break;
    }
    if (found.cuts == 0) return;
    const std::string cuts =
        fmt::format("new found no free node in {}", text::count_words(found.cuts, "step"));
    const bool complete =
        found.verdict == Verdict::undecided && found.stopped == Budget::Stop::none;
    if (complete && options_.cut_is_bound) found.verdict = Verdict::holds;
    else if (complete) report_.reason = cuts + ": declare more nodes, or say --cut-is-bound";
    if (found.verdict == Verdict::holds) note(cuts + ": runs that need more nodes are not covered");
  }

  void note_store() {
    const Found& found = report_.found;
    if (found.states_before > 0)
      note(fmt::format("resumed from {} with {} after {:.1f} s", options_.checkpoint,
                       text::count_words(found.states_before, "state"), found.seconds_before));
    if (found.unsaved) note(found.unsaved->to_string());
    else if (found.saved && found.stopped != Budget::Stop::none)
      note("saved in " + options_.checkpoint + ", from which the same command resumes");
    if (options_.compact && !about_progress(question_))
      note(
          fmt::format("hash compaction: states are distinguished by 64 bits of a hash, so with a "
                      "probability of at most {:.1e} some were missed",
                      chance_of_omission(report_.found.implementation)));
  }

  /// What a reduction saves is known only without it. That may take forever, so each search may
  /// make a few times the transitions of the reduced one.
  void find_savings() {
    constexpr std::uint64_t kTimes = 10, kLeast = 1'000'000;  // transitions
    const auto without = [&](std::string name, const Reductions& reductions, bool all) {
      if (budget_.exhausted()) return;
      const auto start = Clock::now();
      const Found other =
          refine(program_,
                 {.reductions = reductions,
                  .criterion = search_.criterion,
                  .jobs = search_.jobs,
                  .native = options_.native,
                  .most_transitions = std::max(kLeast, kTimes * report_.found.transitions)},
                 budget_);
      report_.savings.push_back({std::move(name), other.states, other.transitions, since(start),
                                 other.stopped == Budget::Stop::none, all});
    };
    Reductions none = options_.reductions;
    for (const ReductionName& r : kReductions) {
      if (!(options_.reductions.*r.on)) continue;
      Reductions one_less = options_.reductions;
      one_less.*r.on = none.*r.on = false;
      without(r.name, one_less, false);
    }
    if (report_.savings.size() > 1) without("all", none, true);
  }

  // ---- evidence

  Status show_lasso() { return replay_lasso(program_, text_, *property_, *lasso_, report_); }

  Status show_run() {
    find_least_run();
    if (Status replayed = replay(program_, text_, report_); !replayed.ok()) return replayed;
    // The limit is that of the process, and the tables of the search are not needed any more.
    if (options_.memory_bytes > 0) release_free_memory();
    if (Status confirmed = confirm(with_time_left(), report_); !confirmed.ok()) return confirmed;
    if (report_.found.kind == Found::unexplained && is_asserted(program_, question_))
      report_.counterexample->why.push_back(fmt::format(
          "So {} in line {} fails.", program_.asserted->words(), program_.asserted->line));
    return {};
  }

  VerifyOptions with_time_left() const {
    VerifyOptions rest = options_;
    if (rest.timeout_seconds > 0)
      rest.timeout_seconds = std::max(0.001, rest.timeout_seconds - since(started_));
    return rest;
  }

  /// The least is looked for where the question is linearizability, and of faults, which are there
  /// whatever the question is; for those nothing but faults must be found. The other criteria are
  /// content with a short run.
  void find_least_run() {
    const bool linearizable = by_product(question_) && search_.criterion == Criterion::linearizable;
    if (!options_.least || !(linearizable || report_.found.kind == Found::fault)) return;
    constexpr double kShare = 0.8;  // of the time that is left: some is needed to confirm
    Budget part(budget_, 0, kShare);
    find_least(program_, options_.reductions, linearizable, part, report_.found);
    if (!report_.found.fewest_operations)
      note("the search for a run with fewer operations reached its limit");
    else if (!report_.found.fewest_steps)
      note("no run has fewer operations, but there may be one with fewer steps");
  }

  const Program& program_;
  const std::string_view text_;
  const VerifyOptions& options_;
  const Question question_;
  SearchProgress* const progress_;
  const Clock::time_point started_ = Clock::now();
  Budget budget_;
  std::optional<ProgressProperty> property_;  // where it is about progress
  SearchOptions search_;                      // its criterion: that which was decided in the end
  std::optional<Lasso> lasso_;
  VerifyReport report_;
};

}  // namespace

Result<VerifyReport> verify(const Program& program, std::string_view text,
                            const VerifyOptions& options, SearchProgress* progress) {
  try {
    return Verification(program, text, options, progress).run();
  } catch (const std::bad_alloc&) {
    return out_of_memory(options.question.value_or(question_of(program)), progress);
  }
}

}  // namespace plumb::refine
