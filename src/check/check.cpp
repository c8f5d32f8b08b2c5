// SPDX-License-Identifier: MIT
// Which property is asked for, and whether there is such a question.
#include "plumb/check.hpp"

#include <fmt/format.h>

#include "check/problem/engine.hpp"
#include "check/property/linearizable/linearizable.hpp"
#include "check/property/registers/registers.hpp"

namespace plumb {

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
  if (!is_property(options.property))
    return Error{ErrorKind::usage, fmt::format("unknown property '{}'", options.property),
                 "one of: linearizable, regular, safe, sequential"};
  CheckProgress unused;
  CheckProgress& shown = progress ? *progress : unused;
  if (options.property != "linearizable") return check_property(history, options, shown);
  return check_linearizable(history, options, shown);
}

}  // namespace plumb
