// SPDX-License-Identifier: MIT
// Colours of the text reports, all of them: a report is made without, and painted at the end.
#pragma once

#include <string>
#include <string_view>

namespace plumb::report {

/// --color auto|always|never. Auto: on a terminal that is not dumb, and never where NO_COLOR is set
/// (no-color.org, by which an option counts more than the variable).
bool wants_colour(std::string_view choice, bool is_terminal);

/// The verdict, which is a report's first word, and the marks of culprits.
std::string coloured(std::string_view report);

}  // namespace plumb::report
