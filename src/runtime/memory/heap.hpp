// SPDX-License-Identifier: MIT
// The heap of the program under test. It lies at a fixed address and is emptied before every
// execution, so the same schedule gets the same addresses; and it knows of every byte whether it is
// allocated.
//
// What becomes of a block that is freed is what decides which bugs show: never used again
// (quarantine: a late access is an access to freed memory), used again as late as possible (FIFO)
// or at once (LIFO): a compare-and-swap may then succeed on an address that was freed and allocated
// in between (ABA).
//
// Below it lie the blocks that the program allocated before the first execution. They are put back
// as they were then (pages.hpp), with what is known of them: one that is freed or grows in an
// execution is there again in the next.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/memory/pages.hpp"
#include "runtime/wire/options.hpp"

namespace plumb::runtime {

class Heap {
 public:
  static constexpr std::uintptr_t kBase = 0x7e0000000000;
  static constexpr std::size_t kBytes = std::size_t{1} << 32;
  static constexpr std::size_t kOlderBytes = std::size_t{1} << 30;
  static constexpr std::uintptr_t kOlder = kBase - kOlderBytes;
  static constexpr std::size_t kGrain = 16;

  /// Of 16 bytes. From 1 to 15: only so many of them, the last of a block, are allocated.
  enum Shadow : std::int8_t { empty = -2, freed = -1, nothing = 0, allocated = kGrain };

  bool reserve();  // the address space; false where the system refuses

  static bool contains(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) - kOlder < kOlderBytes + kBytes;
  }

  /// Null: no room. Before begin() it is a block that all executions find.
  void* allocate(std::size_t bytes, std::size_t alignment = kGrain);
  void release(void* p);  // Requires: is_block(p).

  /// Requires: contains(p).
  bool is_allocated(const void* p) const {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) % kGrain) < shadow_[grain(p)] ||
           (address(p) >= limit_ && shadow(p) == Shadow::allocated);
  }
  Shadow shadow(
      const void* p) const;  // of the 16 bytes around it; Shadow::allocated for a part of them
  bool is_block(const void* p) const;  // the beginning of a block, allocated or freed?
  static std::size_t size(const void* block) { return header(block)->bytes; }

  /// How a block was made. Requires: is_block(block), and it is not freed.
  enum class Maker : std::uint32_t { malloc, object, array };
  static Maker maker(const void* block) { return static_cast<Maker>(header(block)->next); }
  static void set_maker(void* block, Maker maker) {
    header(block)->next = static_cast<std::uint32_t>(maker);
  }

  /// The block (allocated or freed last) around p, or null.
  const void* block_around(const void* p) const;

  void begin();  // executions
  bool before() const { return before_; }
  void watch(Pages& pages) const;
  void reset(Reuse reuse);

  std::size_t live() const { return live_; }  // blocks of this execution
  void not_counted() { --live_; }             // the last one: nobody is to free it
  bool reused() const { return reused_; }     // was the last one used before?
  /// Did the execution ask for a block such as it had freed before? Otherwise it makes no
  /// difference whether blocks are used again.
  bool could_reuse() const { return could_reuse_; }
  std::size_t used_bytes() const { return top_ - kBase; }

 private:
  /// Before every block; its 16 bytes are never allocated, and so separate a block from its
  /// neighbour.
  struct Header {
    std::uint64_t bytes;
    std::uint32_t next;  // in a list of free blocks, as a number of grains; else its maker
    std::uint32_t grains;
  };
  struct List {
    std::uint32_t first = 0, last = 0;
  };
  static constexpr std::size_t kClasses =
      64;  // lists of free blocks, by grains; larger ones are not reused

  /// Blocks of which perhaps little is ever touched. They lie at the end of the heap, without a
  /// shadow, and are given back to the system instead of being zeroed.
  struct Large {
    std::uintptr_t begin;
    std::size_t bytes;
    bool freed;
  };
  static constexpr std::size_t kLarge = std::size_t{1} << 20;
  static constexpr int kMostLarge = 64;
  /// Zeroing what was used is faster than getting it again from the system, but only if it was.
  static constexpr std::size_t kZeroed = std::size_t{1} << 24;

  static std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
  static Header* header(const void* block) {
    return reinterpret_cast<Header*>(address(block) - sizeof(Header));
  }
  static std::size_t grain(const void* p) { return (address(p) - kOlder) / kGrain; }
  static void* at_grain(std::size_t number) {
    return reinterpret_cast<void*>(kOlder + number * kGrain);
  }
  void mark(const void* block, std::size_t bytes);
  void* allocate_large(std::size_t bytes, std::size_t alignment);
  const Large* large_around(const void* p) const;

  std::int8_t* shadow_ = nullptr;
  std::uintptr_t top_ = kOlder;
  std::uintptr_t limit_ = kBase;  // large blocks lie above it
  std::uintptr_t older_top_ = kOlder;
  std::size_t live_ = 0;
  bool before_ = true;
  bool could_reuse_ = false;
  std::uint64_t freed_ = 0;  // in this execution: a bit for each list
  bool reused_ = false;
  Reuse reuse_ = Reuse::lifo;
  List lists_[kClasses];
  Large large_[kMostLarge]{};
  int large_count_ = 0;
};

}  // namespace plumb::runtime
