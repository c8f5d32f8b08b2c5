// SPDX-License-Identifier: MIT
// The debug information of the running program.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <memory>

#include "dwarf/debug_file.hpp"

namespace plumb::dwarf {

inline std::unique_ptr<DebugFile> own_file() { return DebugFile::open("/proc/self/exe"); }

/// Of an address in this process, the one in its file.
inline std::uint64_t in_file(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0) return 0;
  return reinterpret_cast<std::uintptr_t>(address) -
         reinterpret_cast<std::uintptr_t>(info.dli_fbase);
}

}  // namespace plumb::dwarf
