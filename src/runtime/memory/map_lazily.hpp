// SPDX-License-Identifier: MIT
// Zeroed memory that the system gives page by page when it is first written; not from the heap,
// which belongs to the code under test.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace plumb::runtime {

/// Null: the system has no more address space.
inline void* map_lazily(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace plumb::runtime
