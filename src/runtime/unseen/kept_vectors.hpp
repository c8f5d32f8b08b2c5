// SPDX-License-Identifier: MIT
// The vector registers of a thread that a stub has stopped, while others may run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::runtime {

class KeptVectors {
 public:
  /// Whether the processor can keep them.
  static bool are_known();

  KeptVectors();
  ~KeptVectors();
  KeptVectors(const KeptVectors&) = delete;
  KeptVectors& operator=(const KeptVectors&) = delete;

 private:
  // What few programs may use (AMX, eight kilobytes) is left out; the rest fits.
  static constexpr std::size_t kMostBytes = 4096;
  alignas(64) std::byte kept_[kMostBytes];
};

}  // namespace plumb::runtime
