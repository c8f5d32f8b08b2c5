// SPDX-License-Identifier: MIT
// One question about a model: the search that answers it, then what a report needs besides.
#include "refine/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/compiler_driver.hpp"
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

bool is_asserted(const Program& program, Criterion criterion) {
  return program.asserted && criterion == criterion_of(program);
}

// "the specification is Stack of stack_coarse.plumb (CAPACITY=4), an operation at a time"
std::string specification_words(const model::SpecModel& spec) {
  std::string constants;
  for (const auto& [name, value] : spec.program.constants)
    constants += fmt::format("{}{}={}", constants.empty() ? " (" : ", ", name, value);
  return fmt::format("the specification is {} of {}{}, an operation at a time", spec.program.object,
                     spec.file, constants.empty() ? "" : constants + ")");
}

// What a reduction saves can only be known without it. That may take for ever, so each search gets
// a few times what the reduced one took.
std::vector<Saving> find_savings(const Program& program, const VerifyOptions& options,
                                 Criterion criterion, double seconds) {
  constexpr double kTimes = 10, kLeast = 1;  // seconds
  std::vector<Saving> all;
  double left = options.timeout_seconds > 0 ? options.timeout_seconds - seconds : 1e9;
  const auto without = [&](std::string name, const Reductions& reductions) {
    const double share = std::min(left, std::max(kLeast, kTimes * seconds));
    if (share <= 0) return;
    const auto start = Clock::now();
    Budget budget(share, options.memory_bytes, options.interrupt);
    const Found other = refine(program,
                               {.reductions = reductions,
                                .criterion = criterion,
                                .jobs = options.jobs,
                                .native = options.native},
                               budget);
    all.push_back({std::move(name), other.states, other.transitions, since(start),
                   other.stopped == Budget::Stop::none});
    left -= since(start);
  };
  Reductions none = options.reductions;
  for (const ReductionName& r : kReductions) {
    if (!(options.reductions.*r.on)) continue;
    Reductions one_less = options.reductions;
    one_less.*r.on = none.*r.on = false;
    without(r.name, one_less);
  }
  if (all.size() > 1) without("all", none);
  return all;
}

CheckpointOptions checkpoint_options(const Program& program, std::string_view text,
                                     const VerifyOptions& options) {
  CheckpointOptions checkpoint;
  if (options.checkpoint.empty()) return checkpoint;
  checkpoint.file = options.checkpoint;
  checkpoint.every_seconds = options.checkpoint_seconds;
  ContentHash hash;
  hash.add(PLUMB_VERSION).add(text).add(options.property);
  const auto add_constants = [&](const Program& p) {
    for (const auto& [name, value] : p.constants) hash.add(fmt::format("{}={}", name, value));
  };
  add_constants(program);
  if (program.spec_model) {
    hash.add(program.spec_model->text);
    add_constants(program.spec_model->program);
  }
  hash.add(fmt::format("{} {} {}", options.explore_only, options.compact,
                       static_cast<int>(options.criterion)));
  for (const ReductionName& r : kReductions) hash.add(options.reductions.*r.on ? r.name : "");
  checkpoint.key = hash.hex();
  return checkpoint;
}

void note_checkpoints(const VerifyOptions& options, VerifyReport& report) {
  const Found& found = report.found;
  if (found.states_before > 0)
    report.notes.push_back(
        fmt::format("it went on from {}, where {} were known after {:.1f} s", options.checkpoint,
                    text::count_words(found.states_before, "state"), found.seconds_before));
  if (found.unsaved) report.notes.push_back(found.unsaved->to_string());
  else if (found.saved && found.stopped != Budget::Stop::none)
    report.notes.push_back("it was saved in " + options.checkpoint +
                           ", and the same command goes on from there");
}

// Paths end where `new` finds no node. What lies behind them was not looked at.
void settle_cuts(const VerifyOptions& options, VerifyReport& report) {
  const std::string cuts = fmt::format("new found no free node in {} step{}", report.found.cuts,
                                       report.found.cuts == 1 ? "" : "s");
  const bool complete =
      report.found.verdict == Verdict::undecided && report.found.stopped == Budget::Stop::none;
  if (complete && options.cut_is_bound) report.found.verdict = Verdict::holds;
  else if (complete) report.reason = cuts + ": declare more nodes, or say --cut-is-bound";
  if (report.found.verdict == Verdict::holds)
    report.notes.push_back(cuts + ": only what needs no more nodes was looked at");
}

}  // namespace

Result<VerifyReport> verify(const Program& program, std::string_view text,
                            const VerifyOptions& options, SearchProgress* progress) {
  VerifyReport report;
  report.specification = make_specification(program);
  if (of_registers(options.criterion)) {
    const RegisterShape shape = register_shape(program);
    const std::string why_not = !shape.why_not.empty() ? shape.why_not
                                : records(options.criterion)
                                    ? why_not_recorded(program, options.criterion)
                                    : "";
    if (!why_not.empty()) {
      const std::string message =
          fmt::format("this is asked of {} only: {}",
                      records(options.criterion) ? "registers with one writer and few calls"
                                                 : "registers with one writer",
                      why_not);
      if (is_asserted(program, options.criterion))
        return Error{ErrorKind::bad_input,
                     fmt::format("{}: {}", program.asserted->words(), message),
                     "remove it, or ask for linearizability by --engine product", "",
                     program.asserted->line};
      return Error{ErrorKind::usage, message, "ask whether it is linearizable, by the product"};
    }
    report.initial_value = value_of(program, program.ops[shape.read].result, shape.values.front());
  }
  Budget budget(options.timeout_seconds, options.memory_bytes, options.interrupt);
  const auto start = Clock::now();
  SearchOptions search{.reductions = options.reductions,
                       .criterion = options.criterion,
                       .jobs = options.jobs,
                       .native = options.native,
                       .compact = options.compact,
                       .checkpoint = checkpoint_options(program, text, options)};
  std::optional<Lasso> lasso;
  if (options.progress) {
    Progressed progressed = decide_progress(program, *options.progress, budget, progress);
    report.found = std::move(progressed.found);
    lasso = std::move(progressed.lasso);
  } else if (options.explore_only) {
    search.reductions.symmetry = false;
    report.found = explore(program, search, budget, progress);
  } else {
    report.found = refine(program, search, budget, progress);
    // It may be the marks that are wrong, and not the object.
    if (options.criterion == Criterion::points && report.found.verdict == Verdict::violation &&
        report.found.kind != Found::fault) {
      Result<MarksFailure> failure = explain_marks(program, text, report.found);
      if (!failure.ok()) return std::move(failure.error());
      report.marks = std::move(*failure);
      search.criterion = Criterion::linearizable;
      report.found = refine(program, search, budget, progress);
    }
  }
  report.seconds = since(start);
  if (report.found.refused) return std::move(*report.found.refused);
  if (report.found.spec_fault)
    return Error{ErrorKind::bad_input,
                 "the specification goes wrong: " + report.found.spec_fault->message,
                 "it must be defined for every call in every state that it can reach",
                 program.spec_model ? program.spec_model->file : "", report.found.spec_fault->line};
  const bool product = !options.explore_only && !options.progress && !records(options.criterion);
  if (options.reductions.symmetry && product)
    for (const model::ClientClass& c : program.classes)
      if (!c.symmetric && c.count > 1)
        report.notes.push_back(fmt::format(
            "no symmetry among processes {} to {}: their operations use self as a number", c.first,
            c.first + c.count - 1));
  if (options.reductions.partial_order && product && !is_plain(program))
    report.notes.push_back(fmt::format("no partial-order reduction: the model has {}",
                                       program.pools.empty() ? "invariants" : "nodes"));
  if (options.progress)
    for (const model::ClientClass& c : program.classes)
      if (c.at_most > 0 && c.count > 0)
        report.notes.push_back(fmt::format(
            "processes {} to {} make at most {} calls each, so what needs more of them to go on "
            "for ever is not seen",
            c.first, c.first + c.count - 1, c.at_most));
  if (program.spec_model && !options.explore_only && !options.progress)
    report.notes.push_back(specification_words(*program.spec_model));
  if (program.asserted && !is_asserted(program, options.criterion))
    report.notes.push_back(
        fmt::format("{} in line {} played no part, because something else was asked",
                    program.asserted->words(), program.asserted->line));
  if (report.found.cuts > 0) settle_cuts(options, report);
  switch (report.found.stopped) {
    case Budget::Stop::time_limit: report.reason = "time-out"; break;
    case Budget::Stop::memory_limit: report.reason = "memory limit"; break;
    case Budget::Stop::interrupted: report.reason = "interrupted"; break;
    default: break;
  }
  note_checkpoints(options, report);
  if (options.compact && !options.progress)
    report.notes.push_back(fmt::format(
        "hash compaction: states were told apart by 64 bits of a hash, so with a chance of up to "
        "{:.1e} some were overlooked",
        chance_of_omission(report.found.implementation)));
  if (report.found.verdict == Verdict::holds && !options.progress)
    report.warnings = vacuity(program, report.found.coverage, model::Quotes(text));
  if (options.savings && product && report.found.verdict != Verdict::undecided)
    report.savings = find_savings(program, options, search.criterion, report.seconds);
  if (report.found.verdict != Verdict::violation) return report;
  if (lasso) {
    if (Status done = replay_lasso(program, text, *options.progress, *lasso, report); !done.ok())
      return std::move(done.error());
    return report;
  }
  // What is least is asked of linearizability, and of faults, which are there whatever is asked;
  // for that nothing but faults must be found. Else the other criteria are content with a short
  // run.
  const bool linearizable = product && search.criterion == Criterion::linearizable;
  if (options.least && (linearizable || report.found.kind == Found::fault)) {
    find_least(program, options.reductions, linearizable, budget, report.found);
    if (!report.found.fewest_operations)
      report.notes.push_back("the search for a run with fewer operations was cut");
    else if (!report.found.fewest_steps)
      report.notes.push_back("no run has fewer operations, but perhaps one has fewer steps");
  }
  if (Status replayed = replay(program, text, report); !replayed.ok())
    return std::move(replayed.error());
  if (Status confirmed = confirm(options, report); !confirmed.ok())
    return std::move(confirmed.error());
  if (report.found.kind == Found::unexplained && is_asserted(program, options.criterion))
    report.counterexample->why.push_back(
        fmt::format("So {} in line {} fails.", program.asserted->words(), program.asserted->line));
  return report;
}

}  // namespace plumb::refine
