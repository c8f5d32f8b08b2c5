// SPDX-License-Identifier: MIT
// The report for people.
#pragma once

#include <string>

#include "report/subject.hpp"

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
std::string text_report(const Subject& subject, const TextStyle& style);

/// The last touch: colours, or no characters but ASCII.
std::string styled(std::string text, const TextStyle& style);

}  // namespace plumb::report
