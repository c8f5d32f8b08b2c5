// SPDX-License-Identifier: MIT
// How a method that chooses is run once for every choice that it could make.
//
// The choices of one run are a sequence of numbers; the next run repeats all but the last one that
// can still be increased, as an odometer does. So alternatives are enumerated without saving any
// state of the method in between, and nothing but plumb::choose() has to know about it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "plumb/value.hpp"

namespace plumb::detail {

/// Thrown by plumb::block(). No std::exception: a method that catches those must not catch this.
struct Blocked {};

class Script {
 public:
  explicit Script(std::optional<Value> expected) : expected_(expected) {}

  /// Makes the script the one that this thread's choices follow.
  class Running {
   public:
    explicit Running(Script& script);
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    Script* before_;
  };

  std::size_t choose(std::size_t n);
  /// Goes to the next sequence of choices; false: that was the last one.
  bool advance();
  bool has_choices() const { return !choices_.empty(); }
  std::optional<Value> expected() const { return expected_; }

 private:
  struct Choice {
    std::size_t taken, of;
  };
  std::vector<Choice> choices_;
  std::size_t position_ = 0;
  std::optional<Value> expected_;
};

}  // namespace plumb::detail
