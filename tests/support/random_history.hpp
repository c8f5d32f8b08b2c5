// SPDX-License-Identifier: MIT
// Random histories of any specification, about half of them linearizable by construction.
//
// A run of the specification is simulated: processes call, take effect at a random moment and
// return what the specification says. Some operations stay pending or crash, having taken effect
// or not; some histories end stuck, some have clocks that make operations of one process overlap.
// Half of the histories are then spoilt: a result is replaced by another plausible one, an
// operation is left out, exchanged or squeezed into a shorter interval.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/history.hpp"
#include "plumb/specification.hpp"

namespace plumb::test {

/// Small, fast, the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) { next(); }
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  /// 0 .. n-1. Requires: n > 0.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>((next() >> 32) * n >> 32); }
  /// lo .. hi
  std::size_t between(std::size_t lo, std::size_t hi) { return lo + below(hi - lo + 1); }
  bool percent(std::size_t p) { return below(100) < p; }
  template <class T>
  const T& pick(const std::vector<T>& all) {
    return all[below(all.size())];
  }

 private:
  std::uint64_t state_;
};

struct RandomOptions {
  std::size_t fewest = 1, most = 8;  // operations
  std::size_t most_processes = 5;
  bool distinct = false;                  // a value is added once (but for a few, spoilt ones),
                                          // and a cas succeeds
  bool one_key = false;                   // keyed operations all have the same key
  bool plain = false;                     // neither stuck nor with clocks that err
  std::vector<std::string> methods = {};  // only these; empty: all
  std::size_t most_writers = SIZE_MAX;    // only so many processes add values
  std::size_t unrecorded = 0;             // percent of the results were not recorded; without
                                          // `plain` some histories have such results anyway
};

class RandomHistories {
 public:
  explicit RandomHistories(const Specification& specification);

  /// The same history for the same seed, whatever was made before.
  History make(std::uint64_t seed, const RandomOptions& options = {}) const;

 private:
  struct Kind {
    std::vector<std::vector<Value>> args;       // small domain, so that values repeat
    std::vector<std::vector<Value>> rare_args;  // everything else that is allowed
    std::vector<Value> results;                 // plausible ones
  };
  class Run;

  const Specification& specification_;
  std::vector<Kind> kinds_;  // by method
  std::vector<Value> initials_;
  bool blocks_ = false;
};

}  // namespace plumb::test
