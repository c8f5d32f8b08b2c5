// SPDX-License-Identifier: MIT
// The functions that g++ and clang call in code compiled with -fsanitize=thread: before every plain
// access, and instead of every atomic operation. What an access sees is up to the memory model in
// force (memory/model.hpp).
#include <atomic>
#include <cstdint>
#include <cstring>

#include "runtime/schedule/accesses.hpp"

using namespace plumb::runtime;

// In a section of their own: by its bounds the survey of code (unseen/survey.cpp) knows a call of
// one of them.
#define PLUMB_INSTRUMENTATION \
  extern "C" __attribute__((visibility("default"), section("plumb_instrumentation")))
#define PLUMB_PC __builtin_return_address(0)

namespace {

using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
__extension__ using U128 = unsigned __int128;

template <class T>
std::uint64_t folded(T value) {
  if constexpr (sizeof(T) == 16)
    return static_cast<U64>(value) ^ static_cast<U64>(value >> 64) * 31;
  else return value;
}

// Where another OS thread could be at work (outside an execution) the real operation is needed;
// inside, nobody else runs. 16 bytes: by the compiler's builtin, or plainly where only one runs.
template <class T>
T load_now(const volatile T* p) {
  if constexpr (sizeof(T) == 16)
    return __sync_val_compare_and_swap(const_cast<volatile T*>(p), T{0}, T{0});
  else return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}
template <class T>
bool replace_now(volatile T* p, T* expected, T desired) {
  if constexpr (sizeof(T) == 16) {
    const T old = __sync_val_compare_and_swap(p, *expected, desired);
    const bool done = old == *expected;
    *expected = old;
    return done;
  } else {
    return __atomic_compare_exchange_n(p, expected, desired, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
  }
}
template <class T, class F>
T update_now(volatile T* p, F next) {
  T old = load_now(p);
  while (!replace_now(p, &old, next(old))) {}
  return old;
}

template <class T>
const void* plain(const volatile T* p) {
  return const_cast<const T*>(p);
}

/// Comes to an atomic access: a scheduling point, and is the memory there?
template <class T>
[[gnu::always_inline]] inline void arrive(const volatile T* p, Touch touch, const void* pc) {
  ++execution.memory.accesses;
  execution.point({address_of(p), sizeof(T), touch}, pc);
  check_memory(plain(p), sizeof(T), touch == Touch::write, pc);
}

template <class T>
void report_race(const volatile T* p, Races::Kind kind, const void* pc) {
  raced(plain(p), sizeof(T), kind, pc);
}

template <class T>
T atomic_load(const volatile T* p, int order, const void* pc) {
  if (!inside()) return load_now(p);
  Execution& e = execution;
  arrive(p, Touch::read, pc);
  const Loaded<T> seen = e.memory.model.load(accessor(pc), p, std::memory_order(order));
  e.trace.note("load", TraceStep::Kind::reads, plain(p), sizeof(T), order, folded(seen.value),
               folded(seen.value), false);
  if (seen.raced) [[unlikely]]
    report_race(p, Races::Kind::atomic_read, pc);
  e.spins.note_spin_read(plain(p), folded(seen.value), pc);
  return seen.value;
}

template <class T>
void atomic_store(volatile T* p, T value, int order, const void* pc) {
  if (!inside()) {
    update_now(p, [value](T) { return value; });
    return;
  }
  Execution& e = execution;
  arrive(p, Touch::write, pc);
  const Updated<T> done = e.memory.model.store(accessor(pc), p, value, std::memory_order(order));
  e.trace.note("store", TraceStep::Kind::writes, plain(p), sizeof(T), order, folded(done.before),
               folded(value), false);
  if (done.raced) [[unlikely]]
    report_race(p, Races::Kind::atomic_write, pc);
  e.spins.note_store(done.before != value, e.threads.me);
}

// An update that leaves the value as it was (test-and-set of a lock that is taken) is a read for
// all other threads.
template <class T, class F>
T atomic_update(const char* what, volatile T* p, int order, const void* pc, F next) {
  if (!inside()) return update_now(p, next);
  Execution& e = execution;
  arrive(p, Touch::write, pc);
  const Updated<T> done = e.memory.model.update(accessor(pc), p, std::memory_order(order), next);
  e.trace.note(what, TraceStep::Kind::other, plain(p), sizeof(T), order, folded(done.before),
               folded(done.after), false);
  if (done.raced) [[unlikely]]
    report_race(p, Races::Kind::atomic_write, pc);
  if (done.after == done.before) {
    e.was(Touch::read);
    e.spins.note_spin_read(plain(p), folded(done.before), pc);
  } else {
    e.spins.changed();
  }
  return done.before;
}

template <class T>
bool atomic_replace(volatile T* p, T* expected, T desired, int order, int failure, bool weak,
                    const void* pc) {
  if (!inside()) return replace_now(p, expected, desired);
  Execution& e = execution;
  arrive(p, Touch::write, pc);
  const auto fails = [weak] {
    return weak && execution.options.spurious && execution.choose(2, 1) == 1;
  };
  const Replaced<T> seen =
      e.memory.model.replace(accessor(pc), p, *expected, desired, std::memory_order(order),
                             std::memory_order(failure), fails);
  e.trace.note("compare_exchange", TraceStep::Kind::other, plain(p), sizeof(T),
               seen.done ? order : failure, folded(seen.before),
               folded(seen.done ? desired : seen.before), !seen.done);
  if (seen.raced) [[unlikely]]
    report_race(p, seen.done ? Races::Kind::atomic_write : Races::Kind::atomic_read, pc);
  if (seen.done) {
    e.spins.changed();
  } else {
    *expected = seen.before;
    e.was(Touch::read);
    e.spins.note_spin_read(plain(p), folded(seen.before), pc);
  }
  return seen.done;
}

void push_call(const void* pc) {
  Thread& thread = execution.self();
  if (thread.depth + 1 >= Thread::kCalls) {
    ++thread.depth;  // counted, not kept: so that leaving finds its way back
    return;
  }
  thread.calls[thread.depth] = pc;
  const U64 hash =
      (thread.call_hash[thread.depth] ^ reinterpret_cast<U64>(pc)) * 0x9e3779b97f4a7c15;
  thread.call_hash[++thread.depth] = hash ^ hash >> 31;
}

}  // namespace

PLUMB_INSTRUMENTATION void __tsan_init() {}

PLUMB_INSTRUMENTATION void __tsan_func_entry(void* caller) {
  if (inside()) push_call(caller);
}
PLUMB_INSTRUMENTATION void __tsan_func_exit() {
  if (inside() && execution.self().depth > 0) --execution.self().depth;
}

#define PLUMB_PLAIN(size)                                                     \
  PLUMB_INSTRUMENTATION void __tsan_read##size(void* p) {                     \
    plain_access(p, size, false, PLUMB_PC);                                   \
  }                                                                           \
  PLUMB_INSTRUMENTATION void __tsan_write##size(void* p) {                    \
    plain_access(p, size, true, PLUMB_PC);                                    \
  }                                                                           \
  PLUMB_INSTRUMENTATION void __tsan_unaligned_read##size(void* p) {           \
    plain_access(p, size, false, PLUMB_PC);                                   \
  }                                                                           \
  PLUMB_INSTRUMENTATION void __tsan_unaligned_write##size(void* p) {          \
    plain_access(p, size, true, PLUMB_PC);                                    \
  }                                                                           \
  PLUMB_INSTRUMENTATION void __tsan_volatile_read##size(void* p) {            \
    plain_access(p, size, false, PLUMB_PC);                                   \
  }                                                                           \
  PLUMB_INSTRUMENTATION void __tsan_volatile_write##size(void* p) {           \
    plain_access(p, size, true, PLUMB_PC);                                    \
  }                                                                           \
  PLUMB_INSTRUMENTATION void __tsan_unaligned_volatile_read##size(void* p) {  \
    plain_access(p, size, false, PLUMB_PC);                                   \
  }                                                                           \
  PLUMB_INSTRUMENTATION void __tsan_unaligned_volatile_write##size(void* p) { \
    plain_access(p, size, true, PLUMB_PC);                                    \
  }                                                                           \
  PLUMB_INSTRUMENTATION void __tsan_read_write##size(void* p) {               \
    plain_access(p, size, true, PLUMB_PC);                                    \
  }                                                                           \
  PLUMB_INSTRUMENTATION void __tsan_unaligned_read_write##size(void* p) {     \
    plain_access(p, size, true, PLUMB_PC);                                    \
  }                                                                           \
  PLUMB_INSTRUMENTATION void __tsan_read##size##_pc(void* p, void* pc) {      \
    plain_access(p, size, false, pc);                                         \
  }                                                                           \
  PLUMB_INSTRUMENTATION void __tsan_write##size##_pc(void* p, void* pc) {     \
    plain_access(p, size, true, pc);                                          \
  }
PLUMB_PLAIN(1)
PLUMB_PLAIN(2)
PLUMB_PLAIN(4)
PLUMB_PLAIN(8)
PLUMB_PLAIN(16)

PLUMB_INSTRUMENTATION void __tsan_read_range(void* p, std::size_t size) {
  plain_access(p, size, false, PLUMB_PC);
}
PLUMB_INSTRUMENTATION void __tsan_write_range(void* p, std::size_t size) {
  plain_access(p, size, true, PLUMB_PC);
}
PLUMB_INSTRUMENTATION void __tsan_vptr_read(void** p) {
  plain_access(p, sizeof *p, false, PLUMB_PC);
}
PLUMB_INSTRUMENTATION void __tsan_vptr_update(void** p, void* value) {
  // Destructors store the pointer that is there already: that is invisible.
  if (*p != value) plain_access(p, sizeof *p, true, PLUMB_PC);
}

#define PLUMB_UPDATE(bits, T, name, expression)                                         \
  PLUMB_INSTRUMENTATION T __tsan_atomic##bits##_##name(volatile T* p, T v, int order) { \
    return atomic_update(#name, p, order, PLUMB_PC,                                     \
                         [v](T old) { return static_cast<T>(expression); });            \
  }
#define PLUMB_ATOMIC(bits, T)                                                             \
  PLUMB_INSTRUMENTATION T __tsan_atomic##bits##_load(const volatile T* p, int order) {    \
    return atomic_load(p, order, PLUMB_PC);                                               \
  }                                                                                       \
  PLUMB_INSTRUMENTATION void __tsan_atomic##bits##_store(volatile T* p, T v, int order) { \
    atomic_store(p, v, order, PLUMB_PC);                                                  \
  }                                                                                       \
  PLUMB_UPDATE(bits, T, exchange, (void(old), v))                                         \
  PLUMB_UPDATE(bits, T, fetch_add, old + v)                                               \
  PLUMB_UPDATE(bits, T, fetch_sub, old - v)                                               \
  PLUMB_UPDATE(bits, T, fetch_and, old& v)                                                \
  PLUMB_UPDATE(bits, T, fetch_or, old | v)                                                \
  PLUMB_UPDATE(bits, T, fetch_xor, old ^ v)                                               \
  PLUMB_UPDATE(bits, T, fetch_nand, ~(old & v))                                           \
  PLUMB_INSTRUMENTATION bool __tsan_atomic##bits##_compare_exchange_strong(               \
      volatile T* p, T* expected, T v, int order, int failure) {                          \
    return atomic_replace(p, expected, v, order, failure, false, PLUMB_PC);               \
  }                                                                                       \
  PLUMB_INSTRUMENTATION bool __tsan_atomic##bits##_compare_exchange_weak(                 \
      volatile T* p, T* expected, T v, int order, int failure) {                          \
    return atomic_replace(p, expected, v, order, failure, true, PLUMB_PC);                \
  }                                                                                       \
  PLUMB_INSTRUMENTATION T __tsan_atomic##bits##_compare_exchange_val(                     \
      volatile T* p, T expected, T v, int order, int failure) {                           \
    /* clang does not say whether it is weak; a strong one must not fail for no reason */ \
    atomic_replace(p, &expected, v, order, failure, false, PLUMB_PC);                     \
    return expected;                                                                      \
  }
PLUMB_ATOMIC(8, U8)
PLUMB_ATOMIC(16, U16)
PLUMB_ATOMIC(32, U32)
PLUMB_ATOMIC(64, U64)
PLUMB_ATOMIC(128, U128)

PLUMB_INSTRUMENTATION void __tsan_atomic_thread_fence(int order) {
  if (inside()) execution.memory.model.fence(execution.threads.me, std::memory_order(order));
}
PLUMB_INSTRUMENTATION void __tsan_atomic_signal_fence(int) {}
