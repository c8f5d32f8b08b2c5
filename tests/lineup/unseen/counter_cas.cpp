// SPDX-License-Identifier: MIT
#include "counter.hpp"

long Counter::inc() {
  long n = __atomic_load_n(&n_, __ATOMIC_ACQUIRE);
  while (!__atomic_compare_exchange_n(&n_, &n, n + 1, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {}
  return n;
}
long Counter::get() { return __atomic_load_n(&n_, __ATOMIC_ACQUIRE); }
