// SPDX-License-Identifier: MIT
#include <map>

#include "plumb/describe.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

struct Multimap {
  std::map<Value, std::multiset<Value>> entries;  // no key has an empty set
  static Multimap from_initial(std::optional<std::vector<std::pair<Value, Value>>> initial) {
    Multimap map;
    if (initial)
      for (const auto& [k, v] : *initial) map.put(k, v);
    return map;
  }
  auto state() const { return std::tie(entries); }

  void put(Value k, Value v) { entries[k].insert(v); }
  std::multiset<Value> get(Value k) const {
    const auto at = entries.find(k);
    return at == entries.end() ? std::multiset<Value>() : at->second;
  }
  bool remove(Value k, Value v) {
    const auto at = entries.find(k);
    if (at == entries.end()) return false;
    const auto one = at->second.find(v);
    if (one == at->second.end()) return false;
    at->second.erase(one);
    if (at->second.empty()) entries.erase(at);
    return true;
  }
  std::size_t remove_all(Value k) {
    const std::size_t gone = count(k);
    entries.erase(k);
    return gone;
  }
  bool contains(Value k) const { return entries.contains(k); }
  std::size_t count(Value k) const {
    const auto at = entries.find(k);
    return at == entries.end() ? 0 : at->second.size();
  }
  std::size_t size() const {
    std::size_t all = 0;
    for (const auto& [k, values] : entries) all += values.size();
    return all;
  }
  void clear() { entries.clear(); }
};

}  // namespace

const Specification& multimap_specification() {
  static const auto spec = describe<Multimap>("multimap")
                               .method("put", &Multimap::put)
                               .arguments("k", "v")
                               .alias("add", "insert")
                               .key(0)
                               .method("get", &Multimap::get)
                               .arguments("k")
                               .alias("get_all", "equal_range", "lookup")
                               .key(0)
                               .result("list of the values, in any order")
                               .method("remove", &Multimap::remove)
                               .arguments("k", "v")
                               .alias("remove_entry")
                               .key(0)
                               .result("whether it was present")
                               .pure_when(Value::boolean(false))
                               .method("remove_all", &Multimap::remove_all)
                               .arguments("k")
                               .alias("erase", "delete")
                               .key(0)
                               .result("how many there were")
                               .pure_when(Value::integer(0))
                               .method("contains", &Multimap::contains)
                               .arguments("k")
                               .alias("contains_key", "has")
                               .key(0)
                               .result("whether it is present")
                               .method("count", &Multimap::count)
                               .arguments("k")
                               .key(0)
                               .result("how many there are")
                               .method("size", &Multimap::size)
                               .alias("length")
                               .method("clear", &Multimap::clear);
  return spec;
}

}  // namespace plumb
