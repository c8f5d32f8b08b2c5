// SPDX-License-Identifier: MIT
// Runs a copy of one instruction in the state in which its thread would have run it.
#pragma once

#include <cstdint>

namespace plumb::runtime {

/// As the processor numbers them.
struct Registers {
  std::uint64_t general[16];
  std::uint64_t flags;
};

/// Runs `code`, which ends with a jump to kBack, and keeps what it did to the registers. (No thread
/// is switched meanwhile; what it keeps is in globals, since every register is the program's.)
extern "C" void plumb_run_copy(Registers* registers, const void* code)
    __attribute__((visibility("hidden")));
extern "C" const char plumb_run_copy_back[] __attribute__((visibility("hidden")));

}  // namespace plumb::runtime
