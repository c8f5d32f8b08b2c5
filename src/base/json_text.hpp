// SPDX-License-Identifier: MIT
// JSON as text. What programs say, and files hold, need not be UTF-8: what is none is replaced.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace plumb {

template <class Json>
std::string dumped(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace plumb
