// SPDX-License-Identifier: MIT
#include "report/model_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace plumb::report {
namespace {

bool is_simulated(const refine::VerifyOptions& options) { return options.property == "simulated"; }

// Whether histories are compared with the specification by the product, not by something else.
bool is_product(const refine::VerifyOptions& options) {
  return !options.explore_only && !options.progress && !is_simulated(options);
}

std::string engine_name(const refine::VerifyOptions& options, bool has_wrong_marks) {
  if (is_simulated(options)) return "run";
  if (options.progress) return "graph";
  if (!is_product(options)) return "explore";
  const bool apart = options.criterion == refine::Criterion::points || records(options.criterion);
  return has_wrong_marks || !apart ? "product" : to_string(options.criterion);
}

// By what it holds, if not by the product.
std::string how_words(const refine::VerifyOptions& options, bool has_wrong_marks) {
  if (options.criterion == refine::Criterion::points && !has_wrong_marks)
    return ", by its linearization points";
  if (refine::records(options.criterion))
    return fmt::format(", by {} on recorded histories", to_string(options.criterion));
  return "";
}

ModelScope scope_of(const model::Program& program, const refine::VerifyReport& found,
                    const ModelRequest& request) {
  const refine::VerifyOptions& options = request.options;
  ModelScope scope;
  scope.object = program.object;
  scope.processes = static_cast<std::uint32_t>(program.processes());
  scope.constants.assign(program.constants.begin(), program.constants.end());
  scope.found = found.found;
  scope.engine = engine_name(options, found.marks.has_value());
  scope.how = how_words(options, found.marks.has_value());
  for (const refine::ReductionName& r : refine::kReductions) {
    const bool is_on = options.reductions.*r.on;
    scope.reductions.emplace_back(
        r.name, is_on && is_product(options) && !refine::records(options.criterion));
    if (!is_on) scope.switched_off.emplace_back(r.name);
  }
  scope.seed = request.seed;
  scope.explored = options.explore_only || options.criterion == refine::Criterion::dummy;
  scope.simulated = is_simulated(options);
  scope.progress = options.progress.has_value();
  scope.others_matter = of_registers(options.criterion);
  scope.asked_savings = options.savings;
  scope.savings = found.savings;
  scope.total_seconds = request.total_seconds;
  scope.limits = {options.timeout_seconds, options.memory_bytes};
  return scope;
}

Evidence evidence_of(refine::VerifyReport& found, bool is_simulated) {
  ModelRun run{std::move(found.trace), std::move(found.waiting)};
  HistoryView view{std::move(found.history), std::move(found.specification), {}};
  if (found.counterexample)
    return {Refutation{std::move(view), *std::move(found.counterexample), {}, std::move(run)}, {}};
  if (is_simulated && view.history) return {SimulatedRun{std::move(view), std::move(run)}, {}};
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
  report.property = request.options.explore_only ? "explored" : request.options.property;
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
  report.evidence = evidence_of(found, is_simulated(request.options));
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
