// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include "spec/containers.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

struct Bag {
  std::vector<Value> items;  // sorted

  static Bag from_initial(InitialItems initial) {
    Bag bag{values_of(initial)};
    std::sort(bag.items.begin(), bag.items.end());
    return bag;
  }
  auto state() const { return std::tie(items); }

  void add(Item item) {
    items.insert(std::upper_bound(items.begin(), items.end(), item.value), item.value);
  }
  // Any element; the expected one, if it is there.
  std::size_t any() const {
    const std::optional<Value> expected = expected_result();
    if (!expected) return choose(items.size());
    const auto found = std::lower_bound(items.begin(), items.end(), *expected);
    const bool is_there = found != items.end() && *found == *expected;
    return is_there ? static_cast<std::size_t>(found - items.begin()) : 0;
  }
  Value remove() {
    if (items.empty()) return Value::nil();
    const auto at = items.begin() + static_cast<std::ptrdiff_t>(any());
    const Value v = *at;
    items.erase(at);
    return v;
  }
  Value peek() const { return items.empty() ? Value::nil() : items[any()]; }
  std::size_t size() const { return items.size(); }
  bool empty() const { return items.empty(); }
  // In any order.
  std::multiset<Value> list() const { return {items.begin(), items.end()}; }
};

}  // namespace

const Specification& bag_specification() {
  static const auto spec = describe<Bag>("bag")
                               .family(Family::bag)
                               .method("add", &Bag::add)
                               .role(Role::adds)
                               .arguments("v")
                               .alias("insert", "put", "push")
                               .adds(0)
                               .method("remove", &Bag::remove)
                               .role(Role::takes)
                               .alias("take", "try_take", "poll", "pop", "get")
                               .result("any element", "empty")
                               .pure_when(Value::nil())
                               .removes_result()
                               .method("size", &Bag::size)
                               .role(Role::counts)
                               .alias("count", "length")
                               .method("peek", &Bag::peek)
                               .role(Role::peeks)
                               .alias("try_peek")
                               .result("any element", "empty")
                               .observes_result()
                               .method("empty", &Bag::empty)
                               .alias("is_empty")
                               .method("list", &Bag::list)
                               .alias("to_array")
                               .result("all elements, in any order")
                               .initial_values(listed_values);
  return spec;
}

}  // namespace plumb
