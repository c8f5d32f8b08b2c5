// SPDX-License-Identifier: MIT
#include <algorithm>

#include "spec/containers.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

struct Set {
  std::vector<Value> elements;  // sorted

  static Set from_initial(std::optional<std::vector<Value>> initial) {
    Set set;
    for (const Value v : initial.value_or(std::vector<Value>())) set.insert(v);
    return set;
  }
  auto state() const { return std::tie(elements); }

  bool insert(Value v) {
    const auto at = std::lower_bound(elements.begin(), elements.end(), v);
    if (at != elements.end() && *at == v) return false;
    elements.insert(at, v);
    return true;
  }
  bool remove(Value v) {
    const auto at = std::lower_bound(elements.begin(), elements.end(), v);
    if (at == elements.end() || *at != v) return false;
    elements.erase(at);
    return true;
  }
  bool contains(Value v) const { return std::binary_search(elements.begin(), elements.end(), v); }
  std::size_t size() const { return elements.size(); }
  void clear() { elements.clear(); }
  std::multiset<Value> read() const { return {elements.begin(), elements.end()}; }
};

Traffic insert_traffic(std::span<const Value> args, Value result, bool known) {
  if (known && !result.as_boolean()) return {.adds = {}, .observes = args[0], .removes = false};
  return {.adds = args[0], .observes = {}, .removes = false};
}

template <bool kRemoves>
Traffic found_traffic(std::span<const Value> args, Value result, bool known) {
  if (!known || !result.as_boolean()) return {};
  return {.adds = {}, .observes = args[0], .removes = kRemoves};
}

}  // namespace

const Specification& set_specification() {
  static const auto spec = describe<Set>("set")
                               .family(Family::set)
                               .method("insert", &Set::insert)
                               .role(Role::adds)
                               .arguments("v")
                               .alias("add", "put")
                               .key(0)
                               .result("whether it was absent")
                               .pure_when(Value::boolean(false))
                               .traffic(insert_traffic)
                               .method("remove", &Set::remove)
                               .role(Role::removes)
                               .arguments("v")
                               .alias("delete", "erase")
                               .key(0)
                               .result("whether it was present")
                               .pure_when(Value::boolean(false))
                               .traffic(found_traffic<true>)
                               .method("contains", &Set::contains)
                               .role(Role::contains)
                               .arguments("v")
                               .alias("has", "member", "lookup", "find")
                               .key(0)
                               .result("whether it is present")
                               .traffic(found_traffic<false>)
                               .method("size", &Set::size)
                               .role(Role::counts)
                               .alias("count", "length")
                               .method("clear", &Set::clear)
                               .method("read", &Set::read)
                               .alias("elements", "snapshot")
                               .result("list of the elements, in any order")
                               .initial_values([](std::optional<Value> initial) {
                                 return Set::from_initial(listed_values(initial)).elements;
                               });
  return spec;
}

}  // namespace plumb
