// SPDX-License-Identifier: MIT
// A race detector reports what is plain, and neither what is atomic nor what a lock orders. As in
// the paper the race does no harm: everybody writes the same.
//! "set_plain | set_plain", preemptions 2 --ignore race: race
//! "set_atomic | set_atomic", preemptions 2 --ignore race: quiet
//! "set_locked | set_locked", preemptions 2: quiet
//! "set_plain | set_plain", preemptions 2: finding
#include <atomic>
#include <mutex>
#include <plumb/test.hpp>

class Flags {
 public:
  void set_plain() { plain_ = true; }
  void set_atomic() { atomic_ = true; }
  void set_locked() {
    const std::lock_guard lock(mutex_);
    locked_ = true;
  }

 private:
  bool plain_ = false, locked_ = false;
  std::atomic<bool> atomic_{false};
  std::mutex mutex_;
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Flags>("Flags")
                         .method("set_plain", &Flags::set_plain)
                         .method("set_atomic", &Flags::set_atomic)
                         .method("set_locked", &Flags::set_locked))
      .main(argc, argv);
}
