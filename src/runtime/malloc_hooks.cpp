// SPDX-License-Identifier: MIT
// malloc and its family: inside an execution from the heap of the program under test, outside from
// glibc.
#include <errno.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>

#include "runtime/accesses.hpp"
#include "runtime/bytes.hpp"
#include "runtime/real.hpp"

extern "C" {
void* __libc_malloc(std::size_t);
void __libc_free(void*);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

using namespace plumb::runtime;

#define PLUMB_HOOK extern "C" __attribute__((visibility("default")))
#define PLUMB_PC __builtin_return_address(0)

namespace {

void* allocate(std::size_t bytes, std::size_t alignment) {
  Execution& e = execution;
  void* const block = e.heap.allocate(bytes, alignment);
  if (block == nullptr) {
    errno = ENOMEM;
    return nullptr;
  }
  if (e.options.races && e.options.reuse != Reuse::kNever && e.made > 1)
    e.races.allocated(block, bytes);
  return block;
}

// A write to all of the block: who reads it at the same time reads freed memory, in this schedule
// or in another.
void give_back(void* p, const void* pc) {
  Execution& e = execution;
  if (p == nullptr) return;
  // Allocated before the execution: it must still be there in the next one.
  if (!Heap::contains(p)) {
    e.wrote_older = true;
    return;
  }
  const std::size_t size = e.heap.is_block(p) ? Heap::size(p) : 0;
  if (size != 0 && e.options.plain != PlainPoints::kNone &&
      (e.options.plain == PlainPoints::kAll || e.sites.contains(pc))) {
    e.point({address_of(p), static_cast<std::uint32_t>(size), Touch::kWrite}, pc);
    e.note("free");
  } else {
    e.also({address_of(p), static_cast<std::uint32_t>(size), Touch::kWrite});
  }
  if (!e.heap.is_block(p))
    e.fail(FindingKind::kBadFree, "frees what is not the beginning of a block", p, 0, pc);
  if (e.heap.shadow(p) == Heap::kFreed)
    e.fail(FindingKind::kDoubleFree, "frees a block that was freed", p, 0, pc);
  check_race(p, size, Races::kFree, pc);
  e.heap.release(p);
}

bool power_of_two(std::size_t n) { return n != 0 && (n & (n - 1)) == 0; }

}  // namespace

PLUMB_HOOK void* malloc(std::size_t bytes) {
  return inside() ? allocate(bytes, Heap::kGrain) : __libc_malloc(bytes);
}

PLUMB_HOOK void free(void* p) {
  if (inside()) give_back(p, PLUMB_PC);
  else if (!Heap::contains(p)) __libc_free(p);
}

// The heap is zeroed before an execution, but a block may have been used before.
PLUMB_HOOK void* calloc(std::size_t count, std::size_t size) {
  if (!inside()) return __libc_calloc(count, size);
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  void* const block = allocate(bytes, Heap::kGrain);
  if (block != nullptr && execution.options.reuse != Reuse::kNever) fill_bytes(block, 0, bytes);
  return block;
}

PLUMB_HOOK void* realloc(void* p, std::size_t bytes) {
  if (!inside()) return __libc_realloc(p, bytes);
  if (p == nullptr) return allocate(bytes, Heap::kGrain);
  const std::size_t old =
      Heap::contains(p) ? (execution.heap.is_block(p) ? Heap::size(p) : 0) : malloc_usable_size(p);
  void* const block = allocate(bytes, Heap::kGrain);
  if (block == nullptr) return nullptr;
  copy_bytes(block, p, old < bytes ? old : bytes);
  give_back(p, PLUMB_PC);
  return block;
}

PLUMB_HOOK void* memalign(std::size_t alignment, std::size_t bytes) {
  return inside() ? allocate(bytes, alignment) : __libc_memalign(alignment, bytes);
}

PLUMB_HOOK void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return memalign(alignment, bytes);
}

PLUMB_HOOK int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
  if (!power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  void* const block = memalign(alignment, bytes);
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}

PLUMB_HOOK void* valloc(std::size_t bytes) { return memalign(4096, bytes); }
PLUMB_HOOK void* pvalloc(std::size_t bytes) { return memalign(4096, (bytes + 4095) / 4096 * 4096); }

PLUMB_HOOK std::size_t malloc_usable_size(void* p) {
  if (p == nullptr) return 0;
  return Heap::contains(p) ? Heap::size(p) : real().malloc_usable_size(p);
}
