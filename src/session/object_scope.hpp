// SPDX-License-Identifier: MIT
// What a test of an object covered: how many tests, of which sizes, under which schedules.
#pragma once

#include "lineup/campaign.hpp"
#include "report/report.hpp"
#include "session/object_settings.hpp"
#include "session/settings.hpp"

namespace plumb::session {

report::CampaignScope campaign_scope(const lineup::Object& object,
                                     const ObjectSettings& object_settings,
                                     const Settings& settings,
                                     const lineup::CampaignResult& result);

}  // namespace plumb::session
