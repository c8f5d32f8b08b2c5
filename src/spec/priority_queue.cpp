// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>

#include "spec/kinds.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

/// `Before` orders the elements by urgency: the most urgent one is the last.
template <class Before>
struct PriorityQueue {
  std::vector<Value> items;  // sorted

  static PriorityQueue from_initial(InitialItems initial) {
    PriorityQueue queue{values_of(initial)};
    std::sort(queue.items.begin(), queue.items.end(), Before());
    return queue;
  }
  auto state() const { return std::tie(items); }

  void insert(Item item) {
    items.insert(std::upper_bound(items.begin(), items.end(), item.value, Before()), item.value);
  }
  Value poll() {
    if (items.empty()) return Value::nil();
    const Value v = items.back();
    items.pop_back();
    return v;
  }
  Value peek() const { return items.empty() ? Value::nil() : items.back(); }
  std::size_t size() const { return items.size(); }
};

template <class Queue>
Description<Queue> priority_queue(std::string name, std::string which) {
  const std::string result = "the " + which + " element, null if empty";
  return describe<Queue>(std::move(name))
      .method("insert", &Queue::insert).arguments("v")
      .alias("add", "offer", "put", "push", "enq", "enqueue").adds(0)
      .method("poll", &Queue::poll)
      .alias("remove", "take", "pop", "deq", "dequeue", "try_pop")
      .result(result).pure_when(Value::nil()).removes_result()
      .initial_values(listed_values);
}

template <class Queue>
Description<Queue> with_peek(Description<Queue> spec, std::string which) {
  return spec.method("peek", &Queue::peek).alias("top")
      .result("the " + which + " element, null if empty").observes_result()
      .method("size", &Queue::size).alias("count", "length");
}

}  // namespace

const Specification& pqueue_specification() {
  using Queue = PriorityQueue<std::less<Value>>;
  static const auto spec = with_peek(
      priority_queue<Queue>("pqueue", "largest").alias("delmax", "delete_max", "extract_max"),
      "largest");
  return spec;
}

const Specification& pqueue_min_specification() {
  using Queue = PriorityQueue<std::greater<Value>>;
  static const auto spec = with_peek(
      priority_queue<Queue>("pqueue-min", "smallest").alias("delmin", "delete_min", "extract_min"),
      "smallest");
  return spec;
}

}  // namespace plumb
