// SPDX-License-Identifier: MIT
// Addresses of instructions as functions and lines of source, by addr2line (binutils, which a
// compiler needs anyway).
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/wire/board.hpp"

namespace plumb::session {

struct Frame {
  std::string function;
  std::string file;
  int line = 0;
};

class Symbols {
 public:
  explicit Symbols(const runtime::Board& board) : board_(board) {}

  /// Looks all of them up at once: starting addr2line is what takes time.
  void add(std::span<const void* const> return_addresses);
  void look_up();

  /// Of a return address: the call before it, inlined functions innermost first. Empty: unknown.
  const std::vector<Frame>& frames(const void* return_address) const;

  /// module+0x1234, for what must be found again in another process.
  std::string relative(const void* address) const;

 private:
  const runtime::Module* module_of(const void* address) const;

  const runtime::Board& board_;
  std::map<const void*, std::vector<Frame>> frames_;
};

}  // namespace plumb::session
