// SPDX-License-Identifier: MIT
// A register for the values 0..3 made of four bits, for one writer and one reader: its value is the
// lowest bit that is set. `write` sets the bit of its value and then clears all bits below it, from
// the highest to the lowest. `read` goes up to the first bit that is set, and then down again: it
// returns the lowest one that it has seen set on its way down.
//
// Two mistakes. UpwardRegister does not go down again: what it returns was written before or during
// the read, but two reads may see two writes in the wrong order (it is regular, not atomic).
// SimpleRegister clears only the bit of the previous value: the reader may pass all four without
// seeing one set.
//
// Source: Vidyasankar, Information Processing Letters 28 (1988); Herlihy & Shavit, The Art of
// Multiprocessor Programming, chapter 4.
//
// Verdict: KValuedRegister is linearizable, the others
// are not. Smallest tests: UpwardRegister `pre write(3); write(1), write(2) | read, read` (two
// preemptions): 2, then 1. SimpleRegister `write(2), write(1) | read` (two preemptions): nothing.
#pragma once

#include <array>
#include <atomic>
#include <stdexcept>

namespace plumb::objects {

enum class RegisterMistake { none, upward_only, clears_one };

template <RegisterMistake kMistake>
class BasicKValuedRegister {
 public:
  BasicKValuedRegister() { bits_[0] = true; }

  /// For one thread only. Requires: 0 <= value <= 3.
  void write(int value) {
    const auto bit = static_cast<std::size_t>(value);
    bits_.at(bit) = true;
    if constexpr (kMistake == RegisterMistake::clears_one) {
      if (bit != written_) bits_[written_] = false;
      written_ = bit;
    } else {
      for (std::size_t i = bit; i-- > 0;) bits_[i] = false;
    }
  }

  /// For one thread only. Throws: std::logic_error if it finds nothing.
  int read() const {
    std::size_t found = 0;
    while (!bits_[found].load())
      if (++found == bits_.size()) throw std::logic_error("no bit is set");
    if constexpr (kMistake == RegisterMistake::none)
      for (std::size_t i = found; i-- > 0;)
        if (bits_[i].load()) found = i;
    return static_cast<int>(found);
  }

 private:
  std::array<std::atomic<bool>, 4> bits_{};
  std::size_t written_ = 0;  // only for the writer
};

using KValuedRegister = BasicKValuedRegister<RegisterMistake::none>;
using UpwardRegister = BasicKValuedRegister<RegisterMistake::upward_only>;
using SimpleRegister = BasicKValuedRegister<RegisterMistake::clears_one>;

}  // namespace plumb::objects
