// SPDX-License-Identifier: MIT
// What every access of the program under test goes through: is the memory there, does it race, is
// it a scheduling point?
#pragma once

#include "runtime/schedule/execution.hpp"

namespace plumb::runtime {

[[noreturn]] void bad_memory(const void* address, std::size_t size, bool write, const void* pc);
void raced(const void* address, std::size_t size, Races::Kind kind, const void* pc);

// For what _FORTIFY_SOURCE calls instead of memcpy and its like: with the room that there is.
void check_room(std::size_t bytes, std::size_t room, const void* to, const void* pc);

inline std::uint64_t address_of(const volatile void* p) {
  return reinterpret_cast<std::uint64_t>(p);
}

inline void check_memory(const void* address, std::size_t size, bool write, const void* pc) {
  if (!Heap::contains(address) || !execution.options.memory) return;
  const auto* const last = static_cast<const std::byte*>(address) + (size == 0 ? 0 : size - 1);
  if (!execution.heap.is_allocated(address) || !execution.heap.is_allocated(last)) [[unlikely]]
    bad_memory(address, size, write, pc);
}

inline void check_race(const void* address, std::size_t size, Races::Kind kind, const void* pc) {
  if (!execution.options.races || execution.made == 1) return;
  Races& races = execution.races;
  const bool found = kind == Races::Kind::free && size > Races::kManyBytes
                         ? races.freed(execution.me, address, size)
                         : races.access(execution.me, address, size, kind, pc);
  if (found) [[unlikely]]
    raced(address, size, kind, pc);
}

inline bool on_own_stack(const void* address) {
  return static_cast<std::size_t>(static_cast<const std::byte*>(address) -
                                  execution.self().fiber->stack) < kStackBytes;
}

inline void plain_access(const void* address, std::size_t size, bool write, const void* pc) {
  if (!inside()) return;
  Execution& e = execution;
  ++e.accesses;
  if (e.options.plain != PlainPoints::none &&
      (e.options.plain == PlainPoints::all || e.sites.contains(pc))) {
    e.point(
        {address_of(address), static_cast<std::uint32_t>(size), write ? Touch::write : Touch::read},
        pc);
  }
  check_memory(address, size, write, pc);
  e.note_plain(address, size, write);
  e.note_access(
      {address_of(address), static_cast<std::uint32_t>(size), write ? Touch::write : Touch::read});
  check_race(address, size, write ? Races::Kind::write : Races::Kind::read, pc);
  if (write && !on_own_stack(address)) {
    e.changed();
    if (address_of(address) - e.older_begin < e.older_end - e.older_begin) e.wrote_older = true;
  }
}

}  // namespace plumb::runtime
