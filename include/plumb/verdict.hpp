// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace plumb {

/// Every answer is one of these, on a named property, with its scope.
enum class Verdict { holds, violation, undecided };

constexpr std::string_view to_string(Verdict v) {
  return v == Verdict::holds ? "holds" : v == Verdict::violation ? "violation" : "undecided";
}

}  // namespace plumb
