// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "plumb/history.hpp"

namespace plumb {

/// "enq(1)"
inline std::string to_string(const Call& call) {
  std::string out(call.method);
  out += "(";
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

/// The order of an opaque value's keys, each with its quotes: a closing quote is no letter.
inline bool json_key_less(std::string_view a, std::string_view b) {
  const int order = a.substr(0, a.size() - 1).compare(b.substr(0, b.size() - 1));
  return order != 0 ? order < 0 : a < b;
}

}  // namespace plumb
