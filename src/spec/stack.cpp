// SPDX-License-Identifier: MIT
#include "spec/containers.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

struct Stack {
  std::vector<Value> items;  // the top is the last one

  static Stack from_initial(InitialItems initial) { return {values_of(initial)}; }
  auto state() const { return std::tie(items); }

  void push(Item item) { items.push_back(item.value); }
  Value pop() {
    if (items.empty()) return Value::nil();
    const Value v = items.back();
    items.pop_back();
    return v;
  }
  Item take() {
    if (items.empty()) block();
    return {pop()};
  }
  Value peek() const { return items.empty() ? Value::nil() : items.back(); }
  std::size_t size() const { return items.size(); }
};

}  // namespace

const Specification& stack_specification() {
  static const auto spec = describe<Stack>("stack")
                               .family(Family::stack)
                               .method("push", &Stack::push)
                               .role(Role::adds)
                               .arguments("v")
                               .alias("add", "put", "insert")
                               .adds(0)
                               .method("pop", &Stack::pop)
                               .role(Role::takes)
                               .alias("remove", "take", "poll", "try_pop", "try_take")
                               .result("the youngest element", "empty")
                               .pure_when(Value::nil())
                               .removes_result()
                               .method("peek", &Stack::peek)
                               .role(Role::peeks)
                               .alias("top")
                               .result("the youngest element", "empty")
                               .observes_result()
                               .method("size", &Stack::size)
                               .role(Role::counts)
                               .alias("count", "length")
                               .initial_values(listed_values);
  return spec;
}

const Specification& blocking_stack_specification() {
  static const auto spec = describe<Stack>("blocking-stack")
                               .family(Family::stack)
                               .method("push", &Stack::push)
                               .role(Role::adds)
                               .arguments("v")
                               .alias("add", "put", "insert")
                               .adds(0)
                               .method("pop", &Stack::take)
                               .role(Role::takes)
                               .alias("take", "remove")
                               .result("the youngest element")
                               .blocks()
                               .removes_result()
                               .method("try_pop", &Stack::pop)
                               .role(Role::takes)
                               .alias("try_take", "poll")
                               .result("the youngest element", "empty")
                               .pure_when(Value::nil())
                               .removes_result()
                               .method("size", &Stack::size)
                               .role(Role::counts)
                               .alias("count", "length")
                               .initial_values(listed_values);
  return spec;
}

}  // namespace plumb
