// SPDX-License-Identifier: MIT
// What a server collects of many runs: each thing that was judged is a case. junit.cpp and
// markdown.cpp write lists of them, whatever they are about: histories, models, tests.
#pragma once

#include <string>
#include <string_view>

#include "report/report.hpp"

namespace plumb::report {

/// `error`: it could not be judged at all. Only `holds` is good: a server shows all others as red,
/// as their exit status is.
enum class Outcome { holds, violation, undecided, error };

struct Case {
  std::string name;  // a file, or a test
  Outcome outcome = Outcome::undecided;
  std::string message = {};  // one line
  std::string text = {};     // the report for people, without that line
  std::string replay = {};   // the command that shows it again; empty: there is none
  double seconds = 0;
};

/// What a server wants to know of a report. `name`: what it calls it.
Case make_case(const Report& report, std::string name);

Outcome outcome_of(Verdict verdict);
std::string_view to_string(Outcome outcome);

}  // namespace plumb::report
