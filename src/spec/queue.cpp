// SPDX-License-Identifier: MIT
#include <deque>

#include "spec/kinds.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

struct Queue {
  std::deque<Value> items;

  static Queue from_initial(InitialItems initial) {
    const std::vector<Value> values = values_of(initial);
    return {{values.begin(), values.end()}};
  }
  auto state() const { return std::tie(items); }

  void enq(Item item) { items.push_back(item.value); }
  Value deq() {
    if (items.empty()) return Value::nil();
    const Value v = items.front();
    items.pop_front();
    return v;
  }
  Item take() {
    if (items.empty()) block();
    return {deq()};
  }
  Value peek() const { return items.empty() ? Value::nil() : items.front(); }
  std::size_t size() const { return items.size(); }
};

}  // namespace

const Specification& queue_specification() {
  static const auto spec =
      describe<Queue>("queue")
          .method("enq", &Queue::enq).arguments("v")
          .alias("enqueue", "add", "offer", "put", "push", "insert").adds(0)
          .method("deq", &Queue::deq)
          .alias("dequeue", "remove", "poll", "take", "pop", "try_deq", "try_dequeue", "try_take")
          .result("the oldest element, null if empty").pure_when(Value::nil()).removes_result()
          .method("peek", &Queue::peek).alias("front", "head")
          .result("the oldest element, null if empty").observes_result()
          .method("size", &Queue::size).alias("count", "length")
          .initial_values(listed_values);
  return spec;
}

const Specification& blocking_queue_specification() {
  static const auto spec =
      describe<Queue>("blocking-queue")
          .method("enq", &Queue::enq).arguments("v")
          .alias("enqueue", "add", "put", "push", "insert").adds(0)
          .method("deq", &Queue::take).alias("dequeue", "take", "remove", "pop")
          .result("the oldest element").blocks().removes_result()
          .method("try_deq", &Queue::deq).alias("try_dequeue", "try_take", "try_pop", "poll")
          .result("the oldest element, null if empty").pure_when(Value::nil()).removes_result()
          .method("size", &Queue::size).alias("count", "length")
          .initial_values(listed_values);
  return spec;
}

}  // namespace plumb
