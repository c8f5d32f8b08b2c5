// SPDX-License-Identifier: MIT
// What other checkers would have said of the executions of a campaign, beside Line-Up's verdict
// (Line-Up, section 5.6).
#pragma once

#include <functional>
#include <string>

#include "lineup/campaign.hpp"
#include "session/narrate.hpp"
#include "session/watch.hpp"

namespace plumb::session {

// A cycle in the conflict graph of an execution that was shown. Empty text: the replay had none.
// `shown_board` has the cycle, `searched` the scheduling points; `again` is as in narrate.hpp.
Report tell_cycle(const lineup::Matrix& test, const lineup::Object& object, const Shown& shown,
                  const runtime::Board& shown_board, const runtime::Board& searched,
                  const Settings& settings,
                  const std::function<std::string(const std::string& options)>& again);

// How much each would have reported, and the first cycle.
Report tell_comparison(const lineup::CampaignCounts& counts, const Report& cycle);

}  // namespace plumb::session
