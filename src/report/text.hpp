// SPDX-License-Identifier: MIT
// The report for people.
#pragma once

#include <string>

#include "report/report.hpp"

namespace plumb::report {

struct TextStyle {
  bool ascii = false;
  bool colour = false;
  bool verdict_only = false;  // --quiet
  bool statistics = false;    // --stats
  bool engines = false;       // --explain-engine
  bool hints = false;         // what to try next
  std::size_t columns = 100;
};

/// "VIOLATION  run.jsonl: not linearizable (queue, 1,000 operations, 0.004 s)", then why.
struct ReportText {
  std::string verdict;  // "VIOLATION"
  std::string message;  // the rest of the first line
  std::string body;     // what follows: whole lines
};
ReportText report_text(const Report& report, const TextStyle& style);

/// All of it.
std::string text_report(const Report& report, const TextStyle& style);

/// What fails in a test of an object, without the test: a table and sentences, or a finding.
std::string failure_text(const FailedTest& failed);

/// The last touch: colours, or no characters but ASCII.
std::string styled(std::string text, const TextStyle& style);

}  // namespace plumb::report
