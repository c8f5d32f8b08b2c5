// SPDX-License-Identifier: MIT
#include "runtime/accesses.hpp"

#include "runtime/annotations.hpp"
#include "runtime/text.hpp"

namespace plumb::runtime {

void bad_memory(const void* address, std::size_t size, bool write, const void* pc) {
  const bool freed = execution.heap.shadow(address) == Heap::kFreed;
  Text text;
  text << (write ? "writes " : "reads ") << size << (size == 1 ? " byte" : " bytes")
       << (freed ? " of memory that was freed" : " outside of what was allocated");
  execution.fail(freed ? FindingKind::kUseAfterFree : FindingKind::kOutOfBounds, text.c_str(),
                 address, static_cast<std::uint32_t>(size), pc);
}

void raced(const void* address, std::size_t size, Races::Kind kind, const OtherAccess& other,
           const void* pc) {
  Execution& e = execution;
  if (!e.options.race_is_bad || is_benign(address)) {
    if (e.options.plain != PlainPoints::kSome) return;
    if (e.sites.add(pc)) e.sites_added = true;
    if (e.sites.add(other.pc)) e.sites_added = true;
    // The rest of this execution has other scheduling points than its beginning: useless.
    if (e.sites_added) e.give_up(Outcome::kPruned);
    return;
  }
  Text text;
  text << (kind == Races::kFree                                   ? "freeing"
           : kind == Races::kWrite || kind == Races::kAtomicWrite ? "a write"
                                                                  : "a read")
       << " and "
       << (other.is_free    ? "freeing"
           : other.is_write ? "a write"
                            : "a read")
       << " of the same memory, neither before the other";
  Place there;
  there.thread = other.thread;
  there.depth = 1;
  there.pc[0] = other.pc;
  e.fail(FindingKind::kRace, text.c_str(), address, static_cast<std::uint32_t>(size), pc, &there);
}

}  // namespace plumb::runtime
