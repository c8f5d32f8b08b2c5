// SPDX-License-Identifier: MIT
#include "runtime/memory/heap.hpp"

#include <sys/mman.h>

#include "runtime/base/bytes.hpp"

namespace plumb::runtime {
namespace {

// Zeroed, not only forgotten: a program that reads what it never wrote must read the same every
// time.
void clear(void* begin, std::size_t bytes, std::size_t by_hand) {
  if (bytes <= by_hand) return fill_bytes(begin, 0, bytes);
  fill_bytes(begin, 0, by_hand);
  // The kernel takes whole pages; `by_hand` is a multiple of them, and begins are too.
  madvise(static_cast<std::byte*>(begin) + by_hand, bytes - by_hand, MADV_DONTNEED);
}

}  // namespace

bool Heap::reserve() {
  if (shadow_ != nullptr) return true;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const base = reinterpret_cast<void*>(kOlder);
  constexpr std::size_t kAll = kOlderBytes + kBytes;
  if (mmap(base, kAll, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0) != base)
    return false;
  void* const shadow = mmap(nullptr, kAll / kGrain, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (shadow == MAP_FAILED) return false;
  shadow_ = static_cast<std::int8_t*>(shadow);
  return true;
}

void Heap::mark(const void* block, std::size_t bytes) {
  std::int8_t* const shadow = shadow_ + grain(block);
  const std::size_t full = bytes / kGrain;
  fill_bytes(shadow, Shadow::allocated, full);
  if (bytes % kGrain != 0) shadow[full] = static_cast<std::int8_t>(bytes % kGrain);
  else if (bytes == 0) shadow[0] = Shadow::empty;
}

void* Heap::allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes > kBytes / 2) return nullptr;
  if (bytes >= kLarge && !before_ && large_count_ < kMostLarge)
    return allocate_large(bytes, alignment);
  const std::size_t grains = bytes == 0 ? 1 : (bytes + kGrain - 1) / kGrain;
  const bool has_list = grains < kClasses && alignment <= kGrain;
  could_reuse_ |= has_list && (freed_ >> grains & 1) != 0;
  reused_ = reuse_ != Reuse::never && has_list && lists_[grains].first != 0;
  if (reused_) {
    List& list = lists_[grains];
    void* const block = at_grain(list.first);
    Header* const h = header(block);
    list.first = h->next;
    if (list.first == 0) list.last = 0;
    h->bytes = bytes;
    h->next = 0;
    mark(block, bytes);
    ++live_;
    return block;
  }
  const std::size_t align = alignment < kGrain ? kGrain : alignment;
  const std::uintptr_t begin = (top_ + sizeof(Header) + align - 1) / align * align;
  if (begin + grains * kGrain + kGrain > limit_) return nullptr;
  top_ = begin + grains * kGrain;
  void* const block = reinterpret_cast<void*>(begin);
  *header(block) = {bytes, 0, static_cast<std::uint32_t>(grains)};
  mark(block, bytes);
  ++live_;
  return block;
}

void* Heap::allocate_large(std::size_t bytes, std::size_t alignment) {
  constexpr std::size_t kPage = 4096;
  const std::size_t align = alignment < kPage ? kPage : alignment;
  const std::uintptr_t begin = (limit_ - bytes) / align * align;
  if (begin < top_ + 2 * kPage) return nullptr;
  limit_ = begin - kPage;  // with room for the header
  void* const block = reinterpret_cast<void*>(begin);
  *header(block) = {bytes, 0, kClasses};
  large_[large_count_++] = {begin, bytes, false};
  reused_ = false;
  ++live_;
  return block;
}

void Heap::release(void* p) {
  if (address(p) >= kBase) --live_;
  if (address(p) >= limit_) {
    for (int i = 0; i < large_count_; ++i) large_[i].freed |= large_[i].begin == address(p);
    return;
  }
  Header* const h = header(p);
  const auto number = static_cast<std::uint32_t>(grain(p));
  fill_bytes(shadow_ + number, static_cast<unsigned char>(Shadow::freed), h->grains);
  if (before_ && address(p) + h->grains * kGrain == top_) {
    // Buffers come and go before the first execution: it may take long, and need not forget less.
    fill_bytes(shadow_ + number, Shadow::nothing, h->grains);
    top_ = address(h);
    return;
  }
  if (h->grains >= kClasses) return;
  freed_ |= std::uint64_t{1} << h->grains;
  if (reuse_ == Reuse::never) return;
  List& list = lists_[h->grains];
  if (reuse_ == Reuse::lifo) {
    h->next = list.first;
    list.first = number;
    if (list.last == 0) list.last = number;
  } else {
    h->next = 0;
    if (list.last == 0) list.first = number;
    else header(at_grain(list.last))->next = number;
    list.last = number;
  }
}

const Heap::Large* Heap::large_around(const void* p) const {
  for (int i = 0; i < large_count_; ++i) {
    if (address(p) - large_[i].begin < large_[i].bytes) return &large_[i];
  }
  return nullptr;
}

Heap::Shadow Heap::shadow(const void* p) const {
  if (address(p) >= limit_) {
    const Large* const large = large_around(p);
    return large == nullptr ? Shadow::nothing : large->freed ? Shadow::freed : Shadow::allocated;
  }
  const std::int8_t shadow = shadow_[grain(p)];
  return shadow > 0 ? Shadow::allocated : static_cast<Shadow>(shadow);
}

bool Heap::is_block(const void* p) const {
  if (!contains(p)) return false;
  if (address(p) >= limit_) {
    const Large* const large = large_around(p);
    return large != nullptr && large->begin == address(p);
  }
  return grain(p) > 0 && address(p) % kGrain == 0 && shadow_[grain(p)] != Shadow::nothing &&
         shadow_[grain(p) - 1] == Shadow::nothing;
}

const void* Heap::block_around(const void* p) const {
  if (!contains(p)) return nullptr;
  if (address(p) >= limit_) {
    const Large* const large = large_around(p);
    return large == nullptr ? nullptr : reinterpret_cast<const void*>(large->begin);
  }
  std::size_t g = grain(p);
  if (shadow_[g] == Shadow::nothing) return nullptr;
  while (g > 0 && shadow_[g - 1] != Shadow::nothing) --g;
  return at_grain(g);
}

void Heap::begin() {
  if (!before_) return;
  before_ = false;
  older_top_ = top_;
  top_ = kBase;
  limit_ = kBase + kBytes;
  // What was freed before stays free: an execution would take it away from the next.
  fill_bytes(lists_, 0, sizeof lists_);
  reuse_ = Reuse::never;
}

void Heap::watch(Pages& pages) const {
  pages.watch(kOlder, older_top_);
  const auto shadow = reinterpret_cast<std::uintptr_t>(shadow_);
  pages.watch(shadow, shadow + (older_top_ - kOlder) / kGrain);
}

void Heap::reset(Reuse reuse) {
  const std::size_t used = top_ - kBase;
  clear(reinterpret_cast<void*>(kBase), used, kZeroed);
  clear(shadow_ + kOlderBytes / kGrain, used / kGrain + 1, kZeroed / kGrain);
  if (large_count_ > 0) {
    madvise(reinterpret_cast<void*>(limit_), kBase + kBytes - limit_, MADV_DONTNEED);
    large_count_ = 0;
    limit_ = kBase + kBytes;
  }
  top_ = kBase;
  live_ = 0;
  freed_ = 0;
  could_reuse_ = false;
  if (reuse_ != Reuse::never) fill_bytes(lists_, 0, sizeof lists_);
  reuse_ = reuse;
}

}  // namespace plumb::runtime
