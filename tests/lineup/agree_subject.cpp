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
  Wait wait = Wait::spin;
  std::mutex mutex;
  std::condition_variable condition;

  // Who waits is told.
  template <class F>
  void write(F f) {
    if (wait == Wait::condition) {
      const std::lock_guard lock(mutex);
      f();
      condition.notify_all();
    } else {
      f();
      if (wait == Wait::atomic) v.notify_all();
    }
  }

  void await() {
    switch (wait) {
      case Wait::spin:
        while (v.load() == 0) {}
        break;
      case Wait::yield:
        while (v.load() == 0) std::this_thread::yield();
        break;
      case Wait::condition: {
        std::unique_lock lock(mutex);
        condition.wait(lock, [&] { return v.load() != 0; });
        break;
      }
      case Wait::atomic: v.wait(0); break;
    }
  }

  void take() {
    if (wait == Wait::condition) {
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
    if (wait == Wait::atomic) v.notify_all();
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
        case Do::load: x = v.load(); break;
        case Do::sum: x += v.load(); break;
        case Do::store: variable.write([&] { v.store(x + c); }); break;
        case Do::add: variable.write([&] { v.fetch_add(c); }); break;
        case Do::fetch_add: variable.write([&] { x = v.fetch_add(c); }); break;
        case Do::exchange: variable.write([&] { x = v.exchange(c); }); break;
        case Do::compare:
          variable.write([&] { x = v.compare_exchange_strong(x, c) ? 1 : 0; });
          break;
        case Do::await: variable.await(); break;
        case Do::take:
          variable.take();
          x = c;
          break;
        case Do::throws:
          if (x % 2 == 0) break;
          if (c == 0) throw x;
          if (c == 1) throw std::out_of_range("odd");
          throw std::runtime_error("odd");
        case Do::returns:
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
      case Gives::number: add(description, name, method, [](int x) { return x; }); break;
      case Gives::nothing: add(description, name, method, [](int) {}); break;
      case Gives::optional:
        add(description, name, method,
            [](int x) { return x == 0 ? std::nullopt : std::optional(x); });
        break;
      case Gives::text:
        add(description, name, method, [](int x) { return "number " + std::to_string(x); });
        break;
      case Gives::pair:
        add(description, name, method, [](int x) { return std::pair(x / 2, x % 2 != 0); });
        break;
    }
  }
  return plumb::test(description).main(argc, argv);
}
