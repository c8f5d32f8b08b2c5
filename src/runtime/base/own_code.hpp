// SPDX-License-Identifier: MIT
// The runtime's own instructions.
#pragma once

#include <cstdint>

extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));
extern "C" const char etext[] __attribute__((visibility("hidden")));

namespace plumb::runtime {

inline bool is_own_code(const void* pc) {
  return reinterpret_cast<std::uintptr_t>(pc) - reinterpret_cast<std::uintptr_t>(__ehdr_start) <
         static_cast<std::uintptr_t>(etext - __ehdr_start);
}

}  // namespace plumb::runtime
