// SPDX-License-Identifier: MIT
// Global variables, function-local statics and thread-locals as they were before the first
// execution, to be put back before each: code that keeps anything between executions would
// otherwise not do twice the same. Covered: the program, its libraries (of the C++ library:
// streams, locales, exceptions in flight), and the environment. Not covered: the C library, so what
// a program leaves there (a stream's buffer, the locale) stays.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

#include "runtime/memory/pages.hpp"

namespace plumb::runtime {

class Snapshot {
 public:
  /// To be called on the thread that runs the executions. What is large, and rarely written, is
  /// left to `pages`.
  void take(Pages& pages);
  void restore_globals() const;
  void restore_thread_locals(std::uint64_t fs) const;
  bool covers(const void* global) const;  // is it put back?
  std::size_t global_bytes() const { return global_bytes_; }

 private:
  struct Region {
    std::byte* begin;
    std::size_t bytes;
    std::byte* copy;
  };
  struct ThreadLocals {
    std::ptrdiff_t offset;  // from FS
    std::size_t bytes;
    std::byte* image;
  };
  static constexpr int kMost = 64;

  static int visit(dl_phdr_info* info, std::size_t size, void* self);
  void add_region(std::uintptr_t begin, std::uintptr_t end);

  Region regions_[kMost]{};
  ThreadLocals thread_locals_[kMost]{};
  int region_count_ = 0;
  int thread_local_count_ = 0;
  std::size_t global_bytes_ = 0;
  char** environment_ = nullptr;
  Pages* pages_ = nullptr;
};

}  // namespace plumb::runtime
