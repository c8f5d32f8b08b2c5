// SPDX-License-Identifier: MIT
#include "plumb/describe.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

struct Counter {
  std::int64_t count = 0;

  static Counter from_initial(std::optional<std::int64_t> initial) { return {initial.value_or(0)}; }
  auto state() const { return std::tie(count); }

  std::int64_t get() const { return count; }
  void set(std::int64_t v) { count = v; }
  std::int64_t fetch_add(std::int64_t n) {
    // Through unsigned, where an overflow wraps around.
    const auto sum = static_cast<std::uint64_t>(count) + static_cast<std::uint64_t>(n);
    return std::exchange(count, static_cast<std::int64_t>(sum));
  }
  void add(std::int64_t n) { fetch_add(n); }
  void inc() { add(1); }
  void dec() { add(-1); }
  std::int64_t fetch_inc() { return fetch_add(1); }
};

}  // namespace

const Specification& counter_specification() {
  static const auto spec = describe<Counter>("counter")
                               .family(Family::counter)
                               .method("get", &Counter::get)
                               .role(Role::reads)
                               .alias("read", "value", "load")
                               .result("the count")
                               .method("set", &Counter::set)
                               .role(Role::writes)
                               .arguments("v")
                               .alias("write", "store", "reset")
                               .method("inc", &Counter::inc)
                               .role(Role::increments)
                               .alias("increment", "incr")
                               .method("dec", &Counter::dec)
                               .role(Role::decrements)
                               .alias("decrement", "decr")
                               .method("add", &Counter::add)
                               .role(Role::increments)
                               .arguments("n")
                               .method("fetch_add", &Counter::fetch_add)
                               .role(Role::increments)
                               .arguments("n")
                               .alias("get_and_add")
                               .result("the count before")
                               .method("fetch_inc", &Counter::fetch_inc)
                               .role(Role::increments)
                               .alias("get_and_increment", "fetch_increment")
                               .result("the count before");
  return spec;
}

}  // namespace plumb
