// SPDX-License-Identifier: MIT
// Round-Up, Algorithm 2: the K-quasi permutations of a sequence, one after the other.
#pragma once

#include <cstdint>
#include <vector>

namespace plumb::quasi {

/// Permutations of events 0 .. n-1 in which event i is at most factor[i] places from place i. The
/// first is the sequence itself.
class QuasiPermutations {
 public:
  explicit QuasiPermutations(std::vector<std::uint32_t> factor);
  /// Goes to the next one; false: that was the last.
  bool next();
  /// By place: which event.
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  struct Enabled {
    std::uint32_t event;
    std::int32_t lateness;  // places behind its own; before its own: negative
  };
  struct State {
    std::vector<Enabled> enabled, newly_enabled;
    std::vector<bool> done;  // by event
    std::uint32_t select = 0;
  };
  static constexpr std::uint32_t kNothing = 0xffffffffu;

  void first_run();
  void init_enabled_and_lateness(std::size_t state, std::uint32_t event);
  std::uint32_t pick_an_enabled_event(const State& state) const;
  void update_enabled_and_lateness(std::size_t state);
  bool backtrack_run();

  std::vector<std::uint32_t> factor_;
  std::vector<State> state_stack_;
  std::vector<std::uint32_t> order_;
  bool begun_ = false;
};

}  // namespace plumb::quasi
