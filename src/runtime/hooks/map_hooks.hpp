// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace plumb::runtime {

/// mmap(2), asked for by this instruction.
void* map_memory(void* address, std::size_t bytes, int protection, int flags, int file,
                 off_t offset, const void* caller);

}  // namespace plumb::runtime
