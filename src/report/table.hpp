// SPDX-License-Identifier: MIT
// A counterexample as a table: one column a process, one row an event.
#pragma once

#include <string>

#include "report/report.hpp"

namespace plumb::report {

/// The table's lines, in UTF-8, without colours. The row of the culprit's return (or, in a stuck
/// history, of what is pending) ends in a mark.
std::vector<std::string> make_table(const HistoryView& view, const Counterexample& counterexample,
                                    std::size_t columns);
/// Of a whole history, in which nothing is marked.
std::vector<std::string> make_table(const HistoryView& view, std::size_t columns);

}  // namespace plumb::report
