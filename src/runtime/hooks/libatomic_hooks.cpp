// SPDX-License-Identifier: MIT
// Atomic objects whose operations the compiler does not make itself but asks libatomic for: those
// of odd sizes, and those of 16 bytes where it does not know that the processor has cmpxchg16b.
//
// libatomic locks where it has to; here a lock of our own does, outside executions. (Compilers know
// the names, and would not let functions of these names be defined under them.)
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/base/bytes.hpp"
#include "runtime/schedule/accesses.hpp"

using namespace plumb::runtime;

#define PLUMB_LIBATOMIC(name) asm("__atomic_" #name) __attribute__((visibility("default")))
#define PLUMB_PC __builtin_return_address(0)

namespace {

__extension__ using U128 = unsigned __int128;

char locked = 0;

// Inside an execution nobody else runs.
class Alone {
 public:
  Alone() {
    while (!inside() && __atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE) != 0) {}
  }
  ~Alone() {
    if (!inside()) __atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
  }
};

std::uint64_t hash(const void* p, std::size_t size) {
  std::uint64_t h = 0;
  for (std::size_t i = 0; i < size; ++i) {
    h = (h ^ static_cast<const unsigned char*>(p)[i]) * 0x100000001b3;
  }
  return h;
}

void arrive(const void* p, std::size_t size, Touch touch, const char* what, const void* pc) {
  Execution& e = execution;
  if (!inside()) return;
  ++e.memory.accesses;
  e.point({address_of(p), static_cast<std::uint32_t>(size), touch}, pc);
  e.trace.note(what);
  check_memory(p, size, touch == Touch::write, pc);
}

Model& model() { return execution.memory.model; }

void report(bool has_raced, const void* p, std::size_t size, Races::Kind kind, const void* pc) {
  if (has_raced) [[unlikely]]
    raced(p, size, kind, pc);
}

void load(std::size_t size, const void* p, void* result, int order, const void* pc) {
  arrive(p, size, Touch::read, "load", pc);
  const Alone alone;
  if (!inside()) return copy_bytes(result, p, size);
  report(model().load(accessor(pc), p, result, size, std::memory_order(order)), p, size,
         Races::Kind::atomic_read, pc);
  execution.spins.note_spin_read(p, hash(result, size), pc);
}

void store(std::size_t size, void* p, const void* value, int order, const void* pc) {
  arrive(p, size, Touch::write, "store", pc);
  const Alone alone;
  if (!inside()) return copy_bytes(p, value, size);
  report(model().store(accessor(pc), p, value, size, std::memory_order(order)), p, size,
         Races::Kind::atomic_write, pc);
  execution.spins.changed();
}

/// next(p) changes the bytes at p.
template <class F>
void update(std::size_t size, void* p, int order, const char* what, const void* pc, F next) {
  arrive(p, size, Touch::write, what, pc);
  const Alone alone;
  if (!inside()) return next(p);
  report(model().update(accessor(pc), p, size, std::memory_order(order), next), p, size,
         Races::Kind::atomic_write, pc);
  execution.spins.changed();
}

void exchange(std::size_t size, void* p, const void* value, void* result, int order,
              const void* pc) {
  update(size, p, order, "exchange", pc, [=](void* there) {
    copy_bytes(result, there, size);
    copy_bytes(there, value, size);
  });
}

bool replace_outside(std::size_t size, void* p, void* expected, const void* desired) {
  const bool done = equal_bytes(p, expected, size);
  if (done) copy_bytes(p, desired, size);
  else copy_bytes(expected, p, size);
  return done;
}

bool replace(std::size_t size, void* p, void* expected, const void* desired, int order, int failure,
             const void* pc) {
  arrive(p, size, Touch::write, "compare_exchange", pc);
  const Alone alone;
  if (!inside()) return replace_outside(size, p, expected, desired);
  const ReplacedBytes seen = model().replace(accessor(pc), p, expected, desired, size,
                                             std::memory_order(order), std::memory_order(failure));
  report(seen.raced, p, size, seen.done ? Races::Kind::atomic_write : Races::Kind::atomic_read, pc);
  if (seen.done) {
    execution.spins.changed();
  } else {
    execution.was(Touch::read);
    execution.spins.note_spin_read(p, hash(expected, size), pc);
  }
  return seen.done;
}

template <class F>
U128 update_16(void* p, int order, const char* what, const void* pc, F next) {
  U128 old = 0;
  update(sizeof old, p, order, what, pc, [&old, next](void* there) {
    copy_bytes(&old, there, sizeof old);
    const U128 value = next(old);
    copy_bytes(there, &value, sizeof value);
  });
  return old;
}

}  // namespace

extern "C" {

void plumb_atomic_load(std::size_t size, const void* p, void* result, int order)
    PLUMB_LIBATOMIC(load);
void plumb_atomic_load(std::size_t size, const void* p, void* result, int order) {
  load(size, p, result, order, PLUMB_PC);
}
void plumb_atomic_store(std::size_t size, void* p, const void* value, int order)
    PLUMB_LIBATOMIC(store);
void plumb_atomic_store(std::size_t size, void* p, const void* value, int order) {
  store(size, p, value, order, PLUMB_PC);
}
void plumb_atomic_exchange(std::size_t size, void* p, const void* value, void* result, int order)
    PLUMB_LIBATOMIC(exchange);
void plumb_atomic_exchange(std::size_t size, void* p, const void* value, void* result, int order) {
  exchange(size, p, value, result, order, PLUMB_PC);
}
bool plumb_atomic_replace(std::size_t size, void* p, void* expected, const void* desired, int order,
                          int failure) PLUMB_LIBATOMIC(compare_exchange);
bool plumb_atomic_replace(std::size_t size, void* p, void* expected, const void* desired, int order,
                          int failure) {
  return replace(size, p, expected, desired, order, failure, PLUMB_PC);
}

U128 plumb_atomic_load_16(const void* p, int order) PLUMB_LIBATOMIC(load_16);
U128 plumb_atomic_load_16(const void* p, int order) {
  U128 result = 0;
  load(sizeof result, p, &result, order, PLUMB_PC);
  return result;
}
void plumb_atomic_store_16(void* p, U128 value, int order) PLUMB_LIBATOMIC(store_16);
void plumb_atomic_store_16(void* p, U128 value, int order) {
  store(sizeof value, p, &value, order, PLUMB_PC);
}
U128 plumb_atomic_exchange_16(void* p, U128 value, int order) PLUMB_LIBATOMIC(exchange_16);
U128 plumb_atomic_exchange_16(void* p, U128 value, int order) {
  U128 result = 0;
  exchange(sizeof value, p, &value, &result, order, PLUMB_PC);
  return result;
}
bool plumb_atomic_replace_16(void* p, void* expected, U128 desired, int order, int failure)
    PLUMB_LIBATOMIC(compare_exchange_16);
bool plumb_atomic_replace_16(void* p, void* expected, U128 desired, int order, int failure) {
  return replace(sizeof desired, p, expected, &desired, order, failure, PLUMB_PC);
}

#define PLUMB_UPDATE_16(name, expression)                                                      \
  U128 plumb_atomic_##name##_16(void* p, U128 v, int order) PLUMB_LIBATOMIC(name##_16);        \
  U128 plumb_atomic_##name##_16(void* p, U128 v, int order) {                                  \
    return update_16(p, order, #name, PLUMB_PC, [v](U128 old) -> U128 { return expression; }); \
  }
PLUMB_UPDATE_16(fetch_add, old + v)
PLUMB_UPDATE_16(fetch_sub, old - v)
PLUMB_UPDATE_16(fetch_and, (old & v))
PLUMB_UPDATE_16(fetch_or, (old | v))
PLUMB_UPDATE_16(fetch_xor, (old ^ v))
PLUMB_UPDATE_16(fetch_nand, ~(old& v))

}  // extern "C"
