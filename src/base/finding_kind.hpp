// SPDX-License-Identifier: MIT
// What can be wrong with an execution besides its results. A header of its own, without code: the
// runtime, whose names end up in the program under test, uses it as well.
#pragma once

#include <cstdint>
#include <string_view>

namespace plumb {

enum class FindingKind : std::uint8_t {
  none,
  assertion,
  exception,
  crash,
  race,
  use_after_free,
  double_free,
  bad_free,
  out_of_bounds,
  deadlock,
  livelock,
  leak,
  misuse,      // of a lock or a thread: undefined behaviour that the hooks see
  divergence,  // the same choices led to another execution
};

constexpr std::string_view to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::none: return "none";
    case FindingKind::assertion: return "assertion";
    case FindingKind::exception: return "exception";
    case FindingKind::crash: return "crash";
    case FindingKind::race: return "race";
    case FindingKind::use_after_free: return "use-after-free";
    case FindingKind::double_free: return "double-free";
    case FindingKind::bad_free: return "bad-free";
    case FindingKind::out_of_bounds: return "out-of-bounds";
    case FindingKind::deadlock: return "deadlock";
    case FindingKind::livelock: return "livelock";
    case FindingKind::leak: return "leak";
    case FindingKind::misuse: return "misuse";
    case FindingKind::divergence: return "divergence";
  }
  return "";
}

}  // namespace plumb
