// SPDX-License-Identifier: MIT
// What instrumentation does not show: instructions of the program and its libraries that no hook
// announces, and all that functions do that were compiled without hooks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::runtime {

/// The memory operand of an instruction: base + index * scale + displacement.
struct Operand {
  static constexpr std::int8_t kNone = -1;
  std::int8_t base = kNone, index = kNone;  // numbers of registers, as the processor has them
  std::uint8_t scale = 0;
  std::uint8_t size = 0;   // bytes
  bool of_thread = false;  // relative to FS: thread-local
  std::int64_t displacement = 0;
};

/// Code between two addresses.
struct CodeRange {
  std::byte *begin = nullptr, *end = nullptr;
};

/// An instruction that is replaced by a jump or a breakpoint.
struct Hidden {
  enum class Kind : std::uint8_t {
    entry,   // none of the others, but the first of a function without hooks
    update,  // locked, or an exchange with memory
    access,  // any other of a function without hooks that uses memory
    string,  // the same, of memory at RDI and RSI
    clock,   // rdtsc, rdtscp
    random,  // rdrand, rdseed
    system_call,
    pause,  // of a loop that waits, in a function without hooks
  };
  std::byte* at = nullptr;
  std::uint8_t length = 0;
  Kind kind = Kind::entry;
  bool reads = false, writes = false;  // access, string: the memory
  bool repeats = false;                // string: RCX times
  std::uint8_t target = 0;             // random: the register, and its bytes
  std::uint8_t target_bytes = 0;
  const char* name = "";
  Operand operand;
  CodeRange function;

  /// It is the first of a function without hooks, which has not been entered so far; and that
  /// function uses memory in ways that cannot be watched.
  bool enters = false;
  bool is_blind = false;
  /// Of a function that knows nothing of threads: all its accesses are meant as plain ones.
  bool is_plain = false;

  // --- set by Patches
  std::byte first{};            // the byte that a breakpoint replaces
  std::byte* jump = nullptr;    // a jump to there replaces it and perhaps its successors
  bool in_copy = false;         // it was one of these successors
  const void* copy = nullptr;   // of the instruction: what follows it continues in its place
  const void* after = nullptr;  // where to continue if the instruction was done
  const void* alone = nullptr;  // a copy that goes back to who ran it (run_copy.hpp)

  const void* next() const { return at + length; }
  bool uses_memory() const {
    return kind == Kind::update || kind == Kind::access || kind == Kind::string;
  }
};

}  // namespace plumb::runtime
