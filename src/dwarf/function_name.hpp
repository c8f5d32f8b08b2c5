// SPDX-License-Identifier: MIT
// Names of functions of a file that may have no debug information: from its table of symbols.
#pragma once

#include <cstdint>
#include <string>

namespace plumb::dwarf {

/// The function at this address of the file, demangled. Empty: not known.
std::string function_name(const std::string& path, std::uint64_t pc);

}  // namespace plumb::dwarf
