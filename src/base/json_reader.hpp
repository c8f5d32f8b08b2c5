// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "base/json.hpp"

namespace plumb {

/// The text as a tree. Returns: nothing where it is no JSON, or is nested a thousand deep.
std::optional<Json> parse_json(std::string_view text);

}  // namespace plumb
