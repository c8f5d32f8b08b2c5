// SPDX-License-Identifier: MIT
// Which property is asked for.
#include "plumb/check.hpp"

#include <fmt/format.h>

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

Result<CheckReport> check(const History& history, const CheckOptions& options,
                          CheckProgress* progress) {
  if (!is_engine(options.engine)) {
    std::string names;
    for (const std::string& name : engine_names()) names += (names.empty() ? "" : ", ") + name;
    return Error{ErrorKind::usage, fmt::format("unknown engine '{}'", options.engine),
                 "one of: " + names};
  }
  CheckProgress unused;
  CheckProgress& shown = progress ? *progress : unused;
  switch (options.property) {
    case HistoryProperty::linearizable: return check_linearizable(history, options, shown);
    case HistoryProperty::regular:
    case HistoryProperty::safe:
    case HistoryProperty::sequential: return check_property(history, options, shown);
    case HistoryProperty::quasi_linearizable: break;
  }
  return Error{ErrorKind::usage, "check() does not decide quasi linearizability",
               "call check_quasi(), which takes what may be out of order"};
}

}  // namespace plumb
