// SPDX-License-Identifier: MIT
#include "runtime/memory/race.hpp"

#include "runtime/base/bytes.hpp"
#include "runtime/memory/map_lazily.hpp"

namespace plumb::runtime {
namespace {

bool acquires(std::memory_order order) {
  return order == std::memory_order_consume || order == std::memory_order_acquire ||
         order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}
bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

bool is_write(Races::Kind kind) {
  return kind == Races::Kind::write || kind == Races::Kind::atomic_write ||
         kind == Races::Kind::free;
}
bool is_atomic(Races::Kind kind) {
  return kind == Races::Kind::atomic_read || kind == Races::Kind::atomic_write;
}

std::size_t place(std::uint64_t key, std::size_t size) {
  return ((key * 0x9e3779b97f4a7c15) >> 32) & (size - 1);
}

}  // namespace

bool Races::reserve() {
  if (cells_ == nullptr) cells_ = static_cast<Cell*>(map_lazily(kCells * sizeof(Cell)));
  if (locations_ == nullptr)
    locations_ = static_cast<Location*>(map_lazily(kLocations * sizeof(Location)));
  return cells_ != nullptr && locations_ != nullptr;
}

// Nothing is cleared: keys of an execution have its number in their highest bits, so older ones
// count as empty.
void Races::reset() {
  epoch_ += kOldest;
  if (epoch_ == 0) {  // numbers start again, and so must the tables
    epoch_ = kOldest;
    fill_bytes(cells_, 0, kCells * sizeof(Cell));
    fill_bytes(locations_, 0, kLocations * sizeof(Location));
  }
  for (int t = 0; t < threads_ || t == 0; ++t) clocks_[t] = seen_[t] = released_[t] = {};
  threads_ = 1;
  clocks_[0].at[0] = 1;
}

void Races::thread_made(int maker, int thread) {
  if (thread >= threads_) threads_ = thread + 1;
  clocks_[thread] = clocks_[maker];
  seen_[thread] = released_[thread] = {};
  clocks_[thread].at[thread] = 1;
  ++clocks_[maker].at[maker];
}

void Races::thread_joined(int thread, int by) { join(clocks_[by], clocks_[thread]); }

// A cell of another execution is free. If the table is full, the cell that hashing gives first is
// taken: a race may go unnoticed, none is invented.
Races::Cell& Races::cell(std::uintptr_t word) {
  const std::uint64_t key = word | epoch_;
  // Not of the key: the same memory shall use the same cells in every execution, while they are in
  // the cache.
  const std::size_t first = place(word, kCells);
  for (std::size_t i = 0; i < 16; ++i) {
    Cell& c = cells_[(first + i) & (kCells - 1)];
    if (c.key == key) return c;
    if ((c.key ^ epoch_) >= kOldest) {
      c.key = key;
      c.count = 0;
      return c;
    }
  }
  cells_[first].key = key;
  cells_[first].count = 0;
  return cells_[first];
}

Races::Location& Races::location(const void* address) {
  const std::uint64_t word = reinterpret_cast<std::uintptr_t>(address) & (kOldest - 1);
  const std::uint64_t full = word | epoch_;
  const std::size_t first = place(word, kLocations);
  for (std::size_t i = 0; i < 16; ++i) {
    Location& l = locations_[(first + i) & (kLocations - 1)];
    if (l.key == full) return l;
    if ((l.key ^ epoch_) >= kOldest) {
      l.key = full;
      l.released = false;
      return l;
    }
  }
  locations_[first].key = full;
  locations_[first].released = false;
  return locations_[first];
}

__attribute__((noinline, cold)) void Races::add(const Cell::Last& last) {
  if (other_count_ == others_.size()) return;
  for (std::size_t i = 0; i < other_count_; ++i) {
    if (others_[i].thread == last.thread && others_[i].pc == last.pc) return;
  }
  others_[other_count_++] = {last.thread, last.pc, is_write(last.kind), is_atomic(last.kind),
                             last.kind == Kind::free};
}

// The cells are gone through instead of the words. It is not remembered: who comes later comes to
// memory that was freed.
bool Races::freed(int thread, const void* address, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  other_count_ = 0;
  for (std::size_t i = 0; i < kCells; ++i) {
    const Cell& c = cells_[i];
    const std::uint64_t word = c.key ^ epoch_;
    if (word >= kOldest || word - begin / 8 >= size / 8) continue;
    for (int k = 0; k < c.count; ++k) {
      if (c.lasts[k].thread != thread && !before(c.lasts[k], thread)) add(c.lasts[k]);
    }
  }
  return other_count_ != 0;
}

bool Races::access(int thread, const void* address, std::size_t size, Kind kind, const void* pc) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t end = begin + (size == 0 ? 1 : size);
  const std::uint32_t time = clocks_[thread].at[thread];
  bool races = false;
  for (std::uintptr_t word = begin / 8; word * 8 < end; ++word) {
    const auto first = static_cast<std::uint8_t>(word * 8 >= begin ? 0 : begin % 8);
    const auto last = static_cast<std::uint8_t>(word * 8 + 8 <= end ? 7 : end - 1 - word * 8);
    Cell& c = cell(word);
    std::uint8_t from = first, to = last;
    int same = -1;   // ours of the same kind and bytes: replaced
    int older = -1;  // ordered before us: may be forgotten if we are a write, or for want of room
    for (int i = 0; i < c.count; ++i) {
      const Cell::Last& l = c.lasts[i];
      const bool mine = l.thread == thread;
      if (mine && l.kind == kind && l.first == first && l.last == last) same = i;
      // Bytes one after the other are one access: otherwise a string that is copied would fill the
      // cell. Not neighbours that are written in different places: a report says where.
      if (mine && l.kind == kind && l.time == time && l.pc == pc &&
          (l.last + 1 == first || last + 1 == l.first)) {
        same = i;
        if (l.first < from) from = l.first;
        if (l.last > to) to = l.last;
      }
      if (mine || before(l, thread)) {
        older = i;
        continue;
      }
      if (l.last < first || last < l.first) continue;
      if (!is_write(l.kind) && !is_write(kind)) continue;
      if (is_atomic(l.kind) && is_atomic(kind)) continue;
      if (!races) other_count_ = 0;
      races = true;
      add(l);
      if (!all_) return true;
    }
    int at = same;
    if (at < 0 && c.count < static_cast<int>(c.lasts.size())) at = c.count++;
    if (at < 0) at = older >= 0 ? older : 0;
    c.lasts[at] = {time, static_cast<std::uint8_t>(thread), from, to, kind, pc};
  }
  return races;
}

void Races::allocated(const void* address, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address) / 8;
  for (std::uintptr_t word = begin; word * 8 < begin * 8 + size; ++word) cell(word).count = 0;
}

void Races::load(int thread, const void* address, std::memory_order order) {
  const Location& l = location(address);
  if (!l.released) return;
  join(acquires(order) ? clocks_[thread] : seen_[thread], l.clock);
}

void Races::store(int thread, const void* address, std::memory_order order) {
  Location& l = location(address);
  if (releases(order)) {
    l.clock = clocks_[thread];
    l.released = true;
    ++clocks_[thread].at[thread];
  } else {
    // A relaxed store after a release fence carries what was before the fence; others end the
    // release sequence.
    l.clock = released_[thread];
    l.released = true;
  }
}

// An update continues the release sequence that it reads from.
void Races::update(int thread, const void* address, std::memory_order order) {
  Location& l = location(address);
  if (l.released) join(acquires(order) ? clocks_[thread] : seen_[thread], l.clock);
  if (!l.released) l.clock = {};
  l.released = true;
  if (releases(order)) {
    join(l.clock, clocks_[thread]);
    ++clocks_[thread].at[thread];
  } else {
    join(l.clock, released_[thread]);
  }
}

void Races::fence(int thread, std::memory_order order) {
  if (acquires(order)) join(clocks_[thread], seen_[thread]);
  if (releases(order)) {
    released_[thread] = clocks_[thread];
    ++clocks_[thread].at[thread];
  }
}

}  // namespace plumb::runtime
