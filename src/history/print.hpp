// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "plumb/history.hpp"

namespace plumb {

/// "enq(1)"
inline std::string to_string(const Call& call) {
  std::string out = call.method + "(";
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (i) out += ",";
    out += call.args[i].to_string();
  }
  return out += ")";
}

/// The shortest text that reads as the same number, and never as an integer.
void append_json_real(std::string& out, double d);
/// With its quotes.
void append_json_string(std::string& out, std::string_view text);

/// "12", "12.5"
std::string to_string(const ClockTime& time);

}  // namespace plumb
