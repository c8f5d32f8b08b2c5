// SPDX-License-Identifier: MIT
// Inline assembly in instrumented code.
//   -DLOCKED: a counter with `lock xadd`
//   -DRING:   a ring for one producer and one consumer, with indices in plain instructions;
//             -DWRONG publishes before it writes
#include <optional>

#include <plumb/test.hpp>

#ifdef LOCKED
class Subject {
 public:
  long inc() {
    long one = 1;
    asm volatile("lock xaddq %0, %1" : "+r"(one), "+m"(n_) : : "memory", "cc");
    return one;
  }
  long get() { return __atomic_load_n(&n_, __ATOMIC_SEQ_CST); }

 private:
  long n_ = 0;
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Counter")
                         .method("inc", &Subject::inc)
                         .method("get", &Subject::get))
      .main(argc, argv);
}
#else
namespace {

long load(const long* from) {
  long value = 0;
  asm volatile("movq %1, %0" : "=r"(value) : "m"(*from) : "memory");
  return value;
}
void store(long* to, long value) {
  asm volatile("movq %1, %0" : "=m"(*to) : "r"(value) : "memory");
}

}  // namespace

class Subject {
 public:
  bool push(int value) {
    const long tail = load(&tail_);
    if (tail - load(&head_) == 4) return false;
#ifdef WRONG
    store(&tail_, tail + 1);
    slots_[tail % 4] = value;
#else
    slots_[tail % 4] = value;
    store(&tail_, tail + 1);
#endif
    return true;
  }
  std::optional<int> pop() {
    const long head = load(&head_);
    if (head == load(&tail_)) return std::nullopt;
    const int value = slots_[head % 4];
    store(&head_, head + 1);
    return value;
  }

 private:
  long head_ = 0, tail_ = 0;
  int slots_[4] = {};
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Ring")
                         .method("push", &Subject::push, plumb::values(1, 2))
                         .only_on(0)
                         .method("pop", &Subject::pop)
                         .only_on(1))
      .main(argc, argv);
}
#endif
