// SPDX-License-Identifier: MIT
// Local variables that lie on the stack.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dwarf/debug_file.hpp"
#include "dwarf/type.hpp"

namespace plumb::dwarf {

/// A function that called another one: where it is, and the part of the stack that it has.
struct StackFrame {
  std::uint64_t pc;          // in its file, inside of the call
  std::uint64_t begin, end;  // its stack pointer in the call; its canonical frame address
};

struct Local {
  std::uint64_t address;
  std::string name;
  Type type;
};

/// The variable (or parameter) that contains this address. Nothing: there is none, or it lies
/// elsewhere at this instruction.
std::optional<Local> local_at(DebugFile& file, const StackFrame& frame, std::uint64_t address);

}  // namespace plumb::dwarf
