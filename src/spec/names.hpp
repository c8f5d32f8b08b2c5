// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace plumb {

/// Whether two names differ only in case and in their hyphens and underscores:
/// TryTake, try_take and try-take are one name.
constexpr bool same_name(std::string_view a, std::string_view b) {
  const auto next = [](std::string_view& s) {
    while (!s.empty() && (s.front() == '-' || s.front() == '_')) s.remove_prefix(1);
    if (s.empty()) return '\0';
    const char c = s.front();
    s.remove_prefix(1);
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  for (;;) {
    const char x = next(a), y = next(b);
    if (x != y) return false;
    if (x == '\0') return true;
  }
}

}  // namespace plumb
