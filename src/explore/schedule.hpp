// SPDX-License-Identifier: MIT
// A schedule as text, on one line that a shell leaves alone: choices in order, separated by commas.
//
//   0:3,1,t2,v1,0:12
//
// is three steps of thread 0, one of thread 1, thread 2's wait runs out, the value 1, twelve steps
// of thread 0.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::explore {

std::string to_text(std::span<const std::uint8_t> schedule);

/// If it is none, `error` says why and where.
std::optional<std::vector<std::uint8_t>> parse_schedule(std::string_view text, std::string& error);

}  // namespace plumb::explore
