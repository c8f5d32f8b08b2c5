// SPDX-License-Identifier: MIT
// Which random cases a test tries, and how many.
//
//   PLUMB_SEED   a number. Without it 0, so that a short test does the same every day; ./run gives
//                the long tests that of the day, and a soak a random one.
//
// How many is for each kind of test to say (PLUMB_ORACLE_N and the like). A test that happens not
// to see what it is there for shows nothing; but whether it sees that must not be left to luck. So
// it draws until it has seen enough (class Draws).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plumb::test {

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  if (!text || !*text) return otherwise;
  char* end = nullptr;
  const std::uint64_t number = std::strtoull(text, &end, 10);
  if (*end) throw std::invalid_argument(std::string(variable) + "=" + text + " is not a number");
  return number;
}

/// The same in all of a process, and printed when it is first asked for.
inline std::uint64_t seed() {
  static const std::uint64_t chosen = [] {
    const std::uint64_t number = number_from("PLUMB_SEED", 0);
    std::cout << "PLUMB_SEED=" << number << std::endl;
    return number;
  }();
  return chosen;
}

/// The seed of case i. A million cases of one PLUMB_SEED do not meet those of another.
inline std::uint64_t seed_of(std::uint64_t i) { return seed() * 1'000'000 + i; }

/// The numbers of the cases to try: `least` of them, and then more until enough was seen of
/// everything that is wanted. Only a generator that hardly ever makes it runs into the limit.
class Draws {
 public:
  explicit Draws(std::uint64_t least) : least_(least) {}

  /// `seen` is counted while drawing, and has to become `enough`.
  Draws& until(std::string what, const std::uint64_t& seen, std::uint64_t enough = 1) {
    wanted_.push_back({std::move(what), &seen, enough});
    return *this;
  }

  /// What was not seen often enough; empty: nothing.
  std::string lacks() const {
    std::string text;
    for (const Wanted& w : wanted_)
      if (*w.seen < w.enough)
        text += "shows too little: " + std::to_string(*w.seen) + " of " + std::to_string(w.enough) +
                " " + w.what + " in " + std::to_string(drawn_) +
                " draws, PLUMB_SEED=" + std::to_string(seed()) + "\n";
    return text;
  }
  std::uint64_t drawn() const { return drawn_; }

  struct End {};
  class Iterator {
   public:
    explicit Iterator(Draws& draws) : draws_(draws) {}
    bool operator!=(End) const { return draws_.more(); }
    void operator++() { ++draws_.drawn_; }
    std::uint64_t operator*() const { return draws_.drawn_; }

   private:
    Draws& draws_;
  };
  Iterator begin() { return drawn_ = 0, Iterator(*this); }
  End end() const { return {}; }

 private:
  struct Wanted {
    std::string what;
    const std::uint64_t* seen;
    std::uint64_t enough;
  };

  bool more() const {
    if (drawn_ < least_) return true;
    std::uint64_t most = least_;
    bool all = true;
    for (const Wanted& w : wanted_) {
      most = std::max(most, w.enough);
      all = all && *w.seen >= w.enough;
    }
    return !all && drawn_ < 100 * most;
  }

  std::uint64_t least_;
  std::uint64_t drawn_ = 0;
  std::vector<Wanted> wanted_;
};

}  // namespace plumb::test
