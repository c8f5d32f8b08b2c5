// SPDX-License-Identifier: MIT
#include "runtime/base/own_text.hpp"

#include <link.h>

#include <cstdint>
#include <string_view>

namespace plumb::runtime {
namespace {

struct Range {
  std::uintptr_t begin = 0, end = 0;
  bool contains(const void* pc) const {
    return reinterpret_cast<std::uintptr_t>(pc) - begin < end - begin;
  }
};
Range own;
constexpr int kMost = 8;
Range c_library[kMost];
int c_library_count = 0;

bool is_c_library(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  for (const std::string_view begin :
       {"libc.so", "ld-linux", "libgcc_s.so", "libpthread.so", "libdl.so"}) {
    if (name.starts_with(begin)) return true;
  }
  return false;
}

int find(dl_phdr_info* info, std::size_t, void*) {
  const bool c = info->dlpi_name != nullptr && is_c_library(info->dlpi_name);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    const Range range{begin, begin + segment.p_memsz};
    if (range.contains(reinterpret_cast<const void*>(&in_own_text))) own = range;
    if (c && c_library_count < kMost) c_library[c_library_count++] = range;
  }
  return 0;
}

__attribute__((constructor)) void find_text() { dl_iterate_phdr(&find, nullptr); }

}  // namespace

bool in_own_text(const void* pc) { return own.contains(pc); }

bool in_c_library(const void* pc) {
  if (c_library_count == 0) return true;
  for (int i = 0; i < c_library_count; ++i) {
    if (c_library[i].contains(pc)) return true;
  }
  return false;
}

}  // namespace plumb::runtime
