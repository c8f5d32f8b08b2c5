// SPDX-License-Identifier: MIT
#include <map>

#include "spec/cells.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

struct Array {
  Value initial = Value::integer(0);
  std::map<std::int64_t, Value> cells;  // those that differ from the initial value

  Array() = default;
  explicit Array(Value initial) : initial(initial) {}
  auto state() const { return std::tie(cells); }

  Value read(std::int64_t i) const {
    const auto at = cells.find(i);
    return at == cells.end() ? initial : at->second;
  }
  void write(std::int64_t i, Value v) {
    if (v == initial) cells.erase(i);
    else cells[i] = v;
  }
  bool cas(std::int64_t i, Value expect, Value desired) {
    if (read(i) != expect) return false;
    write(i, desired);
    return true;
  }
};

}  // namespace

const Specification& array_specification() {
  static const auto spec = describe<Array>("array")
                               .family(Family::array)
                               .method("read", &Array::read)
                               .role(Role::reads)
                               .arguments("i")
                               .alias("get", "load")
                               .key(0)
                               .result("the value")
                               .traffic(observes_value)
                               .method("write", &Array::write)
                               .role(Role::writes)
                               .arguments("i", "v")
                               .alias("set", "store", "put")
                               .key(0)
                               .adds(1)
                               .method("cas", &Array::cas)
                               .role(Role::swaps)
                               .arguments("i", "expect", "new")
                               .key(0)
                               .alias("compare_and_set", "compare_and_swap", "compare_exchange")
                               .pure_when(cas_is_pure<1>, kCasIsPure)
                               .traffic(cas_traffic<1>)
                               .initial_values(one_value<0>);
  return spec;
}

}  // namespace plumb
