// SPDX-License-Identifier: MIT
// Results for CI servers: each history, model or test that was judged is a case. junit.cpp and
// markdown.cpp write lists of cases.
#pragma once

#include <string>
#include <string_view>

#include "report/report.hpp"

namespace plumb::report {

/// `error`: it could not be judged at all. Only `holds` is good: a server shows all others as red,
/// as their exit status is.
enum class CaseVerdict { holds, violation, undecided, error };

struct Case {
  std::string name;  // a file, or a test
  CaseVerdict outcome = CaseVerdict::undecided;
  std::string message = {};  // one line
  std::string text = {};     // the report for people, without that line
  std::string replay = {};   // the command that shows it again; empty: there is none
  double seconds = 0;
};

/// What a server wants to know of a report. `name`: what it calls it.
Case make_case(const Report& report, std::string name);

CaseVerdict outcome_of(Verdict verdict);
std::string_view to_string(CaseVerdict outcome);

}  // namespace plumb::report
