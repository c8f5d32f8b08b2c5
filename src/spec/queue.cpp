// SPDX-License-Identifier: MIT
#include <algorithm>

#include "spec/containers.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

/// A vector whose first elements may be gone already. A std::deque would do, but takes 600 bytes
/// when it is empty, and there is one in every state.
class Line {
 public:
  Line() = default;
  explicit Line(std::vector<Value> items) : items_(std::move(items)) {}
  Line(const Line& other) : items_(other.begin(), other.end()) {}
  Line& operator=(const Line& other) {
    items_.assign(other.begin(), other.end());
    gone_ = 0;
    return *this;
  }

  std::vector<Value>::const_iterator begin() const { return items_.begin() + gone_; }
  std::vector<Value>::const_iterator end() const { return items_.end(); }
  bool empty() const { return begin() == end(); }
  std::size_t size() const { return static_cast<std::size_t>(end() - begin()); }
  bool operator==(const Line& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

  void push(Value v) { items_.push_back(v); }
  Value pop() {
    const Value v = *begin();
    if (2 * ++gone_ > end() - items_.begin()) {  // each element moves once at most
      items_.erase(items_.begin(), begin());
      gone_ = 0;
    }
    return v;
  }

 private:
  std::vector<Value> items_;
  std::ptrdiff_t gone_ = 0;
};

struct Queue {
  Line items;

  static Queue from_initial(InitialItems initial) { return {Line(values_of(initial))}; }
  auto state() const { return std::tie(items); }

  void enq(Item item) { items.push(item.value); }
  Value deq() {
    if (items.empty()) return Value::nil();
    return items.pop();
  }
  Item take() {
    if (items.empty()) block();
    return {deq()};
  }
  Value peek() const { return items.empty() ? Value::nil() : *items.begin(); }
  std::size_t size() const { return items.size(); }
};

}  // namespace

const Specification& queue_specification() {
  static const auto spec = describe<Queue>("queue")
                               .family(Family::queue)
                               .method("enq", &Queue::enq)
                               .role(Role::adds)
                               .arguments("v")
                               .alias("enqueue", "add", "offer", "put", "push", "insert")
                               .adds(0)
                               .method("deq", &Queue::deq)
                               .role(Role::takes)
                               .alias("dequeue", "remove", "poll", "take", "pop", "try_deq",
                                      "try_dequeue", "try_take", "try_pop")
                               .result("the oldest element", "empty")
                               .pure_when(Value::nil())
                               .removes_result()
                               .method("peek", &Queue::peek)
                               .role(Role::peeks)
                               .alias("front", "head")
                               .result("the oldest element", "empty")
                               .observes_result()
                               .method("size", &Queue::size)
                               .role(Role::counts)
                               .alias("count", "length")
                               .initial_values(listed_values);
  return spec;
}

const Specification& blocking_queue_specification() {
  static const auto spec = describe<Queue>("blocking-queue")
                               .family(Family::queue)
                               .method("enq", &Queue::enq)
                               .role(Role::adds)
                               .arguments("v")
                               .alias("enqueue", "add", "put", "push", "insert")
                               .adds(0)
                               .method("deq", &Queue::take)
                               .role(Role::takes)
                               .alias("dequeue", "take", "remove", "pop")
                               .result("the oldest element")
                               .blocks()
                               .removes_result()
                               .method("try_deq", &Queue::deq)
                               .role(Role::takes)
                               .alias("try_dequeue", "try_take", "try_pop", "poll")
                               .result("the oldest element", "empty")
                               .pure_when(Value::nil())
                               .removes_result()
                               .method("size", &Queue::size)
                               .role(Role::counts)
                               .alias("count", "length")
                               .initial_values(listed_values);
  return spec;
}

}  // namespace plumb
