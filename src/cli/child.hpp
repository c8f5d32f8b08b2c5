// SPDX-License-Identifier: MIT
// Work in a process of its own: whatever it does with time and memory, the next one starts afresh.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace plumb::cli {

/// What `work` returned; nothing if its process ended otherwise. An interrupt is handed on to it.
/// Requires: no other thread runs.
std::optional<std::string> in_child(const std::function<std::string()>& work);

}  // namespace plumb::cli
