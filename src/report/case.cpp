// SPDX-License-Identifier: MIT
#include "report/case.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "report/text.hpp"

namespace plumb::report {

Outcome outcome_of(Verdict verdict) {
  return verdict == Verdict::holds       ? Outcome::holds
         : verdict == Verdict::violation ? Outcome::violation
                                         : Outcome::undecided;
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::holds: return "holds";
    case Outcome::violation: return "violation";
    case Outcome::undecided: return "undecided";
    case Outcome::error: break;
  }
  return "error";
}

Case make_case(const Report& report, std::string name) {
  ReportText text = report_text(report, {});
  text.body.erase(0, text.body.find_first_not_of('\n'));
  const CheckScope* const check = report.check();
  const ModelScope* const model = report.model();
  return {std::move(name),
          report.error ? Outcome::error : outcome_of(report.verdict),
          std::move(text.message),
          std::move(text.body),
          report.replay,
          check   ? check->total_seconds
          : model ? model->total_seconds
                  : report.seconds};
}

namespace {}  // namespace

}  // namespace plumb::report
