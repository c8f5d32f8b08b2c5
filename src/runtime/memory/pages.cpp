// SPDX-License-Identifier: MIT
#include "runtime/memory/pages.hpp"

#include <sys/mman.h>

#include "runtime/base/bytes.hpp"
#include "runtime/memory/map_lazily.hpp"

namespace plumb::runtime {
void Pages::begin(bool at_once) {
  at_once_ = at_once;
  if (written_ == nullptr) written_ = static_cast<Written*>(map_lazily(kMost * sizeof(Written)));
}

void Pages::watch(std::uintptr_t begin, std::uintptr_t end) {
  begin = begin / kPage * kPage;
  end = (end + kPage - 1) / kPage * kPage;
  if (begin >= end || written_ == nullptr || region_count_ == kRegions) return;
  const std::size_t bytes = end - begin;
  void* const copies = map_lazily(bytes);
  void* const written = map_lazily(bytes / kPage);
  if (copies == nullptr || written == nullptr) return;
  Region& region = regions_[region_count_++];
  region = {reinterpret_cast<std::byte*>(begin), bytes / kPage, static_cast<std::byte*>(copies),
            static_cast<bool*>(written)};
  if (!at_once_ && mprotect(region.begin, bytes, PROT_READ) == 0) return;
  for (std::size_t page = 0; page < region.pages; ++page) keep(region, page);
}

bool Pages::watches(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  for (int i = 0; i < region_count_; ++i) {
    if (static_cast<std::size_t>(at - regions_[i].begin) < regions_[i].pages * kPage) return true;
  }
  return false;
}

bool Pages::keep(const Region& region, std::size_t page) {
  if (region.written[page] || written_count_ == kMost) return false;
  std::byte* const from = region.begin + page * kPage;
  std::byte* const copy = region.copies + page * kPage;
  copy_bytes(copy, from, kPage);
  region.written[page] = true;
  written_[written_count_++] = {from, copy};
  return true;
}

bool Pages::wrote(const void* address) {
  for (int i = 0; i < region_count_; ++i) {
    const Region& region = regions_[i];
    const auto offset =
        static_cast<std::size_t>(static_cast<const std::byte*>(address) - region.begin);
    const std::size_t page = offset / kPage;
    if (page >= region.pages) continue;
    if (!keep(region, page)) return false;
    if (mprotect(region.begin + page * kPage, kPage, PROT_READ | PROT_WRITE) == 0) return true;
    // The kernel keeps no more than some ten thousand pieces apart: then all of it at once.
    for (std::size_t other = 0; other < region.pages; ++other) keep(region, other);
    return mprotect(region.begin, region.pages * kPage, PROT_READ | PROT_WRITE) == 0;
  }
  return false;
}

void Pages::will_be_written(void* begin, std::size_t bytes) {
  const auto* const first = static_cast<std::byte*>(begin);
  for (std::size_t at = 0; at < bytes; at += kPage) wrote(first + at);
  if (bytes > 0) wrote(first + bytes - 1);
}

void Pages::restore() const {
  for (std::size_t i = 0; i < written_count_; ++i)
    copy_bytes(written_[i].page, written_[i].copy, kPage);
}

}  // namespace plumb::runtime
