// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "plumb/result.hpp"

namespace plumb {

std::string Error::to_string() const {
  std::string out;
  if (!file.empty()) out += file + (line ? fmt::format(":{}: ", line) : ": ");
  else if (line) out += fmt::format("line {}: ", line);
  out += message;
  if (!remedy.empty()) out += " (" + remedy + ")";
  return out;
}

}  // namespace plumb
