// SPDX-License-Identifier: MIT
// Memory that the program maps itself (arenas, registries of threads): in an execution from a place
// of ours, so that addresses repeat and nothing is left for the next one; what it mapped before is
// watched as the rest (pages.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/memory/pages.hpp"

namespace plumb::runtime {

class Mappings {
 public:
  /// In an execution. Null: there is no more room.
  void* map(std::size_t bytes, int protection);
  /// Of what map() gave; false: it is something else.
  bool unmap(void* begin, std::size_t bytes);
  void reset();

  /// Before the first execution.
  void add_prior(void* begin, std::size_t bytes);
  void remove_prior(const void* begin);
  void watch_prior(Pages& pages) const;

 private:
  static constexpr std::uintptr_t kBegin = 0x7c0000000000;
  static constexpr std::size_t kBytes = std::size_t{1} << 36;
  static constexpr std::size_t kPage = 4096;
  static constexpr int kMostPrior = 64;
  struct Range {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
  };

  bool is_reserved_ = false;
  std::size_t used_ = 0;
  Range prior_[kMostPrior];
  int prior_count_ = 0;
};

}  // namespace plumb::runtime
