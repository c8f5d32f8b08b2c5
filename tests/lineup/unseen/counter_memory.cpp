// SPDX-License-Identifier: MIT
// Loses updates in a single instruction, which reads and then writes.
#include "counter.hpp"

long Counter::inc() {
  asm volatile("incq %0" : "+m"(n_) : : "cc");
  return 0;
}
long Counter::get() { return n_; }
