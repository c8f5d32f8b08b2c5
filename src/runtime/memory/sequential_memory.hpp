// SPDX-License-Identifier: MIT
// Sequential consistency: every access sees the last store that was executed, which is what lies in
// memory. Memory orders decide about races only (race.hpp).
//
// Each function does one access of the program and says what it saw. `raced`: it is part of a data
// race; races() then has the other sides. While there is one thread nothing can race, and nothing
// is kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/bytes.hpp"
#include "runtime/memory/race.hpp"

namespace plumb::runtime {

/// Who accesses: a thread, and the instruction.
struct Accessor {
  int thread;
  const void* pc;
};

template <class T>
struct Loaded {
  T value;
  bool raced;
};

/// Of a store or an update: what was there, and what is now.
template <class T>
struct Updated {
  T before, after;
  bool raced;
};

/// Of a compare-and-swap.
template <class T>
struct Replaced {
  T before;
  bool done;
  bool raced;
};

struct ReplacedBytes {
  bool done;
  bool raced;
};

class SequentialMemory {
 public:
  /// Address space for the tables; false where the system refuses.
  bool reserve() { return races_.reserve(); }
  /// Before an execution, which has one thread then.
  void reset(bool detects_races) {
    detects_races_ = detects_races;
    orders_ = false;
    if (detects_races) races_.reset();
  }
  void want_all_races(bool all) { races_.want_all(all); }
  std::span<const OtherAccess> races() const { return races_.others(); }

  // --- plain accesses; nothing is copied: the program itself accesses its memory afterwards
  // -------

  /// Whether it is part of a race. Also for what stands for one: `free` writes all of the block.
  bool access(Accessor who, const void* address, std::size_t size, Races::Kind kind) {
    if (!orders_) return false;
    return kind == Races::Kind::free && size > Races::kManyBytes
               ? races_.freed(who.thread, address, size)
               : races_.access(who.thread, address, size, kind, who.pc);
  }
  /// What was there before is another object's.
  void allocated(const void* address, std::size_t size) {
    if (orders_) races_.allocated(address, size);
  }

  // --- atomic accesses, of a type or of some bytes
  // ------------------------------------------------

  template <class T>
  Loaded<T> load(Accessor who, const volatile T* p, std::memory_order order) {
    const bool raced = loads(who, plain(p), sizeof(T), order);
    return {*p, raced};
  }
  template <class T>
  Updated<T> store(Accessor who, volatile T* p, T value, std::memory_order order) {
    const bool raced = stores(who, plain(p), sizeof(T), order);
    const T before = *p;
    *p = value;
    return {before, value, raced};
  }
  /// Replaces the value by next(value).
  template <class T, class F>
  Updated<T> update(Accessor who, volatile T* p, std::memory_order order, F next) {
    const bool raced = updates(who, plain(p), sizeof(T), order);
    const T before = *p;
    const T after = next(before);
    *p = after;
    return {before, after, raced};
  }
  /// Fails if the value is not `expected`, or if fails() says that it fails spuriously.
  template <class T, class F>
  Replaced<T> replace(Accessor who, volatile T* p, T expected, T desired, std::memory_order order,
                      std::memory_order failure, F fails) {
    const T before = *p;
    if (before != expected || fails())
      return {before, false, loads(who, plain(p), sizeof(T), failure)};
    const bool raced = updates(who, plain(p), sizeof(T), order);
    *p = desired;
    return {before, true, raced};
  }

  bool load(Accessor who, const void* p, void* result, std::size_t size, std::memory_order order) {
    copy_bytes(result, p, size);
    return loads(who, p, size, order);
  }
  bool store(Accessor who, void* p, const void* value, std::size_t size, std::memory_order order) {
    const bool raced = stores(who, p, size, order);
    copy_bytes(p, value, size);
    return raced;
  }
  /// If it fails, `expected` becomes what is there.
  ReplacedBytes replace(Accessor who, void* p, void* expected, const void* desired,
                        std::size_t size, std::memory_order order, std::memory_order failure) {
    if (!equal_bytes(p, expected, size)) {
      copy_bytes(expected, p, size);
      return {false, loads(who, p, size, failure)};
    }
    const bool raced = updates(who, p, size, order);
    copy_bytes(p, desired, size);
    return {true, raced};
  }
  /// next(p) changes the bytes there.
  template <class F>
  bool update(Accessor who, void* p, std::size_t size, std::memory_order order, F next) {
    const bool raced = updates(who, p, size, order);
    next(p);
    return raced;
  }

  void fence(int thread, std::memory_order order) {
    if (orders_) races_.fence(thread, order);
  }

  // --- synchronisation that is no access
  // ----------------------------------------------------------

  /// Locks, conditions, ends of threads: what was before a release is seen after an acquire.
  void release(int thread, const void* object) {
    if (orders_) races_.release(thread, object);
  }
  void acquire(int thread, const void* object) {
    if (orders_) races_.acquire(thread, object);
  }
  void thread_made(int maker, int thread) {
    if (!detects_races_) return;
    orders_ = true;
    races_.thread_made(maker, thread);
  }
  void thread_joined(int thread, int by) {
    if (orders_) races_.thread_joined(thread, by);
  }

 private:
  static const void* plain(const volatile void* p) { return const_cast<const void*>(p); }

  bool loads(Accessor who, const void* p, std::size_t size, std::memory_order order) {
    if (!orders_) return false;
    const bool raced = races_.access(who.thread, p, size, Races::Kind::atomic_read, who.pc);
    races_.load(who.thread, p, order);
    return raced;
  }
  bool stores(Accessor who, const void* p, std::size_t size, std::memory_order order) {
    if (!orders_) return false;
    const bool raced = races_.access(who.thread, p, size, Races::Kind::atomic_write, who.pc);
    races_.store(who.thread, p, order);
    return raced;
  }
  bool updates(Accessor who, const void* p, std::size_t size, std::memory_order order) {
    if (!orders_) return false;
    const bool raced = races_.access(who.thread, p, size, Races::Kind::atomic_write, who.pc);
    races_.update(who.thread, p, order);
    return raced;
  }

  Races races_;
  bool detects_races_ = false;
  bool orders_ = false;  // ... and there were several threads in this execution
};

}  // namespace plumb::runtime
