// SPDX-License-Identifier: MIT
// The debug information (DWARF, read by elfutils' libdw) of a program or a library: in the file
// itself, or in one of its own that is on this machine.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dwarf/type.hpp"
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
  struct Global {
    std::uint64_t address;
    std::string name;
    Type type;
  };
  /// The global that contains this address. It is looked for in the units in which something else
  /// was looked up already; then in all, if that does not take long.
  std::optional<Global> global_at(std::uint64_t address);

 private:
  struct Range {
    std::uint64_t begin, end;
    Unit* unit;
  };
  DebugFile(int fd, Dwarf* dwarf);
  std::optional<Global> global_at(std::uint64_t address, bool everywhere);
  std::uint64_t bytes_of_units() const;

  int fd_;
  Dwarf* dwarf_;
  std::deque<Unit> units_;
  std::vector<Range> ranges_;
};

}  // namespace plumb::dwarf
