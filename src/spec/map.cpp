// SPDX-License-Identifier: MIT
#include <map>

#include "spec/cells.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

struct Map {
  Value initial;
  std::map<Value, Value> entries;

  Map() = default;
  explicit Map(Value initial) : initial(initial) {}
  auto state() const { return std::tie(entries); }

  Value get(Value k) const {
    const auto at = entries.find(k);
    return at == entries.end() ? initial : at->second;
  }
  void put(Value k, Value v) { entries[k] = v; }
  void append(Value k, Value v) {
    const auto [at, absent] = entries.try_emplace(k, v);
    if (absent) return;
    Value& present = at->second;
    if (present.is_string() && v.is_string()) {
      present = Value::string(std::string(present.as_text()).append(v.as_text()));
    } else if (present.is_list()) {
      std::vector<Value> items(present.as_list().begin(), present.as_list().end());
      items.push_back(v);
      present = Value::list(items);
    } else {
      present = Value::list({present, v});
    }
  }
  bool remove(Value k) { return entries.erase(k) > 0; }
  bool contains(Value k) const { return entries.contains(k); }
  std::size_t size() const { return entries.size(); }
  void clear() { entries.clear(); }
};

/// A string or a list may have been put together by append, so nobody needs to have added it.
Traffic get_traffic(std::span<const Value> args, Value result, bool known) {
  if (result.is_string() || result.is_list()) return {};
  return observes_value(args, result, known);
}

}  // namespace

const Specification& map_specification() {
  static const auto spec = describe<Map>("map")
                               .family(Family::map)
                               .method("get", &Map::get)
                               .role(Role::reads)
                               .arguments("k")
                               .alias("read", "lookup")
                               .key(0)
                               .result("the value; of an absent key the initial one")
                               .traffic(get_traffic)
                               .method("put", &Map::put)
                               .role(Role::writes)
                               .arguments("k", "v")
                               .alias("write", "set")
                               .key(0)
                               .adds(1)
                               .method("append", &Map::append)
                               .arguments("k", "v")
                               .key(0)
                               .adds(1)
                               .method("delete", &Map::remove)
                               .role(Role::removes)
                               .arguments("k")
                               .alias("remove", "erase", "del")
                               .key(0)
                               .result("whether it was present")
                               .pure_when(Value::boolean(false))
                               .method("contains", &Map::contains)
                               .role(Role::contains)
                               .arguments("k")
                               .alias("contains_key", "has")
                               .key(0)
                               .result("whether it is present")
                               .method("size", &Map::size)
                               .role(Role::counts)
                               .alias("count", "length")
                               .method("clear", &Map::clear)
                               .initial_values([](std::optional<Value> initial) {
                                 return std::vector<Value>{initial.value_or(Value::nil())};
                               });
  return spec;
}

}  // namespace plumb
