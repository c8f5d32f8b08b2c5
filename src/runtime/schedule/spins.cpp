// SPDX-License-Identifier: MIT
#include "runtime/schedule/spins.hpp"

#include "runtime/base/bytes.hpp"
#include "runtime/schedule/execution.hpp"

namespace plumb::runtime {
namespace {

// Rounds in which every thread that could run only read. Loops that give up after some tries
// (libstdc++'s atomic wait: sixteen) must come through.
constexpr std::uint64_t kIdleRounds = 20'000;
// If all of them are in states in which they were before, they will stay in them.
constexpr std::uint64_t kRepeatedRounds = 3;

// A loop whose own state changes (a counter, a growing pause) is assumed to wait after so many
// reads of the same value.
constexpr std::uint32_t kReadsAlike = 32;

// After so many reads of the same value, between which something was stored, a thread's stores are
// looked at.
constexpr std::uint16_t kStaleReads = 2;

// A thread that is alone may read so often before it is suspected to wait forever.
constexpr std::uint64_t kLoneReads = 1'000;

// So many times a thread may yield in vain and find that no other thread has done anything: code
// that yields a few times and then sleeps (libstdc++'s atomic wait: four) must get there.
constexpr std::uint32_t kFreeYields = 4;

bool is_on_a_stack(const void* address) {
  for (int t = 0; t < execution.threads.made; ++t) {
    const std::byte* const stack = execution.threads[t].fiber->stack;
    if (static_cast<std::size_t>(static_cast<const std::byte*>(address) - stack) < kStackBytes)
      return true;
  }
  return false;
}

const volatile std::uint64_t* word_around(const void* address) {
  return reinterpret_cast<const volatile std::uint64_t*>(reinterpret_cast<std::uintptr_t>(address) &
                                                         ~std::uintptr_t{7});
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = (a ^ b) * 0x9e3779b97f4a7c15;
  return h ^ (h >> 29);
}

}  // namespace

void Spins::reset(int threads) {
  for (int t = 0; t < threads; ++t) reads_[static_cast<std::size_t>(t)] = {};
  spinning = yielded = version = 0;
  suspects_ = 0;
  is_storing_ = false;
  repeating_ = idle_rounds_ = lone_reads_ = 0;
  lone_repeats_ = 0;
}

// A thread that waits may keep what it has seen in a variable of its own, the same in each round:
//     while (next == seen) seen = read_index.load();
// It changes nothing. To look at each store of all threads would be slow; so a thread is suspected
// first, by what it reads.
void Spins::before_store_of_suspect(const void* address, std::size_t size, std::uint8_t thread) {
  settle();
  if ((suspects_ >> thread & 1) == 0 || !keep_old_value(address, size)) return changed();
  is_storing_ = true;
  ++reads_[thread].idle_stores;
}

bool Spins::keep_old_value(const void* address, std::size_t size) {
  const bool is_mapped = Heap::contains(address) || is_on_a_stack(address) ||
                         execution.memory.snapshot.covers(address);
  if (size > stored_.before.size() || !is_mapped) return false;
  stored_.address = address;
  stored_.size = size;
  stored_.thread = execution.threads.me;
  copy_bytes(stored_.before.data(), address, size);
  return true;
}

void Spins::compare_with_old_value() {
  is_storing_ = false;
  if (equal_bytes(stored_.address, stored_.before.data(), stored_.size)) return;
  suspects_ &= ~thread_bit(stored_.thread);
  changed();
}

void Spins::note_store(bool changes, std::uint8_t thread) {
  settle();
  if (changes) changed();
  else ++reads_[thread].idle_stores;
}

// A loop that waits: the thread reads the same place and sees the same as before, and shared memory
// has not changed in between; if its own state (stack and registers) is also the same, continuing
// would only repeat it forever. It is then left alone until another thread writes. Comparing with
// the state at the *first* read matters: a write after it, but before the second, must wake.
__attribute__((noinline)) void Spins::note_spin_read(const void* address, std::uint64_t value,
                                                     const void* pc) {
  settle();
  // Alone it mostly prepares or compares: only a thread that reads for long is watched.
  const ThreadTable& threads = execution.threads;
  const bool alone = threads.live == 1;
  if (alone && ++lone_reads_ < kLoneReads) return;
  const Thread& thread = threads.self();
  ThreadReads& mine = reads_[threads.me];
  const std::uint64_t key =
      mix(mix(reinterpret_cast<std::uint64_t>(pc), reinterpret_cast<std::uint64_t>(address)),
          mix(value, thread.call_hash[static_cast<std::size_t>(thread.kept_calls())])) |
      1;
  for (Read& read : mine.reads) {
    if (read.key != key) continue;
    if (read.version != version) {
      if (++read.stale >= kStaleReads) suspects_ |= thread_bit(threads.me);
      read.version = version;
      read.times = 0;
      read.stack = 0;
      return;
    }
    __builtin_unwind_init();  // registers onto the stack
    std::uint64_t stack = 0;
    const auto* const top =
        reinterpret_cast<const std::uint64_t*>(thread.fiber->stack + kStackBytes);
    for (auto* word = static_cast<const std::uint64_t*>(__builtin_frame_address(0)); word < top;
         ++word) {
      stack = mix(stack, *word);
    }
    const bool same = read.stack == stack;
    read.stack = stack;
    if (alone) return note_lone_repeat(same);
    if (same) repeating_ |= thread_bit(threads.me);
    // Who stores is not a thread that only waits, unless it is certain to repeat itself.
    if (read.idle_stores != mine.idle_stores) read.times = 0;
    read.idle_stores = mine.idle_stores;
    if (same || ++read.times >= kReadsAlike) {
      spinning |= thread_bit(threads.me);
      mine.waits_at = word_around(address);
      mine.word = *mine.waits_at;
      guessed |= !same;
    }
    return;
  }
  mine.reads[static_cast<std::size_t>(mine.next++) % mine.reads.size()] = {
      key, version, 0, 0, 0, mine.idle_stores};
}

// No thread is left that could change what it reads.
void Spins::note_lone_repeat(bool same) {
  if (!same) lone_repeats_ = 0;
  else if (++lone_repeats_ > kRepeatedRounds) execution.end_lone_spin();
  // A loop that counts may end some day: that is not known.
  if (lone_reads_ > kIdleRounds * kReadsAlike) execution.give_up(ExecutionEnd::cut);
}

// What has no hooks writes without saying so.
void Spins::look_again() {
  for (std::uint64_t left = spinning; left != 0; left &= left - 1) {
    const ThreadReads& reads = reads_[static_cast<std::size_t>(__builtin_ctzll(left))];
    if (*reads.waits_at != reads.word) return changed();
  }
}

bool Spins::note_yield(int thread) {
  settle();
  ThreadReads& mine = reads_[static_cast<std::size_t>(thread)];
  if (mine.yield_version != version) mine.yields = 0;
  mine.yield_version = version;
  if (++mine.yields <= kFreeYields) return false;
  yielded |= thread_bit(thread);
  guessed = true;
  return true;
}

Spins::Idle Spins::note_idle_round(std::uint64_t able) {
  const bool forever = (able & ~repeating_) == 0;
  if (++idle_rounds_ > (forever ? kRepeatedRounds : kIdleRounds))
    return forever ? Idle::forever : Idle::unknown;
  spinning = 0;
  return Idle::again;
}

}  // namespace plumb::runtime
