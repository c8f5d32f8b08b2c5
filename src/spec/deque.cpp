// SPDX-License-Identifier: MIT
#include "spec/containers.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

struct Deque {
  std::vector<Value> items;  // from the front to the back

  static Deque from_initial(InitialItems initial) { return {values_of(initial)}; }
  auto state() const { return std::tie(items); }

  void push_front(Item item) { items.insert(items.begin(), item.value); }
  void push_back(Item item) { items.push_back(item.value); }
  Value pop_front() {
    const Value v = peek_front();
    if (!items.empty()) items.erase(items.begin());
    return v;
  }
  Value pop_back() {
    const Value v = peek_back();
    if (!items.empty()) items.pop_back();
    return v;
  }
  Value peek_front() const { return items.empty() ? Value::nil() : items.front(); }
  Value peek_back() const { return items.empty() ? Value::nil() : items.back(); }
  std::size_t size() const { return items.size(); }
};

}  // namespace

const Specification& deque_specification() {
  static const auto spec =
      describe<Deque>("deque")
          .method("push_front", &Deque::push_front)
          .arguments("v")
          .alias("add_first", "offer_first", "push_first", "push_left", "enqueue_first",
                 "insert_first")
          .adds(0)
          .method("push_back", &Deque::push_back)
          .arguments("v")
          .alias("add_last", "offer_last", "push_last", "push_right", "enqueue_last", "insert_last")
          .adds(0)
          .method("pop_front", &Deque::pop_front)
          .alias("poll_first", "remove_first", "take_first", "pop_first", "pop_left",
                 "dequeue_first", "try_pop_front")
          .result("the first element", "empty")
          .pure_when(Value::nil())
          .removes_result()
          .method("pop_back", &Deque::pop_back)
          .alias("poll_last", "remove_last", "take_last", "pop_last", "pop_right", "dequeue_last",
                 "try_pop_back")
          .result("the last element", "empty")
          .pure_when(Value::nil())
          .removes_result()
          .method("peek_front", &Deque::peek_front)
          .alias("peek_first", "get_first", "front", "first")
          .result("the first element", "empty")
          .observes_result()
          .method("peek_back", &Deque::peek_back)
          .alias("peek_last", "get_last", "back", "last")
          .result("the last element", "empty")
          .observes_result()
          .method("size", &Deque::size)
          .alias("count", "length")
          .initial_values(listed_values);
  return spec;
}

const Specification& work_stealing_deque_specification() {
  static const auto spec =
      describe<Deque>("work-stealing-deque")
          .method("push", &Deque::push_back)
          .arguments("v")
          .alias("push_back", "push_bottom", "push_right", "add", "put")
          .adds(0)
          .method("pop", &Deque::pop_back)
          .alias("take", "pop_back", "pop_bottom", "pop_right", "try_pop", "try_take")
          .result("the youngest element", "empty")
          .pure_when(Value::nil())
          .removes_result()
          .method("steal", &Deque::pop_front)
          .alias("pop_front", "pop_top", "pop_left", "steal_front", "try_steal", "poll")
          .result("the oldest element", "empty")
          .pure_when(Value::nil())
          .removes_result()
          .method("size", &Deque::size)
          .alias("count", "length")
          .initial_values(listed_values);
  return spec;
}

}  // namespace plumb
