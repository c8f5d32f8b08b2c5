// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "plumb/history.hpp"
#include "plumb/value.hpp"

namespace plumb {

/// Null, booleans, integers, reals, strings and arrays as they are; an object becomes opaque, as
/// text with sorted keys and without blanks, so that equal objects are equal values.
/// Returns nothing for an integer of more than 64 bits.
std::optional<Value> to_value(simdjson::dom::element element);

/// Nothing where the element is no number, or out of range.
std::optional<ClockTime> to_clock_time(simdjson::dom::element element);
/// Nothing where the text is no number, or out of range.
std::optional<ClockTime> to_clock_time(std::string_view text);

/// What is wrong with a text that is no JSON, in words.
std::string json_error(simdjson::error_code code);

}  // namespace plumb
