// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace plumb {

/// The memory that the process holds now, and the most it has held; 0 where the system does not
/// tell.
std::size_t resident_bytes();
/// Of another process; 0 where it has ended.
std::size_t resident_bytes(int pid);
/// Of all processes that this one has started and that still run, and of those that they started.
std::size_t descendants_resident_bytes();
std::size_t peak_resident_bytes();

/// Hands memory that was freed back to the system, so that the next check has its whole budget.
void release_free_memory();

}  // namespace plumb
