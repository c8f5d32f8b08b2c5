// SPDX-License-Identifier: MIT
// What other checkers would have reported for the executions of a campaign, beside Line-Up's
// verdict (Line-Up, section 5.6).
#pragma once

#include "lineup/matrix.hpp"
#include "report/report.hpp"
#include "session/findings.hpp"
#include "session/watch.hpp"

namespace plumb::session {

/// The cycle in the conflict graph of an execution that was shown; empty: the replay had none.
/// `shown_board` has the cycle, `searched` the scheduling points.
report::Comparison cycle_of(const lineup::Matrix& test, const lineup::Object& object,
                            const Shown& shown, const runtime::Board& shown_board,
                            const runtime::Board& searched, const Settings& settings,
                            const ReplayCommand& replay);

}  // namespace plumb::session
