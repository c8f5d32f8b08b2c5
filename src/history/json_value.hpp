// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "history/clock_time.hpp"
#include "plumb/history.hpp"
#include "plumb/value.hpp"

namespace plumb {

/// Null, booleans, integers, reals, strings and arrays as they are; an object becomes opaque, as
/// text with sorted keys and without blanks, so that equal objects are equal values.
/// Returns nothing for an integer of more than 64 bits.
std::optional<Value> to_value(simdjson::dom::element element);

/// A key that an object has twice, the element itself or one inside of it. JSON does not say which
/// of the two values counts.
std::optional<std::string> repeated_key(simdjson::dom::element element);
inline constexpr const char* kRepeatedKeyRemedy = "give each key of an object once";

/// As of a text (clock_time.hpp); nothing where the element is no number. `object`: the text of the
/// object that has it as its `key`.
std::optional<ClockTime> to_clock_time(simdjson::dom::element element, std::string_view object,
                                       std::string_view key);

/// What is wrong with a text that is no JSON, in words.
std::string json_error(simdjson::error_code code);

}  // namespace plumb
