// SPDX-License-Identifier: MIT
// Clock values, exactly as they were written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plumb/history.hpp"

namespace plumb {

/// Nothing where the text is no number, out of range, or has more than 18 digits after the point.
std::optional<ClockTime> to_clock_time(std::string_view text);

/// "12", "12.5"
std::string to_string(const ClockTime& time);

/// Later or earlier by that much, as far as there are such times. Requires: `by` is not negative.
ClockTime shifted(ClockTime time, ClockTime by, bool back);

}  // namespace plumb
