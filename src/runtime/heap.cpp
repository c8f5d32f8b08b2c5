// SPDX-License-Identifier: MIT
#include "runtime/heap.hpp"

#include <sys/mman.h>

#include "runtime/bytes.hpp"

namespace plumb::runtime {

bool Heap::reserve() {
  if (shadow_ != nullptr) return true;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const base = reinterpret_cast<void*>(kBase);
  if (mmap(base, kBytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0) != base)
    return false;
  void* const shadow = mmap(nullptr, kBytes / kGrain, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (shadow == MAP_FAILED) return false;
  shadow_ = static_cast<std::uint8_t*>(shadow);
  return true;
}

void* Heap::allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes > kBytes / 2) return nullptr;
  const std::size_t grains = bytes == 0 ? 1 : (bytes + kGrain - 1) / kGrain;
  ++live_;
  if (reuse_ != Reuse::kNever && grains < kClasses && alignment <= kGrain &&
      lists_[grains].first != 0) {
    List& list = lists_[grains];
    const std::uintptr_t block = kBase + std::uintptr_t{list.first} * kGrain;
    Header* const h = header(reinterpret_cast<void*>(block));
    list.first = h->next;
    if (list.first == 0) list.last = 0;
    h->bytes = bytes;
    fill_bytes(shadow_ + (block - kBase) / kGrain, kAllocated, grains);
    return reinterpret_cast<void*>(block);
  }
  const std::size_t align = alignment < kGrain ? kGrain : alignment;
  const std::uintptr_t block = (top_ + sizeof(Header) + align - 1) / align * align;
  if (block + grains * kGrain + kGrain > kBase + kBytes) return nullptr;
  top_ = block + grains * kGrain;
  *header(reinterpret_cast<void*>(block)) = {bytes, 0, static_cast<std::uint32_t>(grains)};
  fill_bytes(shadow_ + (block - kBase) / kGrain, kAllocated, grains);
  return reinterpret_cast<void*>(block);
}

void Heap::release(void* p) {
  Header* const h = header(p);
  const auto number = static_cast<std::uint32_t>(grain(p));
  fill_bytes(shadow_ + number, kFreed, h->grains);
  --live_;
  freed_ = true;
  if (reuse_ == Reuse::kNever || h->grains >= kClasses) return;
  List& list = lists_[h->grains];
  if (reuse_ == Reuse::kLifo) {
    h->next = list.first;
    list.first = number;
    if (list.last == 0) list.last = number;
  } else {
    h->next = 0;
    if (list.last == 0) {
      list.first = number;
    } else {
      header(reinterpret_cast<void*>(kBase + std::uintptr_t{list.last} * kGrain))->next = number;
    }
    list.last = number;
  }
}

bool Heap::is_block(const void* p) const {
  return contains(p) && grain(p) > 0 && reinterpret_cast<std::uintptr_t>(p) % kGrain == 0 &&
         shadow_[grain(p)] != kNothing && shadow_[grain(p) - 1] == kNothing;
}

const void* Heap::block_around(const void* p) const {
  if (!contains(p)) return nullptr;
  std::size_t g = grain(p);
  if (shadow_[g] == kNothing) return nullptr;
  while (g > 0 && shadow_[g - 1] != kNothing) --g;
  return reinterpret_cast<const void*>(kBase + g * kGrain);
}

// Zeroed, not only forgotten: a program that reads what it never wrote must read the same every
// time.
void Heap::reset(Reuse reuse) {
  const std::size_t used = top_ - kBase;
  fill_bytes(reinterpret_cast<void*>(kBase), 0, used);
  fill_bytes(shadow_, kNothing, used / kGrain + 1);
  top_ = kBase;
  live_ = 0;
  if (reuse_ != Reuse::kNever) fill_bytes(lists_, 0, sizeof lists_);
  reuse_ = reuse;
}

}  // namespace plumb::runtime
