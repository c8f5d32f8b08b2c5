// SPDX-License-Identifier: MIT
// Reads the processor's clock and its random numbers, and does nothing with them that matters.
#include "counter.hpp"

#include <x86intrin.h>

__attribute__((target("rdrnd"))) long Counter::inc() {
  unsigned long long drawn = 0;
  __builtin_ia32_rdrand64_step(&drawn);
  const bool is_odd = ((__rdtsc() ^ drawn) & 1) != 0;
  return __atomic_fetch_add(&n_, is_odd ? 1 : 1, __ATOMIC_SEQ_CST);
}
long Counter::get() { return __atomic_load_n(&n_, __ATOMIC_SEQ_CST); }
