// SPDX-License-Identifier: MIT
// The instructions of a function, and where in it other code may jump to.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/unseen/hidden.hpp"

namespace plumb::runtime {

class FunctionCode {
 public:
  struct Instruction {
    std::byte* at;
    std::uint8_t length;
    std::uint8_t distance;  // where in it the distance of its memory from itself is; 0: nowhere
    /// What may come after it is not its successor.
    enum class Flow : std::uint8_t { none, branch, jump, call, back, unknown } flow;
    std::uint8_t condition;   // of a branch, as the processor numbers them
    const std::byte* target;  // of a branch, a jump or a call
  };
  /// Valid until the next one is read: nothing is allocated, since it may be read in an execution.
  static FunctionCode& read(CodeRange function);

  /// The instruction there and its successors, as many as have room for so many bytes, if they can
  /// be run elsewhere. Empty: no.
  std::span<const Instruction> room_at(const std::byte* at, std::size_t bytes) const;

  std::size_t distance_in(const std::byte* at) const;

 private:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 16;
  static constexpr std::size_t kMost = std::size_t{1} << 14;

  void read_all(CodeRange function);
  std::span<const Instruction> from(const std::byte* at) const;

  std::byte* begin_ = nullptr;
  std::size_t count_ = 0;
  bool jumps_anywhere_ = false;
  std::bitset<kMostBytes> targets_;
  std::array<Instruction, kMost> all_;
};

}  // namespace plumb::runtime
