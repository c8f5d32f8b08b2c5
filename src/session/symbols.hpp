// SPDX-License-Identifier: MIT
// Addresses of instructions of a process as functions and lines of source.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dwarf/frames.hpp"
#include "dwarf/type.hpp"
#include "runtime/wire/board.hpp"

namespace plumb::session {

using dwarf::Frame;

class Symbols {
 public:
  explicit Symbols(const runtime::Board& board) : board_(board) {}

  void add(std::span<const void* const> return_addresses);
  void look_up();

  /// Of a return address: the call before it, inlined functions innermost first. Empty: unknown.
  const std::vector<Frame>& frames(const void* return_address) const;

  /// The type that is the template argument of the function at this address.
  std::optional<dwarf::Type> type_made_by(const void* function) const;
  struct Variable {
    std::uint64_t address;
    std::string name;
    dwarf::Type type;
  };
  /// The global that contains this address.
  std::optional<Variable> variable_at(std::uint64_t address) const;

  /// The local variable that contains this address, of the function that called from `pc`.
  std::optional<Variable> local_at(const void* pc, std::uint64_t stack_begin,
                                   std::uint64_t stack_end, std::uint64_t address) const;
  /// Of an instruction: the function, which may have no debug information, and the file that it is
  /// in. Empty: not known.
  struct Owner {
    std::string function, file;
  };
  Owner owner(const void* address) const;
  bool is_of_program(const void* address) const;
  bool is_of_c_library(const void* address) const;

  /// module+0x1234, for what must be found again in another process.
  std::string relative(const void* address) const;

 private:
  const runtime::Module* module_of(const void* address) const;

  dwarf::DebugFile* file_of(const runtime::Module& module) const;  // null: no debug information

  const runtime::Board& board_;
  mutable std::map<const runtime::Module*, std::unique_ptr<dwarf::DebugFile>> files_;
  std::map<const void*, std::vector<Frame>> frames_;
};

}  // namespace plumb::session
