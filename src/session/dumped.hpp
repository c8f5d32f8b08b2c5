// SPDX-License-Identifier: MIT
// JSON of what programs say, which need not be UTF-8.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace plumb::session {

inline std::string dumped(const nlohmann::json& json, int indent = -1) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace plumb::session
