// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>

#include "plumb/nondeterminism.hpp"
#include "spec/containers.hpp"
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
    const auto at = most_urgent();
    const Value v = *at;
    items.erase(at);
    return v;
  }
  Value peek() const { return items.empty() ? Value::nil() : *most_urgent(); }
  std::size_t size() const { return items.size(); }

 private:
  /// 1 and 1.0 are different values that are equally urgent: any of them.
  std::vector<Value>::const_iterator most_urgent() const {
    auto first = items.end() - 1;
    std::size_t different = 1;
    while (first != items.begin() && compare_numbers(first[-1], *first) == 0) {
      different += first[-1] != *first;
      --first;
    }
    for (std::size_t skip = different == 1 ? 0 : plumb::choose(different); skip > 0; --skip)
      first = std::upper_bound(first, items.end(), *first, Before());
    return first;
  }
};

/// `which` is "largest" or "smallest", `end` is "max" or "min".
template <class Queue>
Description<Queue> priority_queue(std::string name, Family family, std::string which,
                                  std::string end) {
  const std::string result = "the " + which + " element";
  return describe<Queue>(std::move(name))
      .family(family)
      .method("insert", &Queue::insert)
      .role(Role::adds)
      .arguments("v")
      .alias("add", "offer", "put", "push", "enq", "enqueue")
      .adds(0)
      .method("poll", &Queue::poll)
      .role(Role::takes)
      .alias("remove", "take", "pop", "deq", "dequeue", "try_pop")
      .alias("del" + end, "delete_" + end, "extract_" + end)
      .result(result, "empty")
      .pure_when(Value::nil())
      .removes_result()
      .method("peek", &Queue::peek)
      .role(Role::peeks)
      .alias("top", end, "find_" + end)
      .result(result, "empty")
      .observes_result()
      .method("size", &Queue::size)
      .role(Role::counts)
      .alias("count", "length")
      .initial_values(listed_values);
}

}  // namespace

const Specification& pqueue_specification() {
  static const auto spec = priority_queue<PriorityQueue<std::less<Value>>>(
      "pqueue", Family::max_priority_queue, "largest", "max");
  return spec;
}

const Specification& pqueue_min_specification() {
  static const auto spec = priority_queue<PriorityQueue<std::greater<Value>>>(
      "pqueue-min", Family::min_priority_queue, "smallest", "min");
  return spec;
}

}  // namespace plumb
