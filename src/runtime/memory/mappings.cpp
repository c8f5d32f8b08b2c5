// SPDX-License-Identifier: MIT
#include "runtime/memory/mappings.hpp"

#include <sys/mman.h>

namespace plumb::runtime {
namespace {

constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

void* Mappings::map(std::size_t bytes, int protection) {
  void* const all = reinterpret_cast<void*>(kBegin);
  if (!is_reserved_ && mmap(all, kBytes, PROT_NONE, kFlags | MAP_FIXED_NOREPLACE, -1, 0) != all)
    return nullptr;
  is_reserved_ = true;
  if (bytes == 0 || bytes > kBytes - used_) return nullptr;
  auto* const begin = reinterpret_cast<void*>(kBegin + used_);
  if (mprotect(begin, bytes, protection) != 0) return nullptr;
  // A page between two of them, so that what runs past the end of one is noticed.
  used_ += (bytes + kPage - 1) / kPage * kPage + kPage;
  return begin;
}

bool Mappings::unmap(void* begin, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(begin) - kBegin >= kBytes) return false;
  mmap(begin, bytes, PROT_NONE, kFlags | MAP_FIXED, -1, 0);
  return true;
}

void Mappings::reset() {
  if (used_ == 0) return;
  mmap(reinterpret_cast<void*>(kBegin), used_, PROT_NONE, kFlags | MAP_FIXED, -1, 0);
  used_ = 0;
}

void Mappings::add_prior(void* begin, std::size_t bytes) {
  if (prior_count_ < kMostPrior)
    prior_[prior_count_++] = {reinterpret_cast<std::uintptr_t>(begin), bytes};
}

void Mappings::remove_prior(const void* begin) {
  for (int i = 0; i < prior_count_; ++i) {
    if (prior_[i].begin == reinterpret_cast<std::uintptr_t>(begin))
      prior_[i--] = prior_[--prior_count_];
  }
}

void Mappings::watch_prior(Pages& pages) const {
  for (int i = 0; i < prior_count_; ++i)
    pages.watch(prior_[i].begin, prior_[i].begin + prior_[i].bytes);
}

}  // namespace plumb::runtime
