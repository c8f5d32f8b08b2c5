// SPDX-License-Identifier: MIT
// An index of the steps of an execution: whom does a new step depend on, without looking at all of
// them?
//
// Of the steps of one thread that a new step depends on, the last one comes after the others, so
// only that one is a race (Flanagan and Godefroid, POPL 2005, keep it for each object; locks and
// steps that block are the exceptions, in dpor.cpp). So there is a list for each thread and each
// eight bytes of memory, of the steps that read there and of those that wrote; and for each thread
// a list of all its steps, of those that call, that return, and that touch more memory than is
// listed. Who asks begins with the last node of each list that matters, takes the latest action of
// all, and leaves a list as soon as what it has come to happens before what is known already. A
// step of n that asks about k lists so takes O(k log n), plus what it finds.
//
// An action is only added, and only the last one is forgotten, so a list is a chain of nodes, and
// the nodes are a stack. Each node also has a jump: Myers, "An applicative random-access stack"
// (1983). It leads over as many nodes as make any search for a place in a list logarithmic.
//
// The memory is what the stack of the search leaves free: from its end down, a hash table of the
// lists, then the nodes. The index is not part of a checkpoint. Whoever continues a search makes it
// again from the stack, and so does who finds the table full: most of what is there are then places
// of memory that are not used any more.
#include "explore/dpor_index.hpp"

#include <bit>

namespace plumb::explore {

namespace {

constexpr std::uint32_t kFirstSlots = 256;

struct DporWord {
  std::uint64_t word;
  bool writes;
};

// The words that a step touches, if they are not too many, nor all.
struct DporWords {
  DporWord words[Dpor::kMostWords];
  int count = 0;
  bool too_many;

  explicit DporWords(const Step& step) : too_many(step.everything) {
    for (int i = 0; i < step.count && !too_many; ++i) {
      const Access& access = step.accesses[i];
      const std::uint64_t first = access.address / 8;
      const std::uint64_t last = (access.address + std::max<std::uint32_t>(access.size, 1) - 1) / 8;
      too_many = last - first >= static_cast<std::uint64_t>(Dpor::kMostWords - count);
      if (too_many) break;
      for (std::uint64_t word = first; word <= last; ++word)
        words[count++] = {word + 1, access.touch != Touch::read};
    }
  }
};

// Threads of one word are neighbours.
std::uint32_t first_slot_of(std::uint64_t word, std::uint32_t slots) {
  return static_cast<std::uint32_t>(word * 0x9e3779b97f4a7c15 >> 32) & (slots - 1);
}

}  // namespace

// --- the lists -----------------------------------------------------------------------------------

bool Dpor::make_index(std::uint32_t slots) {
  const std::size_t bytes = slots * sizeof(Slot);
  head_->indexed = 0;
  if (head_->top + bytes + 8 > size_) return false;
  head_->table = head_->nodes = static_cast<std::uint32_t>((size_ - bytes) / 8 * 8);
  head_->slots = slots;
  head_->used_slots = 0;
  for (std::uint32_t i = 0; i < slots; ++i) slot(i).word = 0;
  for (auto& list : head_->lists) std::fill(std::begin(list), std::end(list), 0);
  return is_indexed_ = true;
}

std::uint32_t& Dpor::list(DporList which, int thread) const {
  return head_->lists[static_cast<int>(which)][thread];
}

Dpor::Slot& Dpor::slot_of(std::uint64_t word, int thread) {
  std::uint32_t at = first_slot_of(word, head_->slots);
  for (; slot(at).word != 0; at = (at + 1) & (head_->slots - 1))
    if (slot(at).word == word && slot(at).thread == static_cast<std::uint32_t>(thread))
      return slot(at);
  ++head_->used_slots;
  slot(at) = {word, static_cast<std::uint32_t>(thread), 0, 0, 0, 0};
  return slot(at);
}

void Dpor::append(std::uint32_t& last, std::uint32_t action) {
  const auto depth = [&](std::uint32_t at) { return at != 0 ? node(at).depth : 0; };
  const auto jump = [&](std::uint32_t at) { return at != 0 ? node(at).jump : 0; };
  const std::uint32_t over = jump(last);
  const std::uint32_t farther = jump(over);
  const bool alike = depth(last) - depth(over) == depth(over) - depth(farther);
  head_->nodes -= static_cast<std::uint32_t>(sizeof(Node));
  const auto head = reinterpret_cast<std::byte*>(&last) - reinterpret_cast<std::byte*>(head_);
  node(head_->nodes) = {last, alike ? farther : last, depth(last) + 1, action,
                        static_cast<std::uint32_t>(head)};
  last = head_->nodes;
}

void Dpor::add_to_index(std::uint64_t offset) {
  const Action& added = action(offset);
  const auto at = static_cast<std::uint32_t>(offset);
  const int thread = added.thread();
  append(list(DporList::steps, thread), at);
  if (added.step.calls) append(list(DporList::calls, thread), at);
  if (added.step.returns) append(list(DporList::returns, thread), at);
  const DporWords did(added.step);
  if (did.too_many) append(list(DporList::wide, thread), at);
  for (int i = 0; i < did.count && !did.too_many; ++i) {
    Slot& place = slot_of(did.words[i].word, thread);
    append(did.words[i].writes ? place.writes : place.reads, at);
  }
  head_->indexed = offset;
  if (!added.has_races) return;
  append(list(DporList::late, thread), at);
  const DporWords might_have(added.possible);
  if (might_have.too_many) append(list(DporList::late_wide, thread), at);
  for (int i = 0; i < might_have.count && !might_have.too_many; ++i) {
    Slot& place = slot_of(might_have.words[i].word, thread);
    append(might_have.words[i].writes ? place.late_writes : place.late_reads, at);
  }
}

// False: there is no memory.
bool Dpor::index_next() {
  // At most two nodes a word, and one for each list of a thread.
  constexpr std::size_t kMostNodes = 2 * kMostWords + static_cast<std::size_t>(DporList::count);
  if (head_->top + kMostNodes * sizeof(Node) > head_->nodes) return false;
  std::uint64_t next = head_->indexed;
  if (next == 0) next = first_entry();
  else next += entry(next).size;
  while (entry(next).is_value) next += entry(next).size;
  add_to_index(next);
  return true;
}

// Without what is not used any more; twice as large if that does not help.
bool Dpor::make_room_in_index() {
  const std::uint64_t last = head_->indexed;
  std::uint32_t slots = head_->slots;
  do {
    if (!make_index(slots)) return false;
    while (head_->indexed < last)
      if (!index_next()) return false;
    slots *= 2;
  } while (head_->used_slots > head_->slots / 4);
  return true;
}

bool Dpor::index_up_to(std::uint64_t last) {
  if (!is_indexed_ && !make_index(kFirstSlots)) return false;
  while (head_->indexed < last) {
    const bool is_full = head_->used_slots + 2 * kMostWords > head_->slots / 2;
    if (is_full && !make_room_in_index()) return false;
    if (!index_next()) return false;
  }
  return true;
}

// The last one.
void Dpor::forget_action(std::uint64_t offset) {
  if (!is_indexed_ || head_->indexed != offset || offset == 0) return;
  while (head_->nodes != head_->table && node(head_->nodes).action == offset) {
    const Node& gone = node(head_->nodes);
    *reinterpret_cast<std::uint32_t*>(reinterpret_cast<std::byte*>(head_) + gone.head) =
        gone.previous;
    head_->nodes += static_cast<std::uint32_t>(sizeof(Node));
  }
  head_->indexed = action(offset).previous_action;
}

// --- who asks ------------------------------------------------------------------------------------

void Dpor::Earlier::find(const Step& step) {
  const bool late = asked_ == DporAsked::might_have;
  const DporWords did(step);
  // What might have returned is hardly less than all.
  const bool all = did.too_many || (late && (step.calls || step.returns));
  for (std::uint32_t rest = threads_; rest != 0; rest &= rest - 1) {
    const int t = std::countr_zero(rest);
    if (all) {
      add(dpor_.list(late ? DporList::late : DporList::steps, t), last_(t));
      continue;
    }
    add(dpor_.list(late ? DporList::late_wide : DporList::wide, t), last_(t));
    if (step.calls) add(dpor_.list(DporList::returns, t), last_(t));
    if (step.returns) add(dpor_.list(DporList::calls, t), last_(t));
  }
  for (int i = 0; i < did.count && !all; ++i) add_word(did.words[i].word, did.words[i].writes);
}

void Dpor::Earlier::add(std::uint32_t newest, std::uint32_t last) {
  const std::uint32_t node =
      dpor_.last_that(newest, [&](std::uint32_t action) { return action <= last; });
  if (node != 0) places_[count_++] = {node, dpor_.node(node).action};
}

void Dpor::Earlier::add_word(std::uint64_t word, bool writes) {
  const std::uint32_t mask = dpor_.head_->slots - 1;
  for (std::uint32_t i = first_slot_of(word, mask + 1); dpor_.slot(i).word != 0;
       i = (i + 1) & mask) {
    const Slot& slot = dpor_.slot(i);
    if (slot.word != word || (threads_ >> slot.thread & 1) == 0) continue;
    const bool late = asked_ == DporAsked::might_have;
    add(late ? slot.late_writes : slot.writes, last_(static_cast<int>(slot.thread)));
    if (writes) add(late ? slot.late_reads : slot.reads, last_(static_cast<int>(slot.thread)));
  }
}

std::uint64_t Dpor::Earlier::next_of_lists(const Clock& past) {
  while (count_ != 0) {
    std::uint32_t latest = 0;
    for (int i = 0; i < count_; ++i) latest = std::max(latest, places_[i].action);
    const Action& found = dpor_.action(latest);
    const bool is_past = past.at[found.thread()] >= found.clock.at[found.thread()];
    for (int i = 0; i < count_;) {
      Place& place = places_[i];
      while (!is_past && place.action == latest) {
        place.node = dpor_.node(place.node).previous;
        place.action = place.node != 0 ? dpor_.node(place.node).action : 0;
      }
      if (place.action == latest || place.node == 0) place = places_[--count_];
      else ++i;
    }
    if (!is_past) return latest;
  }
  return 0;
}

}  // namespace plumb::explore
