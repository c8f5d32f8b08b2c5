// SPDX-License-Identifier: MIT
#include "runtime/schedule/accesses.hpp"

#include "runtime/base/text.hpp"
#include "runtime/schedule/annotations.hpp"

namespace plumb::runtime {
namespace {

bool is_unseen(const void* pc) { return execution.is_unseen != nullptr && execution.is_unseen(pc); }

// Also notes it, for the report.
bool is_suppressed(const void* pc, const void* other) {
  Board* const board = execution.board;
  if (board == nullptr || (!board->suppressed.has(pc) && !board->suppressed.has(other)))
    return false;
  board->suppressed.note(pc, other);
  return true;
}

void raced_with(const void* address, std::size_t size, Races::Kind kind, const OtherAccess& other,
                const void* pc) {
  Execution& e = execution;
  const bool benign = is_benign(address);
  e.raced |= !benign;
  // What has no hooks may order threads, by accesses that are meant as atomics or unseen.
  const bool is_sought = e.options.call_points != Options::CallPoints::free;
  const bool is_unsure = !is_sought || e.unseen || is_unseen(pc) || is_unseen(other.pc);
  const bool is_finding = e.options.race_is_bad && !benign && !is_unsure;
  if (!is_finding || is_suppressed(pc, other.pc)) {
    // Where threads are switched at atomics only, a racing access still needs the call of its
    // operation before it, in the history as well.
    const bool tests_object = e.board != nullptr && e.board->command.matrix.columns > 0;
    if (e.options.plain == PlainPoints::all) return;
    if (e.options.plain == PlainPoints::none && !tests_object && !is_unsure) return;
    if (e.sites.add(pc)) e.sites_added = true;
    if (e.sites.add(other.pc)) e.sites_added = true;
    // The rest of this execution has other scheduling points than its beginning: useless.
    if (e.sites_added) e.give_up(ExecutionEnd::pruned);
    return;
  }
  // A schedule leads to what comes after all of its choices.
  if (e.strategy->schedule().size() < e.shown_after) return;
  const auto& sought = e.board->command.sought;
  if (e.options.tracing && sought[0] != nullptr && (sought[0] != pc || sought[1] != other.pc))
    return;
  const bool goes_on = e.board->command.keep_going && !e.options.tracing;
  if (goes_on && e.board->result.findings.knows_race(pc, other.pc)) return;
  Text text;
  text << (kind == Races::Kind::free                                         ? "freeing"
           : kind == Races::Kind::write || kind == Races::Kind::atomic_write ? "a write"
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
  if (!goes_on) {
    e.fail(FindingKind::race, text.c_str(), address, static_cast<std::uint32_t>(size), pc, &there);
  }
  e.find(FindingKind::race, text.c_str(), address, static_cast<std::uint32_t>(size), pc, &there);
  e.board->result.findings.add(e.finding, e.strategy->schedule());
}

}  // namespace

void bad_memory(const void* address, std::size_t size, bool write, const void* pc) {
  const bool freed = execution.memory.heap.shadow(address) == Heap::freed;
  Text text;
  text << (write ? "writes " : "reads ") << size << (size == 1 ? " byte" : " bytes")
       << (freed ? " of memory that was freed" : " outside of any allocated block");
  execution.fail(freed ? FindingKind::use_after_free : FindingKind::out_of_bounds, text.c_str(),
                 address, static_cast<std::uint32_t>(size), pc);
}

void raced(const void* address, std::size_t size, Races::Kind kind, const void* pc) {
  for (const OtherAccess& other : execution.memory.model.races()) {
    raced_with(address, size, kind, other, pc);
  }
}

void check_room(std::size_t bytes, std::size_t room, const void* to, const void* pc) {
  if (bytes <= room) return;
  if (inside()) {
    execution.fail(FindingKind::out_of_bounds, "copies past the end of the destination", to,
                   static_cast<std::uint32_t>(bytes), pc);
  }
  __builtin_trap();
}

}  // namespace plumb::runtime
