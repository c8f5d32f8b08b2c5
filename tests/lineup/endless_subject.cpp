// SPDX-License-Identifier: MIT
// What endless_test.py runs: an operation that, if another one interrupts it, never ends, in one of
// many ways. The variable ENDLESS says in which.
#include <plumb/test.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

class Subject {
 public:
  void inc() {
    int now = count_.load();
    if (!count_.compare_exchange_strong(now, now + 1)) never_ends(std::getenv("ENDLESS"));
  }
  int get() { return count_.load(); }

 private:
  void never_ends(std::string_view how) {
    if (how == "adds")
      for (;;) bad_.fetch_add(1);
    if (how == "stores numbers")
      for (int i = 0;; ++i) bad_.store(i);
    if (how == "stores the same")
      for (;;) bad_.store(1);
    if (how == "exchanges")
      for (;;) bad_.exchange(1 - bad_.load());
    if (how == "flips")
      for (;;) flag_ = !flag_;
    if (how == "fails to exchange")
      for (int wrong = -1; !bad_.compare_exchange_strong(wrong, 0); wrong = -1) {}
    if (how == "succeeds to exchange")
      for (;;) {
        int now = bad_;
        bad_.compare_exchange_strong(now, now + 1);
      }
    if (how == "only reads")
      while (bad_.load() == 0) {}
    if (how == "reads two")
      while (bad_.load() == 0 || flag_.load()) {}
    if (how == "reads and counts")
      for (int reads = 0; bad_.load() == 0; ++reads)
        if (reads == 1 << 30) reads = 0;
    if (how == "allocates")
      for (;;) delete new int(bad_.load());
    if (how == "keeps all")
      for (;;) kept_.push_back(std::make_unique<int>(bad_.fetch_add(1)));
    if (how == "yields")
      for (;;) std::this_thread::yield();
    if (how == "yields and adds")
      for (;;) {
        bad_.fetch_add(1);
        std::this_thread::yield();
      }
    if (how == "sleeps")
      for (;;) std::this_thread::sleep_for(1ms);
    if (how == "sleeps and adds")
      for (;;) {
        bad_.fetch_add(1);
        std::this_thread::sleep_for(1ms);
      }
    if (how == "locks")
      for (;;) {
        const std::lock_guard lock(mutex_);
        ++guarded_;
      }
    if (how == "only locks")
      for (;;) { const std::lock_guard lock(mutex_); }
    if (how == "tries to lock") {
      mutex_.lock();
      std::unique_lock lock(other_);
      while (!mutex_.try_lock()) {
        lock.unlock();
        lock.lock();
      }
    }
    if (how == "waits with a limit") {
      std::unique_lock lock(mutex_);
      while (signal_.wait_for(lock, 1ms) == std::cv_status::timeout) ++guarded_;
    }
    if (how == "calls each other") ping(0);
    if (how == "throws and catches")
      for (;;) {
        try {
          throw std::runtime_error(bad_++ == 0 ? "first" : "again");
        } catch (const std::exception&) {}
      }
    if (how == "makes threads")
      for (;;) std::thread([this] { ++bad_; }).join();
    if (how == "plain")
      for (;;) guarded_ = guarded_ + 1;
  }
  void ping(int depth) {
    for (;;) pong(depth + static_cast<int>(bad_.fetch_add(1) & 1));
  }
  void pong(int depth) { bad_.fetch_add(depth); }

  std::atomic<int> count_{0}, bad_{0};
  std::atomic<bool> flag_{false};
  std::mutex mutex_, other_;
  std::condition_variable signal_;
  volatile int guarded_ = 0;
  std::vector<std::unique_ptr<int>> kept_;
};

}  // namespace

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .method("inc", &Subject::inc)
                         .method("get", &Subject::get))
      .main(argc, argv);
}
