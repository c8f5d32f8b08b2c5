// SPDX-License-Identifier: MIT
// Memory of which only the written pages are put back between executions: what was allocated before
// the first one, what the C++ library keeps, the stack of who asked for the exploration. There may
// be much of it, and most is never written, so it must cost nothing until then: pages can only be
// read at first, the fault of the first write keeps a copy, and from then on the page is put back
// each time.
//
// A system call that writes there does not fault but fails (EFAULT), if it is the first to write to
// its page: what is hooked says first where it will write.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::runtime {

class Pages {
 public:
  /// All pages are kept at once, without faults: a debugger would stop at each.
  void begin(bool at_once);
  /// From now on the pages from `begin` to `end` (rounded outwards) are put back.
  void watch(std::uintptr_t begin, std::uintptr_t end);
  bool watches(const void* address) const;
  /// For the handler of SIGSEGV: was it the first write to a page? Then it can be tried again.
  bool wrote(const void* address);
  void will_be_written(void* begin, std::size_t bytes);
  void restore() const;

 private:
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kMost = std::size_t{1} << 20;  // pages that are put back
  static constexpr int kRegions = 128;
  struct Region {
    std::byte* begin;
    std::size_t pages;
    std::byte* copies;
    bool* written;  // by page
  };
  struct Written {
    std::byte* page;
    const std::byte* copy;
  };

  bool keep(const Region& region, std::size_t page);

  Region regions_[kRegions]{};
  int region_count_ = 0;
  Written* written_ = nullptr;
  std::size_t written_count_ = 0;
  bool at_once_ = false;
};

}  // namespace plumb::runtime
