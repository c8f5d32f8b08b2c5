// SPDX-License-Identifier: MIT
// What becomes of a block that is freed (runtime/memory/heap.hpp), by the names of --heap.
#pragma once

#include <cstdint>
#include <string_view>

namespace plumb {

enum class Reuse : std::uint8_t { never, fifo, lifo };

constexpr std::string_view to_string(Reuse reuse) {
  switch (reuse) {
    case Reuse::never: return "quarantine";
    case Reuse::fifo: return "fifo";
    case Reuse::lifo: return "lifo";
  }
  return "";
}

}  // namespace plumb
