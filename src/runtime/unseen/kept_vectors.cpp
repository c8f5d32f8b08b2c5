// SPDX-License-Identifier: MIT
#include "runtime/unseen/kept_vectors.hpp"

#include <cpuid.h>

namespace plumb::runtime {
namespace {

std::uint32_t which = 0;

}  // namespace

bool KeptVectors::are_known() {
  if (which != 0) return true;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return false;
  asm volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
  constexpr unsigned kVectors = 0xe7;  // x87, SSE, AVX, AVX-512
  which = a & kVectors;
  return true;
}

// The header must be zero; of the rest nothing is read that was not written.
KeptVectors::KeptVectors() {
  constexpr std::size_t kHeader = 512, kHeaderBytes = 64;
  for (std::size_t i = 0; i < kHeaderBytes; ++i) kept_[kHeader + i] = std::byte{};
  asm volatile("xsave (%0)" : : "r"(kept_), "a"(which), "d"(0) : "memory");
}

KeptVectors::~KeptVectors() {
  asm volatile("xrstor (%0)" : : "r"(kept_), "a"(which), "d"(0) : "memory");
}

}  // namespace plumb::runtime
