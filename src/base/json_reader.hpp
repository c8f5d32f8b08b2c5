// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "base/json.hpp"

namespace plumb {

/// The text as a tree. Returns: nothing where it is no JSON.
std::optional<Json> parse_json(std::string_view text);

}  // namespace plumb
