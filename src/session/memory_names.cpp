// SPDX-License-Identifier: MIT
#include "session/memory_names.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace plumb::session {

using runtime::TraceStep;

namespace {

constexpr std::size_t kNever = ~std::size_t{0};
constexpr std::size_t kLongest = 40;  // of a path
constexpr int kArrows = 2;            // in it, at most
constexpr std::uint64_t kPointer = sizeof(void*);

bool has_pointer(const TraceStep& step) { return step.has_values && step.size == kPointer; }

bool is_free(const TraceStep& step) { return std::strcmp(step.what, "free") == 0; }

// What is changed: of an update, both values are seen; what was read is not changed.
bool writes(const TraceStep& step) {
  return step.kind == TraceStep::Kind::writes || step.is_open ||
         (step.kind == TraceStep::Kind::other && step.has_values);
}

// Some algorithms keep marks in the lowest bits.
std::uint64_t without_marks(std::uint64_t pointer, std::uint64_t size) {
  return size >= kPointer ? pointer & ~(kPointer - 1) : pointer;
}

}  // namespace

MemoryNames::MemoryNames(const Shown& shown, const Symbols& symbols)
    : shown_(shown), trace_(shown.trace), symbols_(symbols) {
  if (shown.heap != Reuse::never) find_ends();
  for (std::size_t i = 0; i < trace_.size(); ++i)
    if (trace_[i].thread == 0 && trace_[i].stack[0] != 0) main_steps_.push_back(i);
  find_root(shown.object);
  find_regions();
}

void MemoryNames::find_ends() {
  for (std::size_t i = 0; i < trace_.size(); ++i)
    if (is_free(trace_[i])) ends_[trace_[i].address].push_back(i);
}

// Of a block, the steps between two frees.
std::pair<std::size_t, std::size_t> MemoryNames::life(std::uint64_t block, std::size_t step) const {
  const auto ends = ends_.find(block);
  if (block == 0 || ends == ends_.end()) return {0, kNever};
  const auto next = std::ranges::lower_bound(ends->second, step);
  return {next == ends->second.begin() ? 0 : *std::prev(next) + 1,
          next == ends->second.end() ? kNever : *next};
}

void MemoryNames::find_root(const runtime::TracedObject& object) {
  if (object.address == nullptr) return;
  const std::optional<dwarf::Type> type = symbols_.type_made_by(object.made_by);
  if (!type || type->size() == 0) return;
  const auto begin = reinterpret_cast<std::uint64_t>(object.address);
  const auto inside = std::ranges::find_if(trace_, [&](const TraceStep& step) {
    return step.address >= begin && step.address - begin < type->size();
  });
  const std::uint64_t block = inside == trace_.end() ? 0 : inside->block;
  const auto [born, died] = life(block, object.since);
  add({begin, type->size(), *type, block, born, died, "", true});
}

// What becomes known of a block may say more of what was stored in it before.
void MemoryNames::find_regions() {
  std::map<std::uint64_t, std::vector<std::size_t>> by_block;
  for (std::size_t i = 0; i < trace_.size(); ++i) {
    const TraceStep& step = trace_[i];
    if (has_pointer(step) && (step.before_block != 0 || step.after_block != 0))
      by_block[step.block].push_back(i);
    if (has_pointer(step) && writes(step)) writes_[step.address].push_back(i);
  }
  std::vector<std::uint64_t> waiting;
  for (const auto& [block, steps] : by_block) waiting.push_back(block);
  while (!waiting.empty()) {
    const auto steps = by_block.find(waiting.back());
    waiting.pop_back();
    if (steps == by_block.end()) continue;
    for (const std::size_t step : steps->second) note_pointers(step, waiting);
  }
}

// `found`: the blocks of which it says something new.
void MemoryNames::note_pointers(std::size_t i, std::vector<std::uint64_t>& found) {
  const TraceStep& step = trace_[i];
  const std::optional<Found> at =
      find({step.address, step.size, step.block, step.block_bytes, i, step.thread});
  if (!at || !at->part.is_whole || !at->part.type) return;
  const std::optional<dwarf::Type> target = at->part.type->pointee();
  if (!target) return;
  const auto note = [&](std::uint64_t value, std::uint64_t block, std::size_t when) {
    if (block == 0) return;
    const auto [born, died] = life(block, when);
    const std::uint64_t begin = without_marks(value, target->size());
    if (add({begin, target->size(), *target, block, born, died, "", false})) found.push_back(block);
  };
  if (step.kind != TraceStep::Kind::writes)
    note(step.before, step.before_block, last_write(step.address, i));
  if (writes(step)) note(step.after, step.after_block, i);
}

// A pointer that is read may have been stored before its block was freed and used again.
std::size_t MemoryNames::last_write(std::uint64_t address, std::size_t step) const {
  const auto all = writes_.find(address);
  if (all == writes_.end()) return step;
  const auto next = std::ranges::lower_bound(all->second, step);
  return next == all->second.begin() ? step : *std::prev(next);
}

bool MemoryNames::add(Region region) {
  std::deque<Region>& all = regions_[region.block];
  const bool is_known = std::ranges::any_of(all, [&region](const Region& r) {
    return r.begin == region.begin && r.born == region.born && r.type.is_same(region.type);
  });
  if (!is_known) all.push_back(std::move(region));
  return !is_known;
}

const dwarf::Part& MemoryNames::part_of(const dwarf::Type& type, std::uint64_t offset,
                                        std::uint64_t size) {
  const auto [at, is_new] = parts_.try_emplace({type.id(), offset, size});
  if (is_new) at->second = dwarf::part_of(type, offset, size);
  return at->second;
}

const MemoryNames::Region* MemoryNames::variable_at(std::uint64_t address) {
  if (no_variables_.contains(address)) return nullptr;
  const std::optional<Symbols::Variable> variable = symbols_.variable_at(address);
  if (!variable) {
    no_variables_.insert(address);
    return nullptr;
  }
  return add_variable(*variable, 0, kNever);
}

const MemoryNames::Region* MemoryNames::add_variable(const Symbols::Variable& variable,
                                                     std::size_t born, std::size_t died) {
  add({variable.address, variable.type.size(), variable.type, 0, born, died, variable.name, true});
  for (const Region& region : regions_[0])
    if (region.begin == variable.address && region.born == born) return &region;
  return nullptr;
}

namespace {

// The call whose part of the stack has this address: its number in the place.
std::optional<std::size_t> call_with(const TraceStep& step, std::uint64_t address) {
  for (int i = 0; i + 1 < step.place.depth; ++i) {
    const auto call = static_cast<std::size_t>(i);
    if (address >= step.stack[call] && address < step.stack[call + 1]) return call;
  }
  return std::nullopt;
}

// Has the function not returned in between? It was called from the same place, with the same stack.
bool is_same_call(const TraceStep& a, const TraceStep& b, std::uint64_t address) {
  const std::optional<std::size_t> in_a = call_with(a, address);
  const std::optional<std::size_t> in_b = call_with(b, address);
  return in_a && in_b && a.stack[*in_a + 1] == b.stack[*in_b + 1] &&
         a.place.pc[*in_a + 1] == b.place.pc[*in_b + 1];
}

}  // namespace

// While other threads run, the main thread is between two of its steps. A name is one variable's:
// another local variable of that name has none.
const MemoryNames::Region* MemoryNames::local_at(std::uint64_t address, std::size_t step) {
  const auto next = std::ranges::upper_bound(main_steps_, step);
  if (next == main_steps_.begin()) return nullptr;
  auto first = std::prev(next);
  const TraceStep& now = trace_[*first];
  const std::optional<std::size_t> call = call_with(now, address);
  if (!call) return nullptr;
  const std::optional<Symbols::Variable> local =
      symbols_.local_at(now.place.pc[*call], now.stack[*call], now.stack[*call + 1], address);
  if (!local) return nullptr;
  if (locals_.try_emplace(local->name, local->address).first->second != local->address)
    return nullptr;
  auto last = next;
  while (last != main_steps_.end() && is_same_call(now, trace_[*last], address)) ++last;
  while (first != main_steps_.begin() && is_same_call(now, trace_[*std::prev(first)], address))
    --first;
  const std::size_t died = last == main_steps_.end() ? kNever : *std::prev(last);
  if (died < step) return nullptr;
  return add_variable(*local, *first, died);
}

// The largest object there. If it does not have the others inside, the memory is used in two ways,
// and what it is at this step is not known.
const MemoryNames::Region* MemoryNames::region_at(const Address& a) {
  const Region* best = nullptr;
  std::vector<const Region*> all;
  for (Region& region : regions_[a.block]) {
    if (a.step < region.born || a.step > region.died || a.address < region.begin) continue;
    region.count = 1;
    if (a.block != 0 && a.block_bytes != 0 && !region.is_root) {
      const std::uint64_t room = a.block + a.block_bytes - region.begin;
      if (room < region.size) continue;
      // Where others derive from a class, more may follow that is no other element.
      if (room % region.size == 0 && !region.type.is_base()) region.count = room / region.size;
    }
    const std::uint64_t end = region.begin + region.count * region.size;
    if (a.address + std::max<std::uint64_t>(a.size, 1) > end) continue;
    if (best == nullptr || region.size > best->size) best = &region;
    all.push_back(&region);
  }
  if (best == nullptr && a.block == 0) {
    const Region* const global = variable_at(a.address);
    return global != nullptr ? global : local_at(a.address, a.step);
  }
  if (best == nullptr) return nullptr;
  const bool fit = std::ranges::all_of(
      all, [&](const Region* other) { return other == best || has_inside(*best, *other); });
  return fit ? best : nullptr;
}

bool MemoryNames::has_inside(const Region& region, const Region& other) {
  if (other.begin < region.begin) return false;
  const std::uint64_t offset = (other.begin - region.begin) % region.size;
  return dwarf::part_of(region.type, offset, other.type).type->is_same(other.type);
}

std::optional<MemoryNames::Found> MemoryNames::find(const Address& a) {
  const Region* const region = region_at(a);
  if (region == nullptr) return std::nullopt;
  const std::uint64_t offset = a.address - region->begin;
  const std::uint64_t index = offset / region->size;
  return Found{region, index, part_of(region->type, offset % region->size, a.size)};
}

// --- paths ------------------------------------------------------------------------------------

namespace {

std::string index_text(std::uint64_t index, std::uint64_t count) {
  return count > 1 ? "[" + std::to_string(index) + "]" : "";
}

// "items_" of "items_._M_start", the first element of a vector.
bool is_vector(std::string& pointer) {
  for (const std::string_view first : {"._M_impl._M_start", "._M_start", ".__begin_"}) {
    if (!pointer.ends_with(first)) continue;
    pointer.resize(pointer.size() - first.size());
    return true;
  }
  return false;
}

// The C++ library's binary changes such pointers (of lists and trees), and the trace does not say
// so.
bool is_internal(std::string pointer) {
  return !is_vector(pointer) &&
         (pointer.find("._M_") != pointer.npos || pointer.find(".__") != pointer.npos);
}

// A path to a pointer, and what follows of where it points to.
std::string through(std::string pointer, const std::string& index, const std::string& path) {
  if (pointer[0] == '*') pointer = "(" + pointer + ")";
  if (!index.empty()) return pointer + index + path;
  if (path.empty()) return "*" + pointer;
  if (path[0] == '.') return pointer + "->" + path.substr(1);
  return "(*" + pointer + ")" + path;
}

std::string rest_of(const dwarf::Part& part) {
  return part.offset == 0 ? "" : "+" + std::to_string(part.offset);
}

}  // namespace

std::string MemoryNames::root_name(const Region& region, const std::string& path) {
  if (!region.name.empty()) return region.name + path;
  return path.starts_with('.') ? path.substr(1) : region.type.name() + path;
}

MemoryName MemoryNames::name(const Address& a, int arrows) {
  const std::optional<Found> found = find(a);
  if (!found) return {};
  const Region& region = *found->region;
  const std::string path = found->part.path + rest_of(found->part);
  if (region.is_root) return {root_name(region, path), 0, ""};
  std::string index = index_text(found->index, region.count);
  if (arrows > 0) {
    std::string pointer;
    for (int few = 0; few < arrows && pointer.empty(); ++few) pointer = path_to(region, a, few);
    if (is_vector(pointer)) index = "[" + std::to_string(found->index) + "]";
    std::string whole = pointer.empty() ? "" : through(pointer, index, path);
    if (!whole.empty() && whole.size() <= kLongest) return {std::move(whole), 0, ""};
  }
  const std::string inside = region.begin == region.block
                                 ? index + path
                                 : "+" + std::to_string(region.begin - region.block) + index + path;
  const std::string type = region.type.is_class() ? region.type.name() : "";
  return {type.empty() ? "" : type + " ", region.block, inside};
}

MemoryName MemoryNames::name_of_block(const Address& a) {
  const Region* const region = region_at(a);
  if (region == nullptr || region->begin != a.address) return {};
  if (region->is_root) return {root_name(*region, ""), 0, ""};
  return {region->type.is_class() ? region->type.name() + " " : "", region->block, ""};
}

// A path to a pointer that points there now, and that the thread has read; of several, the one that
// it read last. Empty: there is none.
std::string MemoryNames::path_to(const Region& region, const Address& from, int arrows) {
  std::string best;
  std::size_t seen_last = 0;
  const auto pointers = pointers_.find(region.begin);
  if (pointers == pointers_.end()) return best;
  for (const std::uint64_t address : pointers->second) {
    const Cell& cell = cells_.at(address);
    const auto seen = cell.seen.find(from.thread);
    if (seen == cell.seen.end()) continue;
    if (!best.empty() && seen->second < seen_last) continue;
    const Address at{address, kPointer, cell.block, cell.block_bytes, from.step, from.thread};
    const std::optional<Found> found = find(at);
    if (!found || !found->part.is_whole || !found->part.type) continue;
    const std::optional<dwarf::Type> target = found->part.type->pointee();
    if (!target || !target->is_same(region.type)) continue;
    const MemoryName pointer = name(at, arrows);
    if (pointer.block != 0 || pointer.before.empty() || is_internal(pointer.before)) continue;
    best = pointer.before;
    seen_last = seen->second;
  }
  return best;
}

MemoryName MemoryNames::value_name(const Found* at, std::uint64_t value, Address where) {
  const bool is_whole = at != nullptr && at->part.is_whole && at->part.type;
  const std::optional<dwarf::Type> target = is_whole ? at->part.type->pointee() : std::nullopt;
  if (is_whole && value == 0 && at->part.type->is_pointer()) return {"null", 0, ""};
  if (!target) return {};
  // Pointers to blocks of the heap are shown by their numbers.
  where.address = value;
  where.size = target->size();
  const Region* const region = region_at(where);
  if (region == nullptr || !region->is_root) return {};
  const dwarf::Part part = dwarf::part_of(region->type, value - region->begin, *target);
  return {"&" + root_name(*region, part.path + rest_of(part)), 0, ""};
}

// --- memory -----------------------------------------------------------------------------------

void MemoryNames::forget(std::uint64_t begin, std::uint64_t end) {
  auto first = cells_.lower_bound(begin - std::min(begin, kPointer - 1));
  while (first != cells_.end() && first->first < end) {
    pointers_[first->second.value].erase(first->first);
    first = cells_.erase(first);
  }
}

void MemoryNames::set(const TraceStep& step, std::uint64_t value, std::size_t when) {
  const auto known = cells_.find(step.address);
  if (known == cells_.end() || known->second.value != value) {
    forget(step.address, step.address + kPointer);
    cells_[step.address] = {value, step.block, step.block_bytes, {}};
    pointers_[value].insert(step.address);
  }
  const bool is_read = step.kind == TraceStep::Kind::reads || step.failed;
  if (is_read) cells_[step.address].seen[step.thread] = when;
}

// Until this step: what was read is there, what was written will be.
void MemoryNames::follow(std::size_t step) {
  for (; next_ < step; ++next_) {
    const TraceStep& s = trace_[next_];
    if (s.address == 0) continue;
    const bool is_pointer = has_pointer(s);
    if (is_free(s) || (writes(s) && !is_pointer)) forget(s.address, s.address + s.size);
    if (is_pointer) set(s, writes(s) && !s.failed ? s.after : s.before, next_);
  }
}

// What was freed is what it was before that.
std::size_t MemoryNames::step_of_contents(std::size_t step) const {
  const TraceStep& s = trace_[step];
  const auto ends = ends_.find(s.block);
  if (!s.is_freed || ends == ends_.end()) return step;
  const auto next = std::ranges::lower_bound(ends->second, step);
  return next == ends->second.begin() ? step : *std::prev(next);
}

MemoryNames::OfStep MemoryNames::of(std::size_t step) {
  follow(step);
  const TraceStep& s = trace_[step];
  OfStep names;
  if (s.address == 0) return names;
  if (s.other_thread >= 0) {
    const auto thread = shown_.names.find(s.other_thread);
    names.place.before =
        thread == shown_.names.end() ? "thread " + std::to_string(s.other_thread) : thread->second;
    return names;
  }
  // What it saw was there already.
  if (has_pointer(s) && s.kind != TraceStep::Kind::writes) set(s, s.before, step);
  // A lock is where it begins, however large.
  const bool is_access = s.has_values || s.kind == TraceStep::Kind::reads || writes(s);
  const Address address{s.address,     is_access ? s.size : 0, s.block,
                        s.block_bytes, step_of_contents(step), s.thread};
  names.place = is_free(s) ? name_of_block(address) : name(address, kArrows);
  if (!has_pointer(s)) return names;
  const std::optional<Found> found = find(address);
  const Found* const at = found ? &*found : nullptr;
  names.before = value_name(at, s.before, {0, 0, s.before_block, 0, step, s.thread});
  names.after = value_name(at, s.after, {0, 0, s.after_block, 0, step, s.thread});
  return names;
}

}  // namespace plumb::session
