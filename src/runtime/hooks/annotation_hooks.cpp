// SPDX-License-Identifier: MIT
// What libraries call besides when they are compiled with -fsanitize=thread (abseil, folly, boost,
// LLVM): annotations that inform ThreadSanitizer about synchronisation that it cannot see.
// We see it, since it is made of atomics; so order that they claim is believed, races that they
// call benign are left alone, and the rest needs nothing.
#include <cstddef>
#include <cstdint>

#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/annotations.hpp"
#include "runtime/schedule/sync_object.hpp"

namespace plumb::runtime {
namespace {

struct BenignRange {
  std::uintptr_t begin, bytes;
  std::uint64_t execution;  // 0: said outside of one, so it stays
};
constexpr int kRanges = 256;
BenignRange ranges[kRanges];
int range_count = 0;

void add_benign(const volatile void* p, std::size_t bytes) {
  const std::uint64_t now = inside() ? execution.number : 0;
  // Those of executions that are over make room.
  int kept = 0;
  for (int i = 0; i < range_count; ++i) {
    if (ranges[i].execution == 0 || ranges[i].execution == now) ranges[kept++] = ranges[i];
  }
  range_count = kept;
  if (range_count == kRanges) return;
  ranges[range_count++] = {address_of(p), bytes == 0 ? 1 : bytes, now};
}

void acquire_if_inside(const void* p) {
  if (inside()) acquire(p);
}
void release_if_inside(const void* p) {
  if (inside()) release(p);
}

}  // namespace

bool is_benign(const void* address) {
  for (int i = 0; i < range_count; ++i) {
    const BenignRange& range = ranges[i];
    if (range.execution != 0 && range.execution != execution.number) continue;
    if (address_of(address) - range.begin < range.bytes) return true;
  }
  return false;
}

}  // namespace plumb::runtime

using namespace plumb::runtime;

// --- sanitizer/tsan_interface.h ------------------------------------------------------------------

PLUMB_HOOK void __tsan_acquire(void* p) { acquire_if_inside(p); }
PLUMB_HOOK void __tsan_release(void* p) { release_if_inside(p); }

PLUMB_HOOK void __tsan_mutex_create(void*, unsigned) {}
PLUMB_HOOK void __tsan_mutex_destroy(void*, unsigned) {}
PLUMB_HOOK void __tsan_mutex_pre_lock(void*, unsigned) {}
PLUMB_HOOK void __tsan_mutex_post_lock(void* p, unsigned flags, int) {
  constexpr unsigned kFailed = 1U << 5;  // __tsan_mutex_try_lock_failed
  if ((flags & kFailed) == 0) acquire_if_inside(p);
}
PLUMB_HOOK int __tsan_mutex_pre_unlock(void* p, unsigned) {
  release_if_inside(p);
  return 1;
}
PLUMB_HOOK void __tsan_mutex_post_unlock(void*, unsigned) {}
PLUMB_HOOK void __tsan_mutex_pre_signal(void*, unsigned) {}
PLUMB_HOOK void __tsan_mutex_post_signal(void*, unsigned) {}
PLUMB_HOOK void __tsan_mutex_pre_divert(void*, unsigned) {}
PLUMB_HOOK void __tsan_mutex_post_divert(void*, unsigned) {}

PLUMB_HOOK void* __tsan_get_current_fiber() { return inside() ? &execution.self() : nullptr; }
PLUMB_HOOK void* __tsan_create_fiber(unsigned) { return &execution; }
PLUMB_HOOK void __tsan_destroy_fiber(void*) {}
PLUMB_HOOK void __tsan_switch_to_fiber(void*, unsigned) {}
PLUMB_HOOK void __tsan_set_fiber_name(void*, const char*) {}

PLUMB_HOOK void* __tsan_external_register_tag(const char*) { return nullptr; }
PLUMB_HOOK void __tsan_external_register_header(void*, const char*) {}
PLUMB_HOOK void __tsan_external_assign_tag(void*, void*) {}
PLUMB_HOOK void __tsan_external_read(void* p, void* caller, void*) {
  plain_access(p, 1, false, caller);
}
PLUMB_HOOK void __tsan_external_write(void* p, void* caller, void*) {
  plain_access(p, 1, true, caller);
}

PLUMB_HOOK void __tsan_ignore_thread_begin() {}
PLUMB_HOOK void __tsan_ignore_thread_end() {}
PLUMB_HOOK void __tsan_flush_memory() {}
PLUMB_HOOK void __tsan_check_no_mutexes_held() {}

PLUMB_HOOK void __sanitizer_print_stack_trace() {}
PLUMB_HOOK void __sanitizer_set_report_path(const char*) {}
PLUMB_HOOK void __sanitizer_set_death_callback(void (*)()) {}

// --- dynamic_annotations.h -----------------------------------------------------------------------

PLUMB_HOOK void AnnotateHappensBefore(const char*, int, const volatile void* p) {
  release_if_inside(const_cast<const void*>(p));
}
PLUMB_HOOK void AnnotateHappensAfter(const char*, int, const volatile void* p) {
  acquire_if_inside(const_cast<const void*>(p));
}
PLUMB_HOOK void AnnotateBenignRace(const char*, int, const volatile void* p, const char*) {
  add_benign(p, 1);
}
PLUMB_HOOK void AnnotateBenignRaceSized(const char*, int, const volatile void* p, std::size_t bytes,
                                        const char*) {
  add_benign(p, bytes);
}
PLUMB_HOOK void AnnotateRWLockCreate(const char*, int, const volatile void*) {}
PLUMB_HOOK void AnnotateRWLockCreateStatic(const char*, int, const volatile void*) {}
PLUMB_HOOK void AnnotateRWLockDestroy(const char*, int, const volatile void*) {}
PLUMB_HOOK void AnnotateRWLockAcquired(const char*, int, const volatile void* p, long) {
  acquire_if_inside(const_cast<const void*>(p));
}
PLUMB_HOOK void AnnotateRWLockReleased(const char*, int, const volatile void* p, long) {
  release_if_inside(const_cast<const void*>(p));
}
PLUMB_HOOK void AnnotateCondVarWait(const char*, int, const volatile void*, const volatile void*) {}
PLUMB_HOOK void AnnotateCondVarSignal(const char*, int, const volatile void*) {}
PLUMB_HOOK void AnnotateCondVarSignalAll(const char*, int, const volatile void*) {}
PLUMB_HOOK void AnnotateMutexIsNotPHB(const char*, int, const volatile void*) {}
PLUMB_HOOK void AnnotateMutexIsUsedAsCondVar(const char*, int, const volatile void*) {}
PLUMB_HOOK void AnnotatePublishMemoryRange(const char*, int, const volatile void*, std::size_t) {}
PLUMB_HOOK void AnnotateUnpublishMemoryRange(const char*, int, const volatile void*, std::size_t) {}
PLUMB_HOOK void AnnotatePCQCreate(const char*, int, const volatile void*) {}
PLUMB_HOOK void AnnotatePCQDestroy(const char*, int, const volatile void*) {}
PLUMB_HOOK void AnnotatePCQPut(const char*, int, const volatile void*) {}
PLUMB_HOOK void AnnotatePCQGet(const char*, int, const volatile void*) {}
PLUMB_HOOK void AnnotateNewMemory(const char*, int, const volatile void*, std::size_t) {}
PLUMB_HOOK void AnnotateExpectRace(const char*, int, const volatile void* p, const char*) {
  add_benign(p, 1);
}
PLUMB_HOOK void AnnotateFlushExpectedRaces(const char*, int) {}
PLUMB_HOOK void AnnotateIgnoreReadsBegin(const char*, int) {}
PLUMB_HOOK void AnnotateIgnoreReadsEnd(const char*, int) {}
PLUMB_HOOK void AnnotateIgnoreWritesBegin(const char*, int) {}
PLUMB_HOOK void AnnotateIgnoreWritesEnd(const char*, int) {}
PLUMB_HOOK void AnnotateIgnoreSyncBegin(const char*, int) {}
PLUMB_HOOK void AnnotateIgnoreSyncEnd(const char*, int) {}
PLUMB_HOOK void AnnotateTraceMemory(const char*, int, const volatile void*) {}
PLUMB_HOOK void AnnotateThreadName(const char*, int, const char*) {}
PLUMB_HOOK void AnnotateNoOp(const char*, int, const volatile void*) {}
PLUMB_HOOK void AnnotateFlushState(const char*, int) {}
PLUMB_HOOK void AnnotateEnableRaceDetection(const char*, int, int) {}
PLUMB_HOOK void AnnotateMemoryIsInitialized(const char*, int, const volatile void*, std::size_t) {}
PLUMB_HOOK void AnnotateMemoryIsUninitialized(const char*, int, const volatile void*, std::size_t) {
}
PLUMB_HOOK int RunningOnValgrind() { return 0; }
PLUMB_HOOK double ValgrindSlowdown() { return 1; }
