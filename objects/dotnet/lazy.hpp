// SPDX-License-Identifier: MIT
// Lazy<T> of .NET 4.0: a value that is made at its first use, and only once.
//
// Double-checked locking; what is read without the lock is a pointer to a finished value.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), Table 1.
//
// Verdict: linearizable.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

namespace plumb::objects {

class Lazy {
 public:
  /// The value is the number of values made.
  Lazy() : Lazy([made = 0]() mutable { return ++made; }) {}
  explicit Lazy(std::function<int()> make) : make_(std::move(make)) {}
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;
  ~Lazy() { delete value_.load(); }

  int value() {
    if (const int* made = value_.load()) return *made;
    const std::lock_guard lock(mutex_);
    if (value_.load() == nullptr) value_ = new int(make_());
    return *value_.load();
  }

  bool is_value_created() const { return value_.load() != nullptr; }

  std::string to_string() {
    return is_value_created() ? std::to_string(value()) : "value is not created";
  }

 private:
  const std::function<int()> make_;
  std::mutex mutex_;
  std::atomic<const int*> value_{nullptr};
};

}  // namespace plumb::objects
