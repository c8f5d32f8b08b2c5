// SPDX-License-Identifier: MIT
#include <algorithm>

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
  Value remove() {
    if (items.empty()) return Value::nil();
    auto at = items.begin();
    if (const std::optional<Value> expected = expected_result()) {
      const auto found = std::lower_bound(items.begin(), items.end(), *expected);
      if (found != items.end() && *found == *expected) at = found;
    } else {
      at += static_cast<std::ptrdiff_t>(choose(items.size()));
    }
    const Value v = *at;
    items.erase(at);
    return v;
  }
  std::size_t size() const { return items.size(); }
};

}  // namespace

const Specification& bag_specification() {
  static const auto spec = describe<Bag>("bag")
                               .method("add", &Bag::add)
                               .arguments("v")
                               .alias("insert", "put", "push")
                               .adds(0)
                               .method("remove", &Bag::remove)
                               .alias("take", "try_take", "poll", "pop", "get")
                               .result("any element, null if empty")
                               .pure_when(Value::nil())
                               .removes_result()
                               .method("size", &Bag::size)
                               .alias("count", "length")
                               .initial_values(listed_values);
  return spec;
}

}  // namespace plumb
