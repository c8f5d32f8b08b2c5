// SPDX-License-Identifier: MIT
// Bodies that wait forever or crash. MODE says which.
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>

#include <plumb/explore.hpp>

namespace {

std::mutex a, b, c;
std::shared_mutex table;
std::recursive_mutex again;
std::condition_variable changed;
std::counting_semaphore<4> items{0};
std::once_flag once;
bool ready = false;
std::atomic<int> counter{0};

template <class F, class G>
void both(F f, G g) {
  plumb::parallel(f, g);
}

void lock(std::mutex& first, std::mutex& second) {
  const std::lock_guard outer(first);
  const std::lock_guard inner(second);
}

void wait_forever(const std::string& mode) {
  if (mode == "two") both([] { lock(a, b); }, [] { lock(b, a); });
  if (mode == "three") plumb::parallel([] { lock(a, b); }, [] { lock(b, c); }, [] { lock(c, a); });
  if (mode == "and one more")
    plumb::parallel([] { lock(a, b); }, [] { lock(b, a); }, [] { lock(c, b); });
  if (mode == "itself") lock(a, a);
  if (mode == "itself and another") both([] { lock(a, a); }, [] { const std::lock_guard mine(a); });
  if (mode == "recursive")
    both(
        [] {
          const std::lock_guard once_more(again);
          const std::lock_guard twice(again);
          const std::lock_guard inner(a);
        },
        [] {
          const std::lock_guard outer(a);
          const std::lock_guard inner(again);
        });
  const auto upgrade = [] {
    table.lock_shared();
    table.lock();
    table.unlock();
    table.unlock_shared();
  };
  if (mode == "upgrade") both(upgrade, upgrade);
  if (mode == "reader")
    both(
        [] {
          const std::shared_lock reads(table);
          const std::lock_guard inner(a);
        },
        [] {
          const std::lock_guard outer(a);
          const std::lock_guard writes(table);
        });
  if (mode == "notification") {
    both(
        [] {
          std::unique_lock mine(a);
          if (!ready) changed.wait(mine);
        },
        [] { changed.notify_one(); });
  }
  if (mode == "semaphore") items.acquire();
  if (mode == "join") {
    std::thread other([] { const std::lock_guard mine(a); });
    const std::lock_guard mine(a);
    other.join();
  }
  if (mode == "forgotten") {
    std::thread([] { a.lock(); }).join();
    a.lock();
  }
  if (mode == "once")
    both([] { std::call_once(once, [] { const std::lock_guard inner(a); }); },
         [] {
           const std::lock_guard outer(a);
           std::call_once(once, [] {});
         });
  if (mode == "spins") {
    std::thread other([] {
      const std::lock_guard mine(a);
      while (counter == 0) {}
    });
    { const std::lock_guard mine(a); }
    other.join();
  }
}

}  // namespace

volatile std::size_t kept;

struct Queue {
  int* first = nullptr;
  [[gnu::noinline]] int pop() {
    counter = 1;
    return *first;
  }
  [[gnu::noinline]] std::size_t length() { return std::strlen(reinterpret_cast<char*>(first)) + 1; }
};

int (*volatile nothing)() = nullptr;
[[gnu::noinline]] int call_nothing() { return nothing() + 1; }
[[gnu::noinline]] int use(const int* freed) { return *freed; }

void crash(const std::string& mode) {
  Queue queue;
  if (mode == "null") kept = queue.pop();
  if (mode == "c library") kept = queue.length();
  if (mode == "call") kept = call_nothing();
  if (mode == "lambda") [&queue] { *queue.first = 1; }();
  if (mode == "freed") {
    auto number = std::make_unique<int>(1);
    const int* const freed = number.get();
    number.reset();
    kept = use(freed);
  }
  if (mode == "hangs")
    for (volatile int i = 0;;) (void)i;
}

int main(int argc, char** argv) {
  const char* const mode = std::getenv("MODE");
  return plumb::explore_main(argc, argv, [mode] {
    counter = 0;
    wait_forever(mode == nullptr ? "" : mode);
    crash(mode == nullptr ? "" : mode);
  });
}
