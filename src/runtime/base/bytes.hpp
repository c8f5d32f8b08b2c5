// SPDX-License-Identifier: MIT
// memcpy and memset for the runtime itself, whose own memcpy and memset are hooks.
#pragma once

#include <cstddef>

namespace plumb::runtime {

inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

inline bool equal_bytes(const void* a, const void* b, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (static_cast<const char*>(a)[i] != static_cast<const char*>(b)[i]) return false;
  }
  return true;
}

inline void fill_bytes(void* to, unsigned char value, std::size_t bytes) {
  asm volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
}

}  // namespace plumb::runtime
