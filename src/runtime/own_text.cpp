// SPDX-License-Identifier: MIT
#include "runtime/own_text.hpp"

#include <link.h>

#include <cstdint>

namespace plumb::runtime {
namespace {

struct {
  std::uintptr_t begin = 0, end = 0;
} text;

int find(dl_phdr_info* info, std::size_t, void*) {
  const auto here = reinterpret_cast<std::uintptr_t>(&in_own_text);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || here - begin >= segment.p_memsz) continue;
    text = {begin, begin + segment.p_memsz};
    return 1;
  }
  return 0;
}

__attribute__((constructor)) void find_text() { dl_iterate_phdr(&find, nullptr); }

}  // namespace

bool in_own_text(const void* pc) {
  return reinterpret_cast<std::uintptr_t>(pc) - text.begin < text.end - text.begin;
}

}  // namespace plumb::runtime
