// SPDX-License-Identifier: MIT
// What against_test.py runs: queues and references. The variable CASE says which.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <plumb/test.hpp>

#include "ticket_queue.hpp"

namespace {

using plumb::values;

// --- objects ---

struct LockedQueue {
  std::mutex mutex;
  std::condition_variable filled;
  std::deque<int> items;

  void push(int value) {
    const std::lock_guard guard(mutex);
    items.push_back(value);
    filled.notify_one();
  }
  std::optional<int> try_pop() {
    const std::lock_guard guard(mutex);
    return front();
  }
  // Fails while another thread is inside.
  std::optional<int> try_pop_at_once() {
    const std::unique_lock guard(mutex, std::try_to_lock);
    if (!guard) return std::nullopt;
    return front();
  }
  int pop() {
    std::unique_lock guard(mutex);
    filled.wait(guard, [this] { return !items.empty(); });
    return *front();
  }
  int pop_or_throw() {
    const std::lock_guard guard(mutex);
    if (items.empty()) throw std::out_of_range("empty");
    return *front();
  }
  // It is not said which one.
  std::optional<int> pop_any() { return try_pop(); }

 private:
  std::optional<int> front() {
    if (items.empty()) return std::nullopt;
    const int value = items.front();
    items.pop_front();
    return value;
  }
};

// Waits although something is there.
struct SleepyQueue : LockedQueue {
  int pop() {
    std::unique_lock guard(mutex);
    filled.wait(guard);
    const int value = items.front();
    items.pop_front();
    return value;
  }
};

// Two that push at once are counted as one.
struct CountingQueue : LockedQueue {
  std::atomic<int> pushed{0};

  void push(int value) {
    pushed = pushed + 1;
    LockedQueue::push(value);
  }
  int count() const { return pushed; }
};

// Another thread will do it.
struct PostedQueue : LockedQueue {
  std::mutex posting;
  std::vector<std::thread> posts;

  void push(int value) {
    const std::lock_guard guard(posting);
    posts.emplace_back([this, value] { LockedQueue::push(value); });
  }
  ~PostedQueue() {
    for (std::thread& post : posts) post.join();
  }
};

// --- references ---

struct SimpleQueue {
  std::deque<int> items;

  void push(int value) { items.push_back(value); }
  std::optional<int> try_pop() {
    if (items.empty()) return std::nullopt;
    const int value = items.front();
    items.pop_front();
    return value;
  }
  int count() const { return static_cast<int>(items.size()); }
  int pop() {
    if (items.empty()) plumb::block();
    return *try_pop();
  }
  int pop_that_waits() {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock guard(mutex);
    never.wait(guard, [this] { return !items.empty(); });
    return *try_pop();
  }
  int pop_or_throw() {
    if (items.empty()) throw std::out_of_range("there is nothing");
    return *try_pop();
  }
  template <class Number>
  std::optional<int> pop_any() {
    if (items.empty()) return std::nullopt;
    const auto at = plumb::choose(static_cast<Number>(items.size()));
    const int value = items[static_cast<std::size_t>(at)];
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
    return value;
  }
  std::optional<int> pop_that_asserts() {
    assert(!items.empty());
    return try_pop();
  }
};

template <class Queue>
auto object(const char* name) {
  return plumb::describe<Queue>(name).method("push", &Queue::push, values(1, 2));
}

auto reference() { return object<SimpleQueue>("SimpleQueue"); }

}  // namespace

int main(int argc, char** argv) {
  const char* const given = std::getenv("CASE");
  const std::string_view name = given == nullptr ? "" : given;
  const auto run = [&](const auto& queue, const auto& simple) {
    return plumb::test(queue).against(simple).main(argc, argv);
  };
  const auto locked = [](const char* method, auto pop) {
    return object<LockedQueue>("LockedQueue").method(method, pop);
  };
  const auto simple = [](const char* method, auto pop) { return reference().method(method, pop); };
  const auto tried = simple("try_pop", &SimpleQueue::try_pop);
  if (name == "ticket")
    return run(object<TicketQueue>("TicketQueue").method("try_pop", &TicketQueue::try_pop), tried);
  if (name == "right") return run(locked("try_pop", &LockedQueue::try_pop), tried);
  if (name == "at once") return run(locked("try_pop", &LockedQueue::try_pop_at_once), tried);
  if (name == "may fail")
    return run(locked("try_pop", &LockedQueue::try_pop_at_once).may_fail_under_contention(), tried);
  const auto counting = [] { return object<CountingQueue>("CountingQueue"); };
  const auto counted = simple("count", &SimpleQueue::count);
  if (name == "count") return run(counting().method("count", &CountingQueue::count), counted);
  if (name == "weak count")
    return run(counting().method("count", &CountingQueue::count).weak_read(), counted);
  const auto posted = [] { return object<PostedQueue>("PostedQueue"); };
  if (name == "later") return run(posted().method("try_pop", &PostedQueue::try_pop), tried);
  if (name == "asynchronous")
    return run(posted().asynchronous().method("try_pop", &PostedQueue::try_pop), tried);
  // What the methods of a specification return has to be of the same type.
  const auto returning = [&](auto push, auto pop) {
    const auto queue = plumb::describe<LockedQueue>("LockedQueue")
                           .method("push", push, values(1, 2))
                           .method("pop", pop);
    return plumb::test(queue).main(argc, argv);
  };
  const auto pushed = [](LockedQueue& queue, int value) { return (queue.push(value), true); };
  if (name == "push returns a boolean") return returning(pushed, &LockedQueue::try_pop);
  if (name == "pop returns nothing")
    return returning(&LockedQueue::push, [](LockedQueue& queue) { queue.try_pop(); });
  if (name == "results fit")
    return returning([pushed](LockedQueue& queue, int value) { pushed(queue, value); },
                     &LockedQueue::try_pop);
  if (name == "no method") return run(locked("front", &LockedQueue::try_pop), tried);
  if (name == "no values") {
    const auto other = plumb::describe<SimpleQueue>("SimpleQueue")
                           .method("push", &SimpleQueue::push, values(1, 3))
                           .method("try_pop", &SimpleQueue::try_pop);
    return run(locked("try_pop", &LockedQueue::try_pop), other);
  }
  const auto pop = simple("pop", &SimpleQueue::pop);
  if (name == "blocks") return run(locked("pop", &LockedQueue::pop), pop);
  if (name == "waits")
    return run(locked("pop", &LockedQueue::pop), simple("pop", &SimpleQueue::pop_that_waits));
  if (name == "sleepy")
    return run(object<SleepyQueue>("SleepyQueue").method("pop", &SleepyQueue::pop), pop);
  if (name == "throws")
    return run(locked("pop", &LockedQueue::pop_or_throw),
               simple("pop", &SimpleQueue::pop_or_throw));
  if (name == "throws not") return run(locked("pop", &LockedQueue::pop_or_throw), pop);
  if (name == "any int")
    return run(locked("pop", &LockedQueue::pop_any), simple("pop", &SimpleQueue::pop_any<int>));
  if (name == "any size")
    return run(locked("pop", &LockedQueue::pop_any),
               simple("pop", &SimpleQueue::pop_any<std::size_t>));
  if (name == "asserts")
    return run(locked("try_pop", &LockedQueue::try_pop),
               simple("try_pop", &SimpleQueue::pop_that_asserts));
  if (name == "in code") {  // as in a test of GoogleTest
    const plumb::Exploration result =
        plumb::test(object<TicketQueue>("TicketQueue").method("try_pop", &TicketQueue::try_pop))
            .against(tried)
            .options(argc > 1 ? argv[1] : "")
            .run();
    std::fputs(std::string(result.text()).c_str(), stdout);
    return result.status();
  }
  return 70;
}
