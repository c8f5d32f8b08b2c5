// SPDX-License-Identifier: MIT
// Reads by an instruction that cannot be watched.
#include "counter.hpp"

long Counter::inc() { return __atomic_fetch_add(&n_, 1, __ATOMIC_SEQ_CST); }
long Counter::get() {
  const long* from = &n_;
  long n = 0;
  asm volatile("lodsq" : "=a"(n), "+S"(from) : : "memory");
  return n;
}
