// SPDX-License-Identifier: MIT
// A counterexample as a table: one column a process, one row an event. Where the sentences speak of
// fewer operations (Counterexample::focus), it shows only those.
#pragma once

#include <string>

#include "report/subject.hpp"

namespace plumb::report {

/// The table's lines, in UTF-8, without colours. The row of the culprit's return (or, in a stuck
/// history, of what is pending) ends in a mark.
std::vector<std::string> make_table(const Subject& subject, const Counterexample& counterexample,
                                    std::size_t columns);

}  // namespace plumb::report
