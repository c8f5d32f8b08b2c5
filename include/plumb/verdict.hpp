// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace plumb {

/// Every answer is one of these, on a named property, with its scope.
enum class Verdict { holds, violation, undecided };

constexpr std::string_view to_string(Verdict v) {
  return v == Verdict::holds ? "holds" : v == Verdict::violation ? "violation" : "undecided";
}

/// Why there is no answer. Only limits of time and memory depend on the machine. The limits are
/// fields of CheckOptions and of VerifyOptions.
enum class StopReason {
  none,              // there is one
  time_limit,        // timeout_seconds
  memory_limit,      // memory_bytes
  out_of_memory,     // the system gave no more
  interrupted,       // interrupt
  no_longer_needed,  // another part of the history is a violation
  search_limit,      // a number of search steps: the same on every machine
  not_applicable,    // the engine that was asked does not decide such a history
  not_confirmed,     // a violation was found, but no second engine could refute the history
  not_merged,        // each part holds, but their orders contradict one another
  input_lost,        // the file that was followed was replaced, shortened or deleted
  nothing_checked,   // there is no operation, report or test to be judged (--allow-empty)
};

constexpr std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::none: return "none";
    case StopReason::time_limit: return "time limit";
    case StopReason::memory_limit: return "memory limit";
    case StopReason::out_of_memory: return "out of memory";
    case StopReason::interrupted: return "interrupted";
    case StopReason::no_longer_needed: return "no longer needed";
    case StopReason::search_limit: return "search limit";
    case StopReason::not_applicable: return "not applicable";
    case StopReason::not_confirmed: return "not confirmed";
    case StopReason::not_merged: return "not merged";
    case StopReason::input_lost: return "input lost";
    case StopReason::nothing_checked: return "nothing checked";
  }
  return "";
}

}  // namespace plumb
