// SPDX-License-Identifier: MIT
#include "lineup/test_crew.hpp"

#include <chrono>
#include <system_error>
#include <utility>

namespace plumb::lineup {

TestCrew::TestCrew(Runners& runners) : runners_(runners) {
  const std::lock_guard lock(mutex_);
  try {
    for (unsigned number = 0; number < runners.count(); ++number) {
      threads_.emplace_back([this, number] { work(number); });
      ++alive_;
    }
  } catch (const std::system_error&) {}
}

TestCrew::~TestCrew() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// Not so far ahead that many results wait to be taken.
bool TestCrew::has_work() const {
  return job_ != nullptr && next_ < items_ && next_ < taken_ + 64 + 4 * threads_.size();
}

void TestCrew::work(unsigned number) {
  Runner* const runner = runners_.make(number);
  std::unique_lock lock(mutex_);
  while (runner != nullptr) {
    begin_.wait(lock, [this] { return is_over_ || has_work(); });
    if (is_over_) break;
    const std::size_t item = next_++;
    ++busy_;
    lock.unlock();
    runners_.begin_work();
    std::exception_ptr failure;
    try {
      (*job_)(item, *runner);
    } catch (...) { failure = std::current_exception(); }
    runners_.end_work();
    lock.lock();
    if (failure && !failure_) failure_ = std::move(failure);
    done_[item] = true;
    --busy_;
    end_.notify_one();
  }
  --alive_;
  end_.notify_one();
}

// Who waits says so, often.
std::size_t TestCrew::run(std::size_t items, const Job& job, const Take& take) {
  constexpr std::chrono::milliseconds kOften(50);
  std::unique_lock lock(mutex_);
  items_ = items;
  next_ = taken_ = 0;
  done_.assign(items, false);
  job_ = &job;
  begin_.notify_all();
  bool more = true;
  while (more && taken_ < items && !failure_) {
    if (!done_[taken_]) {
      if (alive_ == 0) break;
      end_.wait_for(lock, kOften);
      lock.unlock();
      runners_.wait();
      lock.lock();
      continue;
    }
    const std::size_t item = taken_++;
    lock.unlock();
    begin_.notify_one();
    more = take(item);
    lock.lock();
  }
  const std::size_t taken = taken_;
  if (taken < items) runners_.stop();
  next_ = items_;
  end_.wait(lock, [this] { return busy_ == 0; });
  job_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return taken;
}

}  // namespace plumb::lineup
