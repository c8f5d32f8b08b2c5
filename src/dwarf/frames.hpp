// SPDX-License-Identifier: MIT
// Which functions an instruction is in, and where in their source.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dwarf/debug_file.hpp"

namespace plumb::dwarf {

struct Frame {
  std::string function;  // with its parameters, if it has a linkage name; "??": not known
  std::string file;
  int line = 0;  // 0: not known
};

/// Inlined functions innermost first. Empty: nothing is known.
std::vector<Frame> frames_at(DebugFile& file, std::uint64_t pc);

}  // namespace plumb::dwarf
