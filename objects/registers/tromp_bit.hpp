// SPDX-License-Identifier: MIT
// J. Tromp's bit (WDAG 1989): an atomic bit, for one writer and one reader, made of three safe
// ones. A safe bit that is read while it is written may return any value.
//
// The value is in V. By W the writer asks the reader to acknowledge a new value, which it has done
// when R is equal to W. The reader reads V at least twice, unless nothing is new, and returns the
// later value only if nothing has become new meanwhile. The lines of `read` are numbered as in
// Tromp's paper.
//
// Two mistakes. Without the test in line 3 (BoldTrompBit) the reader may acknowledge a new value
// that it has not seen. Without line 6 (LazyTrompBit) it keeps an earlier value for a later read.
// Both are regular: only the order of what two reads return is wrong.
//
// Source: Tromp, How to Construct an Atomic Variable, WDAG 1989.
//
// Verdict: TrompBit is linearizable, the others are not. Smallest tests (five preemptions):
// BoldTrompBit `write(1), write(0) | read, read, read`: 1, 0, 1.
// LazyTrompBit `write(1), write(0) | read, read`: 0, then 1, while 0 is written.
#pragma once

#include <atomic>
#include <cstdlib>

namespace plumb::objects {

class SafeBit {
 public:
  void write(bool value) {
    busy_ = true;
    value_ = value;
    busy_ = false;
  }

  bool read() const { return busy_.load() ? std::rand() % 2 == 1 : value_.load(); }

 private:
  std::atomic<bool> busy_{false}, value_{false};
};

enum class TrompMistake { none, no_line_3, no_line_6 };

template <TrompMistake kMistake>
class BasicTrompBit {
 public:
  /// For one thread only.
  void write(bool value) {
    if (value == written_) return;
    v_.write(value);
    written_ = value;
    if (own_w_ != r_.read()) return;
    own_w_ = !own_w_;
    w_.write(own_w_);
  }

  /// For one thread only.
  bool read() {
    if (w_.read() == own_r_) return kept_;                                     // 1
    const bool first = v_.read();                                              // 2
    if (kMistake == TrompMistake::no_line_3 || w_.read() != own_r_) turn_r();  // 3
    kept_ = v_.read();                                                         // 4
    if (w_.read() == own_r_) return kept_;                                     // 5
    if (kMistake != TrompMistake::no_line_6) kept_ = v_.read();                // 6
    return first;                                                              // 7
  }

 private:
  void turn_r() {
    own_r_ = !own_r_;
    r_.write(own_r_);
  }

  SafeBit v_, w_, r_;
  bool written_ = false, own_w_ = false;  // only for the writer
  bool kept_ = false, own_r_ = false;     // only for the reader
};

using TrompBit = BasicTrompBit<TrompMistake::none>;
using BoldTrompBit = BasicTrompBit<TrompMistake::no_line_3>;
using LazyTrompBit = BasicTrompBit<TrompMistake::no_line_6>;

}  // namespace plumb::objects
