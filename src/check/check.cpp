// SPDX-License-Identifier: MIT
// Which property is asked for.
#include "plumb/check.hpp"

#include <fmt/format.h>

#include "check/pipeline/pipeline.hpp"
#include "check/problem/engine.hpp"
#include "check/property/linearizable/linearizable.hpp"
#include "check/property/registers/registers.hpp"

namespace plumb {

std::optional<HistoryProperty> find_property(std::string_view name) {
  for (const HistoryProperty property :
       {HistoryProperty::linearizable, HistoryProperty::regular, HistoryProperty::safe,
        HistoryProperty::sequential, HistoryProperty::quasi_linearizable})
    if (to_string(property) == name) return property;
  return {};
}

std::string_view to_string(CheckPhase phase) {
  switch (phase) {
    case CheckPhase::starting: return "starting";
    case CheckPhase::reading: return "reading";
    case CheckPhase::streaming: return "streaming";
    case CheckPhase::splitting: return "splitting";
    case CheckPhase::deciding: return "deciding";
    case CheckPhase::proving: return "proving";
    case CheckPhase::minimising: return "minimising";
    case CheckPhase::finding_least_factors: return "looking for the least factors";
  }
  return "";
}

namespace {

Result<CheckReport> check_reading(const History& history, const CheckOptions& options,
                                  CheckProgress& progress) {
  switch (options.property) {
    case HistoryProperty::linearizable: return check_linearizable(history, options, progress);
    case HistoryProperty::regular:
    case HistoryProperty::safe:
    case HistoryProperty::sequential: return check_property(history, options, progress);
    case HistoryProperty::quasi_linearizable: break;
  }
  return Error{ErrorKind::usage, "check() does not decide quasi linearizability",
               "call check_quasi(), which takes what may be out of order"};
}

// Whether it matters how the file was read. A remark: it changes no verdict.
std::string other_verdict(const History& history, Verdict verdict, const CheckOptions& options,
                          CheckProgress& progress) {
  CheckOptions rest = options;
  rest.minimise = rest.keep_going = false;
  const Result<CheckReport> other = check_reading(*history.other_reading, rest, progress);
  const std::string clause = history.other_reading_words;
  if (!other.ok() || other->verdict == Verdict::undecided)
    return fmt::format("; {}, the verdict is not known", clause);
  if (other->verdict == verdict) return fmt::format("; {}, the verdict is the same", clause);
  return fmt::format("; {}, the verdict is {}", clause, to_string(other->verdict));
}

}  // namespace

Result<CheckReport> check(const History& history, const CheckOptions& options,
                          CheckProgress* progress) {
  const auto started = Clock::now();
  if (!is_engine(options.engine)) {
    std::string names;
    for (const std::string& name : engine_names()) names += (names.empty() ? "" : ", ") + name;
    return Error{ErrorKind::usage, fmt::format("unknown engine '{}'", options.engine),
                 "one of: " + names};
  }
  CheckProgress unused;
  CheckProgress& shown = progress ? *progress : unused;
  Result<CheckReport> report = check_reading(history, options, shown);
  if (!report.ok()) return report;
  for (std::size_t i = 0; i < history.readings.size(); ++i) {
    const bool last = i + 1 == history.readings.size();
    report->scope_notes.push_back(
        history.readings[i] +
        (last && history.other_reading
             ? other_verdict(history, report->verdict, with_time_left(options, started), shown)
             : ""));
  }
  return report;
}

}  // namespace plumb
