// SPDX-License-Identifier: MIT
// malloc and its family. Whose block is it?
//
// Inside an execution: the program's, on its heap, which is emptied afterwards. But what the C
// library allocates for itself (a stream, a locale, a table of the loader) it remembers after the
// execution, so that is left to glibc. So is what it allocates for the program (getline, asprintf):
// there is no telling them apart; freeing it is then freeing.
//
// Before the first execution, in the process that will run them: on the part of the heap that is
// put back each time (heap.hpp). Anywhere else: glibc's.
//
// oneTBB looks for an allocator of its own, and uses malloc where it finds none. That one maps
// memory, and would remember what executions that were given up half way had allocated; so it is
// not found.
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/base/bytes.hpp"
#include "runtime/base/own_text.hpp"
#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/accesses.hpp"
#include "runtime/schedule/mutex.hpp"

extern "C" {
void* __libc_malloc(std::size_t);
void __libc_free(void*);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

using namespace plumb::runtime;

namespace {

enum class Owner : std::uint8_t { glibc, older, execution };

// The variable that the watcher sets for the process under test (session/process.cpp).
bool is_watched() {
  static constinit std::atomic<int> watched{-1};
  if (watched < 0) watched = getenv("PLUMB_BOARD") != nullptr ? 1 : 0;
  return watched > 0;
}

Owner owner(const void* pc) {
  if (inside()) return in_c_library(pc) ? Owner::glibc : Owner::execution;
  const bool is_older = execution.memory.heap.before() && !in_c_library(pc) && is_watched();
  return is_older ? Owner::older : Owner::glibc;
}

// --- before the first execution, when there may be other threads
// ----------------------------------

class Older {
 public:
  Older() {
    while (taken.test_and_set(std::memory_order_acquire)) {}
  }
  ~Older() { taken.clear(std::memory_order_release); }

  void* allocate(std::size_t bytes, std::size_t alignment) {
    Heap& heap = execution.memory.heap;
    return heap.before() && heap.reserve() ? heap.allocate(bytes, alignment) : nullptr;
  }
  // Once executions have begun, it is there in all of them.
  void release(void* p) {
    if (execution.memory.heap.before() && execution.memory.heap.is_block(p) &&
        execution.memory.heap.shadow(p) != Heap::freed) {
      execution.memory.heap.release(p);
    }
  }

 private:
  static constinit std::atomic_flag taken;
};
constinit std::atomic_flag Older::taken;

// --- in an execution -----------------------------------------------------------------------------

// Blocks that glibc has allocated in this execution: who frees one may free it. One from before is
// there again in the next execution, as far as the program knows.
class Lent {
 public:
  void add(void* p) {
    if (p == nullptr) return;
    for (std::size_t i = 0; i < kTries; ++i) {
      Entry& entry = at(p, i);
      if (entry.execution == execution.number && entry.block != nullptr) continue;
      entry = {p, execution.number};
      return;
    }
  }
  bool remove(void* p) {
    for (std::size_t i = 0; i < kTries; ++i) {
      Entry& entry = at(p, i);
      if (entry.block != p || entry.execution != execution.number) continue;
      entry.block = nullptr;
      return true;
    }
    return false;
  }

 private:
  struct Entry {
    void* block = nullptr;
    std::uint64_t execution = 0;
  };
  static constexpr std::size_t kMost = 4096, kTries = 16;
  Entry& at(const void* p, std::size_t i) {
    const std::uint64_t hash = (address_of(p) >> 4) * 0x9e3779b97f4a7c15;
    return entries_[((hash >> 40) + i) & (kMost - 1)];
  }
  std::array<Entry, kMost> entries_{};
};
constinit Lent lent;

void* allocate_inside(std::size_t bytes, std::size_t alignment) {
  Execution& e = execution;
  void* const block = e.memory.heap.allocate(bytes, alignment);
  if (block == nullptr) {
    errno = ENOMEM;
    return nullptr;
  }
  if (e.memory.heap.reused()) {
    e.memory.model.allocated(block, bytes);
    e.note_access({address_of(block), static_cast<std::uint32_t>(bytes), Touch::write}, true);
  }
  return block;
}

// A write to all of the block: who reads it at the same time reads freed memory, in this schedule
// or in another.
void give_back(void* p, const void* pc) {
  Execution& e = execution;
  if (p == nullptr) return;
  if (!Heap::contains(p)) {
    if (lent.remove(p) || in_c_library(pc)) return __libc_free(p);
    // On the stack of a thread, or a global. (Blocks of glibc from before stay as they are.)
    if (is_reset(p))
      e.fail(FindingKind::bad_free, "frees memory that was never allocated", p, 0, pc);
    return;
  }
  const std::size_t size = e.memory.heap.is_block(p) ? Heap::size(p) : 0;
  if (size != 0 && is_plain_point(pc)) {
    e.point({address_of(p), static_cast<std::uint32_t>(size), Touch::write}, pc);
    e.trace.note("free");
  } else {
    e.trace.note_free(p, size);
    e.also({address_of(p), static_cast<std::uint32_t>(size), Touch::write});
  }
  if (!e.memory.heap.is_block(p))
    e.fail(FindingKind::bad_free, "frees what is not the beginning of a block", p, 0, pc);
  if (e.memory.heap.shadow(p) == Heap::freed)
    e.fail(FindingKind::double_free, "frees a block that was freed", p, 0, pc);
  if (Heap::maker(p) != Heap::Maker::malloc)
    e.fail(FindingKind::bad_free, "frees by free() what new made", p, 0, pc);
  check_race(p, size, Races::Kind::free, pc);
  if (const void* const mutex = held_mutex_in(p, size))
    e.fail(FindingKind::misuse, "frees a mutex that is held", mutex, 0, pc);
  e.memory.heap.release(p);
}

bool power_of_two(std::size_t n) { return n != 0 && (n & (n - 1)) == 0; }

void* allocate(std::size_t bytes, std::size_t alignment, const void* pc) {
  const Owner whose = owner(pc);
  if (whose == Owner::execution) return allocate_inside(bytes, alignment);
  void* block = whose == Owner::older ? Older().allocate(bytes, alignment) : nullptr;
  if (block != nullptr) return block;
  block = alignment <= Heap::kGrain ? __libc_malloc(bytes) : __libc_memalign(alignment, bytes);
  if (inside()) lent.add(block);
  return block;
}

}  // namespace

PLUMB_HOOK void* malloc(std::size_t bytes) { return allocate(bytes, Heap::kGrain, PLUMB_PC); }

PLUMB_HOOK void free(void* p) {
  if (inside()) give_back(p, PLUMB_PC);
  else if (Heap::contains(p)) Older().release(p);
  else __libc_free(p);
}

PLUMB_HOOK void* calloc(std::size_t count, std::size_t size) {
  if (owner(PLUMB_PC) == Owner::glibc) {
    void* const block = __libc_calloc(count, size);
    if (inside()) lent.add(block);
    return block;
  }
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  void* const block = allocate(bytes, Heap::kGrain, PLUMB_PC);
  // The heap is zeroed before an execution, but a block may have been used before.
  if (block != nullptr && (!inside() || execution.memory.heap.reused()))
    fill_bytes(block, 0, bytes);
  return block;
}

// A block stays with whom it was: the C library makes those larger that the program gives it
// (getline).
PLUMB_HOOK void* realloc(void* p, std::size_t bytes) {
  if (p == nullptr) return allocate(bytes, Heap::kGrain, PLUMB_PC);
  const bool on_heap = Heap::contains(p);
  if (!on_heap && (!inside() || in_c_library(PLUMB_PC))) {
    const bool was_lent = inside() && lent.remove(p);
    void* const block = __libc_realloc(p, bytes);
    if (was_lent) lent.add(block != nullptr ? block : p);
    return block;
  }
  const std::size_t old =
      on_heap ? (execution.memory.heap.is_block(p) ? Heap::size(p) : 0) : malloc_usable_size(p);
  void* const block = inside() ? allocate_inside(bytes, Heap::kGrain) : malloc(bytes);
  if (block == nullptr) return nullptr;
  copy_bytes(block, p, old < bytes ? old : bytes);
  if (inside()) give_back(p, PLUMB_PC);
  else Older().release(p);
  return block;
}

PLUMB_HOOK void* memalign(std::size_t alignment, std::size_t bytes) {
  return allocate(bytes, alignment, PLUMB_PC);
}

PLUMB_HOOK void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return allocate(bytes, alignment, PLUMB_PC);
}

PLUMB_HOOK int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
  if (!power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  void* const block = allocate(bytes, alignment, PLUMB_PC);
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}

PLUMB_HOOK void* valloc(std::size_t bytes) { return allocate(bytes, 4096, PLUMB_PC); }
PLUMB_HOOK void* pvalloc(std::size_t bytes) {
  return allocate((bytes + 4095) / 4096 * 4096, 4096, PLUMB_PC);
}

PLUMB_HOOK std::size_t malloc_usable_size(void* p) {
  if (p == nullptr) return 0;
  return Heap::contains(p) ? Heap::size(p) : real().malloc_usable_size(p);
}

PLUMB_HOOK void* dlopen(const char* file, int mode) noexcept {
  const bool is_allocator =
      file != nullptr && std::string_view(file).find("libtbbmalloc.so") != std::string_view::npos;
  return is_allocator && is_watched() ? nullptr : real().dlopen(file, mode);
}
