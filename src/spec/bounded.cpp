// SPDX-License-Identifier: MIT
// A queue, a stack and a work-stealing deque that refuse what they have no room for. No family: the
// monitors of queues and stacks take it that every add succeeds.
#include <algorithm>

#include "spec/containers.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

struct Bounded {
  std::int64_t capacity = 2;
  std::vector<Value> items;  // the youngest is the last one

  static Bounded from_initial(std::optional<std::int64_t> initial) {
    if (initial && *initial < 1) throw std::invalid_argument("the capacity must be at least 1");
    return {initial.value_or(2), {}};
  }
  auto state() const { return std::tie(items); }

  bool add(Item item) {
    if (std::cmp_equal(items.size(), capacity)) return false;
    items.push_back(item.value);
    return true;
  }
  Value take_oldest() {
    if (items.empty()) return Value::nil();
    const Value v = items.front();
    items.erase(items.begin());
    return v;
  }
  Value take_youngest() {
    if (items.empty()) return Value::nil();
    const Value v = items.back();
    items.pop_back();
    return v;
  }
  Value oldest() const { return items.empty() ? Value::nil() : items.front(); }
  Value youngest() const { return items.empty() ? Value::nil() : items.back(); }
  std::size_t size() const { return items.size(); }
};

Traffic add_traffic(std::span<const Value> args, Value result, bool known) {
  if (known && !result.as_boolean()) return {};
  return {.adds = args[0], .observes = {}, .removes = false};
}

std::vector<Value> nothing_inside(std::optional<Value>) { return {}; }

}  // namespace

const Specification& bounded_queue_specification() {
  static const auto spec = describe<Bounded>("bounded-queue")
                               .method("enq", &Bounded::add)
                               .arguments("v")
                               .alias("enqueue", "add", "offer", "put", "push", "insert", "try_enq",
                                      "try_enqueue", "try_add", "try_put", "try_push")
                               .result("whether there was room")
                               .pure_when(Value::boolean(false))
                               .traffic(add_traffic)
                               .method("deq", &Bounded::take_oldest)
                               .alias("dequeue", "remove", "poll", "take", "pop", "try_deq",
                                      "try_dequeue", "try_take", "try_pop")
                               .result("the oldest element", "empty")
                               .pure_when(Value::nil())
                               .removes_result()
                               .method("peek", &Bounded::oldest)
                               .alias("front", "head")
                               .result("the oldest element", "empty")
                               .observes_result()
                               .method("size", &Bounded::size)
                               .alias("count", "length")
                               .initial_values(nothing_inside);
  return spec;
}

const Specification& bounded_stack_specification() {
  static const auto spec =
      describe<Bounded>("bounded-stack")
          .method("push", &Bounded::add)
          .arguments("v")
          .alias("add", "put", "offer", "insert", "try_push", "try_add", "try_put")
          .result("whether there was room")
          .pure_when(Value::boolean(false))
          .traffic(add_traffic)
          .method("pop", &Bounded::take_youngest)
          .alias("remove", "take", "poll", "try_pop", "try_take")
          .result("the youngest element", "empty")
          .pure_when(Value::nil())
          .removes_result()
          .method("peek", &Bounded::youngest)
          .alias("top")
          .result("the youngest element", "empty")
          .observes_result()
          .method("size", &Bounded::size)
          .alias("count", "length")
          .initial_values(nothing_inside);
  return spec;
}

const Specification& bounded_work_stealing_deque_specification() {
  static const auto spec =
      describe<Bounded>("bounded-work-stealing-deque")
          .method("push", &Bounded::add)
          .arguments("v")
          .alias("push_back", "push_bottom", "push_right", "add", "put", "try_push")
          .result("whether there was room")
          .pure_when(Value::boolean(false))
          .traffic(add_traffic)
          .method("pop", &Bounded::take_youngest)
          .alias("take", "pop_back", "pop_bottom", "pop_right", "try_pop", "try_take")
          .result("the youngest element", "empty")
          .pure_when(Value::nil())
          .removes_result()
          .method("steal", &Bounded::take_oldest)
          .alias("pop_front", "pop_top", "pop_left", "steal_front", "try_steal", "poll")
          .result("the oldest element", "empty")
          .pure_when(Value::nil())
          .removes_result()
          .method("size", &Bounded::size)
          .alias("count", "length")
          .initial_values(nothing_inside);
  return spec;
}

}  // namespace plumb
