// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/waits_for.hpp"
#include "runtime/wire/finding.hpp"

namespace plumb::runtime {

using plumb::WaitsFor;  // hooks are outside of all namespaces

/// One line of a replayed execution.
struct TraceStep {
  /// What it does with its values, `before` and `after`.
  enum class Kind : std::uint8_t {
    other,   // changes the one to the other
    reads,   // read `before`
    writes,  // wrote `after`
    waits,   // none: it waits forever
  };
  std::uint8_t thread = 0;
  bool is_point = false;
  bool has_values = false;
  bool failed = false;    // a compare-and-swap, or a try
  bool is_open = false;   // a plain write whose value is not known yet
  bool is_freed = false;  // the memory was freed before
  char what[20] = {};
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  std::int8_t order = -1;         // std::memory_order
  std::int8_t other_thread = -1;  // whose end is waited for: the address is the runtime's own
  Kind kind = Kind::other;
  WaitsFor waits_for = WaitsFor::nothing;  // of a step that waits: for what,
  bool held_shared = false;                // ... which these threads (bits) hold
  std::uint32_t held_by = 0;
  std::uint64_t before = 0, after = 0;
  /// The blocks of the heap that contain these addresses; 0: none.
  std::uint64_t block = 0, before_block = 0, after_block = 0;
  std::uint64_t block_bytes = 0;
  std::int32_t events = 0;  // calls and returns of operations before it
  Place place;
  std::array<std::uint64_t, Place::kMost> stack{};  // the stack pointer at each of its calls
};

}  // namespace plumb::runtime
