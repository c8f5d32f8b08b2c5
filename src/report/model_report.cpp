// SPDX-License-Identifier: MIT
#include "report/model_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace plumb::report {
namespace {

std::string engine_name(const refine::VerifyReport& found) {
  const Question& question = found.question;
  if (found.simulated) return "run";
  if (refine::about_progress(question)) return "graph";
  if (question == Question(ExploreOnly{})) return "explore";
  const bool apart = question == Question(Criterion::points) || refine::records(question);
  return found.marks || !apart ? "product" : question_name(question);
}

// By what it holds, if not by the product.
std::string how_words(const refine::VerifyReport& found) {
  if (found.question == Question(Criterion::points) && !found.marks)
    return ", by its linearization points";
  if (refine::records(found.question))
    return fmt::format(", by {} on recorded histories", question_name(found.question));
  return "";
}

ModelScope scope_of(const model::Program& program, const refine::VerifyReport& found,
                    const ModelRequest& request) {
  const refine::VerifyOptions& options = request.options;
  ModelScope scope;
  scope.question = found.question;
  scope.object = program.object;
  scope.processes = static_cast<std::uint32_t>(program.processes());
  scope.constants.assign(program.constants.begin(), program.constants.end());
  scope.found = found.found;
  scope.engine = engine_name(found);
  scope.how = how_words(found);
  for (const refine::ReductionName& r : refine::kReductions) {
    const bool is_on = options.reductions.*r.on;
    scope.reductions.emplace_back(r.name,
                                  is_on && !found.simulated && refine::by_product(found.question));
    if (!is_on) scope.switched_off.emplace_back(r.name);
  }
  scope.seed = request.seed;
  scope.explored =
      found.question == Question(ExploreOnly{}) || found.question == Question(Criterion::dummy);
  scope.simulated = found.simulated;
  scope.progress = refine::about_progress(found.question);
  scope.asked_savings = options.savings;
  scope.savings = found.savings;
  scope.total_seconds = request.total_seconds;
  scope.limits = {options.timeout_seconds, options.memory_bytes};
  return scope;
}

Evidence evidence_of(refine::VerifyReport& found) {
  ModelRun run{std::move(found.trace), std::move(found.waiting)};
  HistoryView view{std::move(found.history), std::move(found.specification), {}};
  if (found.counterexample)
    return {Refutation{std::move(view), *std::move(found.counterexample), {}, std::move(run)}, {}};
  if (found.simulated && view.history) return {SimulatedRun{std::move(view), std::move(run)}, {}};
  if (!found.why.empty())
    return {Lasso{std::move(found.why), std::move(run), std::move(found.loop)}, {}};
  return {};
}

// "950", "12k", "1.2M": the progress line has 79 columns.
std::string rough(double number) {
  return number < 1e4   ? fmt::format("{:.0f}", number)
         : number < 1e6 ? fmt::format("{:.0f}k", number / 1e3)
                        : fmt::format("{:.1f}M", number / 1e6);
}

}  // namespace

Report model_report(const model::Program& program, refine::VerifyReport found,
                    const ModelRequest& request) {
  Report report;
  report.command = Command::verify;
  report.file = request.file;
  report.property = found.simulated ? "simulated" : property_name(found.question);
  report.specification = program.object;
  report.verdict = found.found.verdict;
  report.stopped = found.found.stopped;
  report.reason = found.reason;
  report.scope = scope_of(program, found, request);
  report.notes = std::move(found.notes);
  report.warnings = std::move(found.warnings);
  report.marks = std::move(found.marks);
  report.seconds = found.seconds;
  report.peak_bytes = request.peak_bytes;
  report.evidence = evidence_of(found);
  return report;
}

std::string search_words(const std::string& file, double seconds,
                         const refine::SearchProgress& progress, std::uint64_t resident) {
  const auto states = static_cast<double>(progress.states.load());
  return fmt::format("{} {:.0f} s: {} states, {}/s, {} transitions, depth {}, {}", file, seconds,
                     rough(states), rough(states / std::max(seconds, 1e-3)),
                     rough(static_cast<double>(progress.transitions.load())), progress.depth.load(),
                     text::bytes_words(resident));
}

}  // namespace plumb::report
