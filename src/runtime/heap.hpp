// SPDX-License-Identifier: MIT
// The heap of the program under test. It lies at a fixed address and is emptied before every
// execution, so the same schedule gets the same addresses; and it knows of every 16 bytes whether
// they are allocated.
//
// What becomes of a block that is freed is what decides which bugs show: never used again
// (quarantine: a late access is an access to freed memory), used again as late as possible (FIFO)
// or at once (LIFO): a compare-and-swap may then succeed on an address that was freed and allocated
// in between (ABA).
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::runtime {

enum class Reuse : std::uint8_t { kNever, kFifo, kLifo };

class Heap {
 public:
  static constexpr std::uintptr_t kBase = 0x7e0000000000;
  static constexpr std::size_t kBytes = std::size_t{1} << 32;
  static constexpr std::size_t kGrain = 16;

  enum Shadow : std::uint8_t { kNothing = 0, kAllocated, kFreed };

  bool reserve();  // the address space; false where the system refuses

  static bool contains(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) - kBase < kBytes;
  }

  void* allocate(std::size_t bytes, std::size_t alignment = kGrain);  // null: no room
  void release(void* p);                                              // Requires: is_block(p).

  // What p's 16 bytes are. Requires: contains(p).
  Shadow shadow(const void* p) const { return static_cast<Shadow>(shadow_[grain(p)]); }
  bool is_block(const void* p) const;  // the beginning of a block, allocated or freed?
  static std::size_t size(const void* block) { return header(block)->bytes; }

  // The block (allocated or freed last) around p, or null.
  const void* block_around(const void* p) const;

  void reset(Reuse reuse);
  std::size_t live() const { return live_; }  // blocks
  bool freed() const { return freed_; }       // has any block been freed, in any execution since:
  void begin() { freed_ = false; }
  std::size_t used_bytes() const { return top_ - kBase; }

 private:
  // Before every block; its 16 bytes are never allocated, and so tell a block from its neighbour.
  struct Header {
    std::uint64_t bytes;
    std::uint32_t next;  // in a list of free blocks, as a number of grains
    std::uint32_t grains;
  };
  struct List {
    std::uint32_t first = 0, last = 0;
  };
  static constexpr std::size_t kClasses =
      64;  // lists of free blocks, by grains; larger ones are not reused

  static Header* header(const void* block) {
    return reinterpret_cast<Header*>(reinterpret_cast<std::uintptr_t>(block) - sizeof(Header));
  }
  static std::size_t grain(const void* p) {
    return (reinterpret_cast<std::uintptr_t>(p) - kBase) / kGrain;
  }

  std::uint8_t* shadow_ = nullptr;
  std::uintptr_t top_ = kBase;
  std::size_t live_ = 0;
  bool freed_ = false;
  Reuse reuse_ = Reuse::kNever;
  List lists_[kClasses];
};

}  // namespace plumb::runtime
