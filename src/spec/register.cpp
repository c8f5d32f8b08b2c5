// SPDX-License-Identifier: MIT
#include "spec/cells.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

struct Register {
  Value value = Value::integer(0);

  Register() = default;
  explicit Register(Value initial) : value(initial) {}
  auto state() const { return std::tie(value); }

  Value read() const { return value; }
  void write(Value v) { value = v; }
  bool cas(Value expect, Value desired) {
    if (value != expect) return false;
    value = desired;
    return true;
  }
};

}  // namespace

const Specification& register_specification() {
  static const auto spec = describe<Register>("register")
                               .family(Family::cell)
                               .method("read", &Register::read)
                               .role(Role::reads)
                               .alias("get", "load")
                               .result("the value")
                               .traffic(observes_value)
                               .method("write", &Register::write)
                               .role(Role::writes)
                               .arguments("v")
                               .alias("set", "store", "put")
                               .adds(0)
                               .method("cas", &Register::cas)
                               .role(Role::swaps)
                               .arguments("expect", "new")
                               .alias("compare_and_set", "compare_and_swap", "compare_exchange")
                               .pure_when(cas_is_pure<0>, kCasIsPure)
                               .traffic(cas_traffic<0>)
                               .initial_values(one_value<0>);
  return spec;
}

}  // namespace plumb
