// SPDX-License-Identifier: MIT
// A lock that is taken by an exchange and given back by a plain store.
#include "counter.hpp"

namespace {

int taken = 0;

struct Lock {
  Lock() {
    while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE) != 0) __builtin_ia32_pause();
  }
  ~Lock() { __atomic_store_n(&taken, 0, __ATOMIC_RELEASE); }
};

}  // namespace

long Counter::inc() {
  const Lock lock;
  return n_++;
}
long Counter::get() {
  const Lock lock;
  return n_;
}
