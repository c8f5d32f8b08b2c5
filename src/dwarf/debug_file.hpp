// SPDX-License-Identifier: MIT
// The debug information (DWARF, read by elfutils' libdw) of a program or a library: in the file
// itself, or in one of its own that is on this machine.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "dwarf/unit.hpp"

namespace plumb::dwarf {

class DebugFile {
 public:
  /// Null: there is none.
  static std::unique_ptr<DebugFile> open(const std::string& path);
  DebugFile(const DebugFile&) = delete;
  DebugFile& operator=(const DebugFile&) = delete;
  ~DebugFile();

  /// The unit that was compiled to the instruction at this address of the file. Null: not known.
  Unit* unit_at(std::uint64_t pc);
  /// Those in which something was looked up.
  std::vector<Unit*> read_units();

 private:
  struct Range {
    std::uint64_t begin, end;
    Unit* unit;
  };
  DebugFile(int fd, Dwarf* dwarf);

  int fd_;
  Dwarf* dwarf_;
  std::deque<Unit> units_;
  std::vector<Range> ranges_;
};

}  // namespace plumb::dwarf
