// SPDX-License-Identifier: MIT
#pragma once

#include "check/evidence/minimise.hpp"
#include "plumb/check.hpp"

namespace plumb {

/// What an engine found out about a part of the history.
void report_answer(const Answer& answer, PartitionReport& part);

/// What becomes of a verdict whose history was cut down: an internal error where the second engine
/// disagrees; `undecided`, in the report, where it did not come to an end.
Status ask_second_engine(const Minimised& cut, const Answer& answer, const History& history,
                         CheckReport& report);

/// Cuts a violation down, has a second engine refute it and explains it: fills in the report's
/// counterexample. Without a second engine the report's verdict becomes `undecided`.
/// Requires: `answer` is a violation of `problem`, a part of `history`.
/// Returns: an internal error where engines disagree.
Status refute(const History& history, const Problem& problem, const Answer& answer, Budget& budget,
              CheckReport& report, bool excerpt = false);

}  // namespace plumb
