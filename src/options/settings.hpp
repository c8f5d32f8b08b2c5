// SPDX-License-Identifier: MIT
// What was asked for: a field for each option of the table, and whether it was given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "options/option.hpp"

namespace plumb::options {

/// The words of these options, in the order in which the table lists them.
enum class SearchBy : std::uint8_t { automatic, dfs, dpor, pct, pos, random };
enum class ScheduleAt : std::uint8_t { automatic, atomics, all };
enum class HeapChoice : std::uint8_t { both, quarantine, fifo, lifo };
enum class NativeCode : std::uint8_t { automatic, now, never };
enum class ProgressChoice : std::uint8_t { automatic, plain, none };
enum class FailedCas : std::uint8_t { by_format, mismatch, absent };

/// --ignore race,deadlock
struct Ignored {
  bool race = false;
  bool stuck = false;  // deadlock and livelock
  bool operator==(const Ignored&) const = default;
};

struct Settings {
#define PLUMB_OPTION(type, field, fallback, ...) \
  type field = fallback;                         \
  bool field##_given = false;
#define PLUMB_VARIANT(...)
#include "options/table.def"
#undef PLUMB_OPTION
#undef PLUMB_VARIANT
};

}  // namespace plumb::options
