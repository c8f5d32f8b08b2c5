// SPDX-License-Identifier: MIT
// A latch and a barrier: what waits until others have arrived. A call that arrives and then waits
// (arrive_and_wait) is none of their methods: its arrival comes before the arrivals that it waits
// for, and its return after them, so it does not take effect at one moment.
#include "plumb/describe.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

struct Latch {
  std::int64_t count = 1;

  static Latch from_initial(std::optional<std::int64_t> initial) {
    if (initial.value_or(1) < 0) throw std::invalid_argument("the count cannot be negative");
    return {initial.value_or(1)};
  }
  auto state() const { return std::tie(count); }

  void count_down() {
    if (count > 0) --count;
  }
  void wait() const {
    if (count > 0) block();
  }
  bool try_wait() const { return count == 0; }
  std::int64_t get_count() const { return count; }
};

struct Barrier {
  std::int64_t participants = 2;
  std::int64_t arrived = 0, phase = 0;

  static Barrier from_initial(std::optional<std::int64_t> initial) {
    if (initial.value_or(2) < 1) throw std::invalid_argument("there must be a participant");
    return {initial.value_or(2), 0, 0};
  }
  auto state() const { return std::tie(arrived, phase); }

  std::int64_t arrive() {
    const std::int64_t of = phase;
    if (++arrived == participants) {
      arrived = 0;
      ++phase;
    }
    return of;
  }
  void wait(std::int64_t of) const {
    if (of >= phase) block();
  }
  bool try_wait(std::int64_t of) const { return of < phase; }
  std::int64_t current() const { return phase; }
};

}  // namespace

const Specification& latch_specification() {
  static const auto spec = describe<Latch>("latch")
                               .method("count_down", &Latch::count_down)
                               .alias("arrive", "signal")
                               .method("wait", &Latch::wait)
                               .alias("await")
                               .blocks()
                               .method("try_wait", &Latch::try_wait)
                               .alias("is_set", "is_ready")
                               .result("whether the count is 0")
                               .method("count", &Latch::get_count)
                               .alias("get_count", "current_count")
                               .result("the count");
  return spec;
}

const Specification& barrier_specification() {
  static const auto spec = describe<Barrier>("barrier")
                               .method("arrive", &Barrier::arrive)
                               .result("the number of the phase, from 0")
                               .method("wait", &Barrier::wait)
                               .arguments("phase")
                               .alias("await")
                               .blocks()
                               .method("try_wait", &Barrier::try_wait)
                               .arguments("phase")
                               .result("whether the phase is over")
                               .method("phase", &Barrier::current)
                               .alias("current_phase", "get_phase")
                               .result("the number of the phase");
  return spec;
}

}  // namespace plumb
