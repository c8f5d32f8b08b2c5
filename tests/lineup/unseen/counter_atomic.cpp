// SPDX-License-Identifier: MIT
#include "counter.hpp"

long Counter::inc() { return __atomic_fetch_add(&n_, 1, __ATOMIC_SEQ_CST); }
long Counter::get() { return __atomic_load_n(&n_, __ATOMIC_SEQ_CST); }
