// SPDX-License-Identifier: MIT
// Partial-order reduction in parts.
//
// Where the search goes depends on all that it has seen: a race that is found late puts a thread
// into the backtrack set of an early choice. But what is below a choice depends only on the steps
// that lead there, and on who sleeps there. So let n be a choice at which thread a is being
// explored, and b the thread that is explored there next: the first one in the queue, which keeps
// the order in which threads came into the backtrack set, so that it stays the first. What is below
// b can be explored at once, elsewhere, if it is known what a did in its step, since a sleeps
// there.
//
// The part that is given away is a copy of the stack up to n, with b chosen there. Its races are of
// two kinds. Those with a step after n are reversed in the part. Those with n, or a step before it,
// are reported, in the order in which they were found; each once, since to hear of it again changes
// nothing: backtrack sets and those who sleep only grow while one looks at what is below.
//
// Both searches stop at n, when a and b are explored. Then they are joined: b sleeps at n as well,
// and what was reported is added to backtrack sets as if it had been found now. So the search that
// continues is the same, with the same stack, as if it had not been divided; executions are the
// same, each is run once, and in the order of parts they come as they would have come. (Simsa,
// Bryant, Gibson, Hickey, "Scalable dynamic partial order reduction" (RV 2012), is another way.)
//
// A part may be divided as well, at a choice after n: then it stops there first (`outer` says where
// it has to stop after that). It reports only what is before its own beginning (`given_at`).
//
// While a part runs, its reports lie at the end of its memory, with a hash table of them; when it
// has stopped, behind the stack, where used() has them.
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "explore/dpor_stack.hpp"

namespace plumb::explore {

namespace {

constexpr std::uint32_t kFirstReportSlots = 256;

// A quarter of the memory, at its end.
std::uint64_t reports_at(std::size_t memory) { return memory / 4 * 3 / 8 * 8; }

template <class T>
T& at(DporHead* head, std::uint64_t offset) {
  return *reinterpret_cast<T*>(reinterpret_cast<std::byte*>(head) + offset);
}

}  // namespace

std::span<const std::byte> Dpor::used() const {
  const bool has_reports = head_->reports == head_->top && head_->report_count > 0;
  return {reinterpret_cast<const std::byte*>(head_),
          head_->top + (has_reports ? head_->report_count * sizeof(Report) : 0)};
}

// --- reports -------------------------------------------------------------------------------------

Dpor::Report& Dpor::report(std::uint32_t number) const {
  return at<Report>(head_, head_->reports + number * sizeof(Report));
}

// False: there is no room.
bool Dpor::make_report_slots(std::uint32_t slots) {
  const std::size_t end = memory_ / 8 * 8;
  const std::uint64_t table = end - slots * sizeof(std::uint32_t);
  if (head_->reports + (head_->report_count + 1) * sizeof(Report) > table) return false;
  head_->report_slots = slots;
  for (std::uint32_t i = 0; i < slots; ++i) at<std::uint32_t>(head_, table + 4 * i) = 0;
  const std::uint32_t count = std::exchange(head_->report_count, 0);
  for (std::uint32_t i = 0; i < count; ++i) note(Report(report(i)));
  return true;
}

// Requires: the search is a part, and runs.
void Dpor::note(const Report& found) {
  if (is_in_source_set(found)) return;  // and was, when the search was divided
  const std::uint64_t table = memory_ / 8 * 8 - head_->report_slots * sizeof(std::uint32_t);
  std::uint64_t hash = found.node * 31 + found.preferred;
  hash = (hash ^ found.initials) * 0x9e3779b97f4a7c15;
  hash = (hash ^ hash >> 29 ^ found.useful) * 0x9e3779b97f4a7c15;
  const std::uint32_t mask = head_->report_slots - 1;
  auto slot = static_cast<std::uint32_t>(hash >> 32) & mask;
  for (; const std::uint32_t known = at<std::uint32_t>(head_, table + 4 * slot);
       slot = (slot + 1) & mask)
    if (report(known - 1) == found) return;
  const bool has_room = head_->reports + (head_->report_count + 1) * sizeof(Report) <= table;
  if (!has_room) {
    stop(Phase::overflow);
    return;
  }
  report(head_->report_count++) = found;
  at<std::uint32_t>(head_, table + 4 * slot) = head_->report_count;
  const bool is_full = head_->report_count > head_->report_slots / 2;
  if (is_full && !make_report_slots(2 * head_->report_slots)) stop(Phase::overflow);
}

// --- division ------------------------------------------------------------------------------------

// The first action that another thread comes after, if that may begin now. What the chosen thread
// does must be known: none of its alternatives, nor of the values that it asks for, may be left.
// `depth`: the entries up to it.
std::uint64_t Dpor::divisible(std::uint32_t& depth) const {
  std::uint64_t found = 0;
  bool has_values = false;
  std::uint32_t above = head_->depth;
  for (std::uint64_t offset = head_->top_entry; offset > head_->stop_at; --above) {
    const Entry& here = entry(offset);
    const std::uint64_t now = std::exchange(offset, here.previous);
    if (here.is_value) {
      has_values |= choices_[above - 1] - kValue + 1u != static_cast<const Value&>(here).count;
      continue;
    }
    const auto& node = static_cast<const Action&>(here);
    Action after = node;
    after.tried |= bit_of(node.chosen);
    const bool is_known = !std::exchange(has_values, false) && now != head_->last_action;
    if (!is_known || left_of_thread(node) != 0 || next_of(after) == 0) continue;
    found = now;
    depth = above;
  }
  return found;
}

bool Dpor::split(std::span<std::byte> other) {
  std::uint32_t depth = 0;
  const std::uint64_t offset = ready() ? divisible(depth) : 0;
  if (offset == 0) return false;
  Action& mine = action(offset);
  const std::uint64_t top = offset + mine.size;
  const std::size_t memory = std::min<std::size_t>(other.size(), UINT32_MAX);
  const std::uint64_t reports = reports_at(memory);
  if (reports < top + memory / 4) return false;

  std::memcpy(other.data() + sizeof(DporHead), reinterpret_cast<const std::byte*>(head_ + 1),
              top - sizeof(DporHead));
  auto* const head = new (other.data()) DporHead;
  head->version = kStateVersion;
  head->kind = Kind::dpor;
  head->capacity = head_->capacity;
  head->memory_only = head_->memory_only;
  head->index_from = head_->index_from;
  head->threads = head_->threads;
  head->depth = depth;
  head->top = top;
  head->top_entry = head->last_action = head->stop_at = head->given_at = offset;
  head->cursor = first_entry();
  head->reports = reports;
  head->magic = kStateMagic;
  Dpor given(other);
  Action& theirs = given.action(offset);
  theirs.tried |= bit_of(theirs.chosen);
  sleep_all(theirs);
  theirs.chosen = std::countr_zero(next_of(theirs));
  given.choices_[depth - 1] = static_cast<std::uint8_t>(theirs.chosen);
  if (!given.make_report_slots(kFirstReportSlots)) return false;

  mine.outer = head_->stop_at;
  head_->stop_at = offset;
  return true;
}

// What there is of this part is explored.
void Dpor::finish() {
  head_->phase = Phase::exhausted;
  if (head_->reports == 0) return;
  std::memmove(&at<std::byte>(head_, head_->top), &at<std::byte>(head_, head_->reports),
               head_->report_count * sizeof(Report));
  head_->reports = head_->top;
}

bool Dpor::join(std::span<const std::byte> part) {
  const auto* const given = reinterpret_cast<const DporHead*>(part.data());
  const auto* const reports = reinterpret_cast<const Report*>(part.data() + given->reports);
  const std::uint64_t offset = head_->stop_at;
  for (std::uint32_t i = 0; i < given->report_count; ++i) {
    const Report& found = reports[i];
    if (found.node > head_->given_at) add_to_source_set(found);
    else if (!is_in_source_set(found)) report(head_->report_count++) = found;
  }
  Action& mine = action(offset);
  const auto& theirs = *reinterpret_cast<const Action*>(part.data() + offset);
  mine.asleep = theirs.asleep;
  mine.sleepers = theirs.sleepers;
  std::copy_n(theirs.sleeper(), theirs.sleepers, mine.sleeper());
  head_->threads |= given->threads;
  head_->stop_at = mine.outer;
  head_->phase = Phase::open;
  restart();
  const std::uint64_t before = head_->top;
  const bool is_more = find_next(true);
  // The reports follow the stack, which may have become smaller.
  if (is_more && head_->reports == before && head_->given_at != 0) {
    std::memmove(&at<std::byte>(head_, head_->top), &at<std::byte>(head_, before),
                 head_->report_count * sizeof(Report));
    head_->reports = head_->top;
  }
  return is_more;
}

void Dpor::begin_elsewhere() {
  is_indexed_ = false;
  if (head_->given_at == 0) return;
  const std::uint64_t from = head_->reports;
  head_->reports = reports_at(memory_);
  std::memmove(&at<std::byte>(head_, head_->reports), &at<std::byte>(head_, from),
               head_->report_count * sizeof(Report));
  size_ = std::min(memory_, head_->reports);
  if (!make_report_slots(kFirstReportSlots)) stop(Phase::overflow);
}

}  // namespace plumb::explore
