// SPDX-License-Identifier: MIT
#include "report/case.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "report/text.hpp"

namespace plumb::report {

CaseVerdict outcome_of(Verdict verdict) {
  return verdict == Verdict::holds       ? CaseVerdict::holds
         : verdict == Verdict::violation ? CaseVerdict::violation
                                         : CaseVerdict::undecided;
}

std::string_view to_string(CaseVerdict outcome) {
  switch (outcome) {
    case CaseVerdict::holds: return "holds";
    case CaseVerdict::violation: return "violation";
    case CaseVerdict::undecided: return "undecided";
    case CaseVerdict::error: break;
  }
  return "error";
}

Case make_case(const Report& report, std::string name) {
  ReportText text = report_text(report, {});
  text.body.erase(0, text.body.find_first_not_of('\n'));
  const CheckScope* const check = report.check();
  const ModelScope* const model = report.model();
  return {std::move(name),
          report.error ? CaseVerdict::error : outcome_of(report.verdict),
          std::move(text.message),
          std::move(text.body),
          report.replay,
          check   ? check->total_seconds
          : model ? model->total_seconds
                  : report.seconds};
}

namespace {}  // namespace

}  // namespace plumb::report
