// SPDX-License-Identifier: MIT
// The parts of the report for people (text.hpp).
#pragma once

#include <string>

#include "report/report.hpp"
#include "report/text.hpp"

namespace plumb::report {

ReportText check_text(const Report& report, const CheckScope& scope, const TextStyle& style);
ReportText model_text(const Report& report, const ModelScope& scope, const TextStyle& style);
ReportText explore_text(const Report& report, const ExploreScope& scope);
ReportText campaign_text(const Report& report, const CampaignScope& scope);

/// "HOLDS"
std::string verdict_word(Verdict verdict);

/// That the scope leaves something out; empty: it does not.
std::string unseen_text(const Report& report);

/// How many races --suppressions kept from being findings; empty: it was not given.
std::string suppressions_text(const Report& report);

/// How the search can be continued after a race; empty: it is none.
std::string continue_text(const Finding& finding);

/// What it is, and where.
std::string finding_text(const Finding& finding);
/// A table with a column per thread and a row per step; empty: there is nothing to show.
std::string interleaving_text(const Interleaving& interleaving);

/// "never used again": freed memory, by the name of a way to use it.
std::string_view reuse_words(Reuse heap);

}  // namespace plumb::report
