// SPDX-License-Identifier: MIT
// The class of seed AGREE_SEED, as real code.
#include <plumb/test.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "step_lists.hpp"

namespace {

using plumb::agree::Action;
using plumb::agree::Class;
using plumb::agree::Do;
using plumb::agree::Gives;
using plumb::agree::Method;
using plumb::agree::Wait;

struct Variable {
  std::atomic<int> v{0};
  Wait wait = Wait::kSpin;
  std::mutex mutex;
  std::condition_variable condition;

  // Who waits is told.
  template <class F>
  void write(F f) {
    if (wait == Wait::kCondition) {
      const std::lock_guard lock(mutex);
      f();
      condition.notify_all();
    } else {
      f();
      if (wait == Wait::kAtomic) v.notify_all();
    }
  }

  void await() {
    switch (wait) {
      case Wait::kSpin:
        while (v.load() == 0) {}
        break;
      case Wait::kYield:
        while (v.load() == 0) std::this_thread::yield();
        break;
      case Wait::kCondition: {
        std::unique_lock lock(mutex);
        condition.wait(lock, [&] { return v.load() != 0; });
        break;
      }
      case Wait::kAtomic: v.wait(0); break;
    }
  }

  void take() {
    if (wait == Wait::kCondition) {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return v.load() != 0; });
      v.store(0);
      condition.notify_all();
      return;
    }
    for (;;) {
      int seen = v.load();
      if (seen == 0) await();
      else if (v.compare_exchange_strong(seen, 0)) break;
    }
    if (wait == Wait::kAtomic) v.notify_all();
  }
};

class Subject {
 public:
  explicit Subject(const Class& type) {
    for (std::size_t i = 0; i < type.initial.size(); ++i) {
      variables_[i].v.store(type.initial[i]);
      variables_[i].wait = type.wait[i];
    }
  }

  int run(const Method& method, int x) {
    if (!method.locks) return run_unlocked(method, x);
    const std::lock_guard lock(mutex_);
    return run_unlocked(method, x);
  }

 private:
  int run_unlocked(const Method& method, int x) {
    for (const Action& action : method.actions) {
      Variable& variable = variables_[static_cast<std::size_t>(action.variable)];
      std::atomic<int>& v = variable.v;
      const int c = action.c;
      switch (action.what) {
        case Do::kLoad: x = v.load(); break;
        case Do::kSum: x += v.load(); break;
        case Do::kStore: variable.write([&] { v.store(x + c); }); break;
        case Do::kAdd: variable.write([&] { v.fetch_add(c); }); break;
        case Do::kFetchAdd: variable.write([&] { x = v.fetch_add(c); }); break;
        case Do::kExchange: variable.write([&] { x = v.exchange(c); }); break;
        case Do::kCompare:
          variable.write([&] { x = v.compare_exchange_strong(x, c) ? 1 : 0; });
          break;
        case Do::kAwait: variable.await(); break;
        case Do::kTake:
          variable.take();
          x = c;
          break;
        case Do::kThrow:
          if (x % 2 == 0) break;
          if (c == 0) throw x;
          if (c == 1) throw std::out_of_range("odd");
          throw std::runtime_error("odd");
        case Do::kReturn:
          if (x % 2 == 0) return x;
          break;
      }
    }
    return x;
  }

  std::mutex mutex_;
  Variable variables_[3];
};

template <class F>
void add(plumb::Description<Subject>& description, const std::string& name, const Method& method,
         F result) {
  if (method.has_argument) {
    description.method(
        name, [&method, result](Subject& s, int x) { return result(s.run(method, x)); },
        plumb::values(1, 2));
  } else {
    description.method(name, [&method, result](Subject& s) { return result(s.run(method, 0)); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* const seed = std::getenv("AGREE_SEED");
  static const Class type =
      plumb::agree::random_class(std::strtoull(seed == nullptr ? "1" : seed, nullptr, 10));
  auto description = plumb::describe<Subject>("Subject");
  description.made_by([] { return new Subject(type); });
  for (std::size_t i = 0; i < type.methods.size(); ++i) {
    const Method& method = type.methods[i];
    const std::string name = plumb::agree::method_name(i);
    switch (method.gives) {
      case Gives::kNumber: add(description, name, method, [](int x) { return x; }); break;
      case Gives::kNothing: add(description, name, method, [](int) {}); break;
      case Gives::kOptional:
        add(description, name, method,
            [](int x) { return x == 0 ? std::nullopt : std::optional(x); });
        break;
      case Gives::kText:
        add(description, name, method, [](int x) { return "number " + std::to_string(x); });
        break;
      case Gives::kPair:
        add(description, name, method, [](int x) { return std::pair(x / 2, x % 2 != 0); });
        break;
    }
  }
  return plumb::test(description).main(argc, argv);
}
