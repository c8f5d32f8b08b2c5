// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "plumb/value.hpp"

namespace plumb {

/// A value from its JSON text; nothing if the text is not JSON.
std::optional<Value> parse_value(std::string_view json);

}  // namespace plumb
