// SPDX-License-Identifier: MIT
// Accesses of sixteen bytes, and by string instructions, under a lock of one bit.
#include "counter.hpp"

#include <emmintrin.h>

namespace {

int taken = 0;
alignas(16) long numbers[16];
long copies[16];

}  // namespace

long Counter::inc() {
  bool was_set = true;
  while (was_set) {
    asm volatile("lock btsl $0, %1\n\tsetc %0" : "=q"(was_set), "+m"(taken) : : "cc", "memory");
    if (was_set) __builtin_ia32_pause();
  }
  const __m128i seen = _mm_load_si128(reinterpret_cast<const __m128i*>(numbers));
  _mm_store_si128(reinterpret_cast<__m128i*>(numbers), _mm_add_epi64(seen, _mm_set_epi64x(0, 1)));
  const void* from = numbers;
  void* to = copies;
  unsigned long words = 16;
  asm volatile("rep movsq" : "+S"(from), "+D"(to), "+c"(words) : : "memory");
  const long n = copies[0] - 1;
  __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
  return n;
}
long Counter::get() { return __atomic_load_n(&numbers[0], __ATOMIC_ACQUIRE); }
