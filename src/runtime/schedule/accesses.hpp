// SPDX-License-Identifier: MIT
// Every access of the program under test comes here: is it a scheduling point, is the memory
// allocated, does it race?
#pragma once

#include "runtime/schedule/execution.hpp"

namespace plumb::runtime {

[[noreturn]] void bad_memory(const void* address, std::size_t size, bool write, const void* pc);
void raced(const void* address, std::size_t size, Races::Kind kind, const void* pc);

/// For what _FORTIFY_SOURCE calls instead of memcpy and its like: with the room that there is.
void check_room(std::size_t bytes, std::size_t room, const void* to, const void* pc);

inline std::uint64_t address_of(const volatile void* p) {
  return reinterpret_cast<std::uint64_t>(p);
}

inline Accessor accessor(const void* pc) { return {execution.threads.me, pc}; }

inline void check_memory(const void* address, std::size_t size, bool write, const void* pc) {
  if (!Heap::contains(address) || !execution.options.memory) return;
  const Heap& heap = execution.memory.heap;
  const auto* const last = static_cast<const std::byte*>(address) + (size == 0 ? 0 : size - 1);
  if (!heap.is_allocated(address) || !heap.is_allocated(last)) [[unlikely]]
    bad_memory(address, size, write, pc);
}

inline void check_race(const void* address, std::size_t size, Races::Kind kind, const void* pc) {
  if (execution.memory.model.access(accessor(pc), address, size, kind)) [[unlikely]]
    raced(address, size, kind, pc);
}

inline bool on_own_stack(const void* address) {
  return static_cast<std::size_t>(static_cast<const std::byte*>(address) -
                                  execution.self().fiber->stack) < kStackBytes;
}

inline bool is_plain_point(const void* pc) {
  const PlainPoints plain = execution.options.plain;
  return plain != PlainPoints::none && (plain == PlainPoints::all || execution.sites.contains(pc));
}

inline void plain_access(const void* address, std::size_t size, bool write, const void* pc) {
  if (!inside()) return;
  Execution& e = execution;
  ++e.memory.accesses;
  const Access access{address_of(address), static_cast<std::uint32_t>(size),
                      write ? Touch::write : Touch::read};
  if (is_plain_point(pc)) e.point(access, pc);
  else if (e.options.plain == PlainPoints::none && e.sites.contains(pc)) e.takes_effect(pc);
  check_memory(address, size, write, pc);
  e.trace.note_plain(address, size, write);
  e.note_access(access);
  check_race(address, size, write ? Races::Kind::write : Races::Kind::read, pc);
  if (write && !on_own_stack(address)) {
    e.spins.before_store(address, size, e.threads.me);
    e.memory.prior_heap.note_write(address);
  }
}

}  // namespace plumb::runtime
