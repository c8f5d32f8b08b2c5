// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "runtime/memory/access_log.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/memory/mappings.hpp"
#include "runtime/memory/model.hpp"
#include "runtime/memory/pages.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/wire/options.hpp"

namespace plumb::runtime {

/// The system's heap when the search began: what the program allocated before it. It is not put
/// back between executions, so a write there is worth a remark.
struct PriorHeap {
  std::uintptr_t begin = 0, end = 0;
  bool written = false;

  void note_write(const void* address) {
    if (reinterpret_cast<std::uintptr_t>(address) - begin < end - begin) written = true;
  }
};

/// All memory of the program under test.
struct Memory {
  Heap heap;
  Model model;
  Snapshot snapshot;
  Pages pages;
  Mappings mappings;
  PriorHeap prior_heap;
  AccessLog log;               // for comparisons with other checkers (Options::compare)
  std::uint64_t accesses = 0;  // of the program, over all executions

  /// As it was before the first execution.
  void reset(const Options& options) {
    snapshot.restore_globals();
    pages.restore();
    heap.reset(options.reuse);
    mappings.reset();
    model.reset(options.races);
    if (options.compare) log.reset();
  }
};

}  // namespace plumb::runtime
