// SPDX-License-Identifier: MIT
// Native code for a model, compiled in a thread of its own while the interpreter searches.
#pragma once

#include <atomic>
#include <system_error>
#include <thread>

#include "base/clock.hpp"
#include "model/native/native.hpp"

namespace plumb::refine {

class Compiling {
 public:
  explicit Compiling(const model::Program& program) : program_(program) {}
  Compiling(const Compiling&) = delete;
  Compiling& operator=(const Compiling&) = delete;
  ~Compiling() {
    cancel_ = true;
    wait();
  }

  void start() {
    try {
      thread_ = std::thread([this, start = Clock::now()] {
        function_ = native::compile(program_, &cancel_);
        seconds_ = since(start);
        done_.store(true, std::memory_order_release);
      });
    } catch (const std::system_error&) {}  // there may be no more threads: it is never done
  }
  void wait() {
    if (thread_.joinable()) thread_.join();
  }
  /// True once: when it is done.
  bool take() { return done_.load(std::memory_order_acquire) && !std::exchange(taken_, true); }
  /// Requires: it is done. Null: the model cannot be compiled here.
  native::StepsFunction function() const { return function_; }
  double seconds() const { return seconds_; }

 private:
  const model::Program& program_;
  std::thread thread_;
  std::atomic<bool> cancel_{false}, done_{false};
  bool taken_ = false;
  native::StepsFunction function_ = nullptr;
  double seconds_ = 0;
};

}  // namespace plumb::refine
