// SPDX-License-Identifier: MIT
// The memory model in force: what every access of the program goes through after its scheduling
// point and before its effect. Hooks know this interface and no model.
//
// Another model is another class that does the same. Where several can be in force, `Model` becomes
// a class that asks Options which one, by one branch an access; a virtual call would cost more than
// the access.
#pragma once

#include <concepts>

#include "runtime/memory/sequential_memory.hpp"

namespace plumb::runtime {

template <class M>
concept MemoryModel = requires(M model, Accessor who, volatile std::uint64_t* p,
                               std::uint64_t value, void* bytes, std::size_t size,
                               std::memory_order order, std::uint64_t (*next)(std::uint64_t),
                               void (*change)(void*), bool (*fails)(), Races::Kind kind,
                               int thread) {
  // Plain accesses: whether they are part of a race.
  { model.access(who, bytes, size, kind) } -> std::same_as<bool>;
  model.allocated(bytes, size);
  // Atomic accesses.
  { model.load(who, p, order) } -> std::same_as<Loaded<std::uint64_t>>;
  { model.store(who, p, value, order) } -> std::same_as<Updated<std::uint64_t>>;
  { model.update(who, p, order, next) } -> std::same_as<Updated<std::uint64_t>>;
  {
    model.replace(who, p, value, value, order, order, fails)
    } -> std::same_as<Replaced<std::uint64_t>>;
  { model.load(who, bytes, bytes, size, order) } -> std::same_as<bool>;
  { model.store(who, bytes, bytes, size, order) } -> std::same_as<bool>;
  { model.replace(who, bytes, bytes, bytes, size, order, order) } -> std::same_as<ReplacedBytes>;
  { model.update(who, bytes, size, order, change) } -> std::same_as<bool>;
  model.fence(thread, order);
  // Synchronisation that is no access.
  model.release(thread, bytes);
  model.acquire(thread, bytes);
  model.thread_made(thread, thread);
  model.thread_joined(thread, thread);
  // An execution, and its races.
  model.reset(bool{});
  { model.races() } -> std::same_as<std::span<const OtherAccess>>;
};

using Model = SequentialMemory;
static_assert(MemoryModel<Model>);

}  // namespace plumb::runtime
