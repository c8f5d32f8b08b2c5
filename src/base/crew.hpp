// SPDX-License-Identifier: MIT
// Threads that do a list of things together, over and over.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace plumb {

class Crew {
 public:
  /// The threads start when there is work for them: small tasks never need them.
  explicit Crew(unsigned size) : size_(size) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      work_ = nullptr;
      ++round_;
    }
    begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  unsigned size() const { return size_; }

  /// Calls work(worker, item) for every item below `items`, each once, in any order, and returns
  /// when all are done; `together`: with all threads. The first exception is thrown again here.
  void each(std::size_t items, bool together,
            const std::function<void(unsigned, std::size_t)>& work) {
    if (!together || items < 2 || size_ < 2) {
      for (std::size_t item = 0; item < items; ++item) work(0, item);
      return;
    }
    start();
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
      items_ = items;
      next_ = 0;
      busy_ = threads_.size();
      ++round_;
    }
    begin_.notify_all();
    take_items(0, work);
    std::unique_lock lock(mutex_);
    end_.wait(lock, [this] { return busy_ == 0; });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  /// Once. Where the system refuses to start so many, fewer do the same.
  void start() {
    if (std::exchange(started_, true)) return;
    try {
      for (unsigned worker = 1; worker < size_; ++worker)
        threads_.emplace_back([this, worker] { wait_for_work(worker); });
    } catch (const std::system_error&) {}
  }
  void take_items(unsigned worker, const std::function<void(unsigned, std::size_t)>& work) {
    try {
      for (std::size_t item; (item = next_.fetch_add(1)) < items_;) work(worker, item);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = items_;
    }
  }
  void wait_for_work(unsigned worker) {
    for (std::size_t seen = 0;;) {
      const std::function<void(unsigned, std::size_t)>* work;
      {
        std::unique_lock lock(mutex_);
        begin_.wait(lock, [&] { return round_ != seen; });
        seen = round_;
        work = work_;
      }
      if (!work) return;
      take_items(worker, *work);
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) end_.notify_one();
    }
  }

  unsigned size_;
  bool started_ = false;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begin_, end_;
  const std::function<void(unsigned, std::size_t)>* work_ = nullptr;
  std::size_t items_ = 0, busy_ = 0, round_ = 0;
  std::atomic<std::size_t> next_{0};
  std::exception_ptr failure_;
};

}  // namespace plumb
