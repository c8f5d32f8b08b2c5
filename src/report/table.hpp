// SPDX-License-Identifier: MIT
// A counterexample as a table: one column a process, one row an event. Where the sentences speak of
// fewer operations (Counterexample::focus), it shows only those.
#pragma once

#include <string>

#include "report/subject.hpp"

namespace plumb::report {

/// The table's lines, in UTF-8, without colours. The row of the culprit's return (or, in a stuck
/// history, of what is pending) is at `culprit_row`.
struct Table {
  std::vector<std::string> rows;
  std::size_t culprit_row = 0;  // 0: none
};

Table make_table(const Subject& subject, const Counterexample& counterexample, std::size_t columns);

}  // namespace plumb::report
