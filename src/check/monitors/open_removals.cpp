// SPDX-License-Identifier: MIT
#include "check/monitors/open_removals.hpp"

#include <algorithm>
#include <utility>

#include "check/monitors/collection_parts.hpp"

namespace plumb {
namespace {

template <class T>
void merge_into(std::vector<T>& into, const std::vector<T>& more) {
  into.insert(into.end(), more.begin(), more.end());
  std::sort(into.begin(), into.end());
  into.erase(std::unique(into.begin(), into.end()), into.end());
}

}  // namespace

Verdict RemovalAssignment::run() {
  for (;;) {
    part_ = part_of(whole_, rule_, gathered_, empties_);
    used_.assign(part_.open.size(), false);
    find_alike();
    const Verdict verdict = fit();
    if (verdict != Verdict::holds) return verdict;
    std::vector<std::pair<std::uint32_t, std::size_t>> choices;
    for (std::uint32_t i = 0; i < part_.elements.size(); ++i)
      for (std::size_t o = 0; o < part_.open.size(); ++o)
        if (part_.elements[i].take == part_.open[o].op) choices.emplace_back(gathered_[i], o);
    for (const auto& [i, o] : choices)
      whole_.elements[i].leave(whole_.open[o].op, whole_.open[o].call, whole_.end);
    if (!patient(whole_)) return Verdict::undecided;
    const auto conflict = rule_.find_conflict(whole_);
    if (!conflict) return Verdict::holds;
    for (const auto& [i, o] : choices) whole_.elements[i].stay(whole_.end);
    merge_into(gathered_, conflict->elements);
    if (conflict->empty != kNone) merge_into(empties_, {conflict->empty});
  }
}

bool RemovalAssignment::patient(const Collection& collection) {
  const std::uint64_t work = 10 + collection.elements.size();
  if (work > patience_) return false;
  patience_ -= work;
  return !budget_.exhausted(work);
}

// Removals are alike if, from the first one's call to the last one's, nothing happens but calls
// of open ones: whatever they do can be done after all of these.
void RemovalAssignment::find_alike() {
  std::vector<std::uint32_t> happened(part_.end + 3);
  for (const Element& e : part_.elements)
    for (const std::uint32_t moment : {e.l, e.a, e.b, e.r}) happened[moment] = 1;
  for (const Collection::Empty& e : part_.empties) happened[e.call] = happened[e.ret] = 1;
  for (std::size_t i = 1; i < happened.size(); ++i) happened[i] += happened[i - 1];
  alike_.clear();
  for (const Collection::Open& open : part_.open) alike_.push_back(happened[open.call]);
}

Verdict RemovalAssignment::fit() {
  if (!patient(part_)) return Verdict::undecided;
  const auto conflict = rule_.find_conflict(part_);
  if (!conflict) return Verdict::holds;
  for (const std::uint32_t i : conflict->elements) {
    if (!part_.elements[i].stays()) continue;
    std::uint32_t tried = kNone;  // those that are alike, once
    for (std::size_t o = 0; o < part_.open.size(); ++o) {
      const Collection::Open& open = part_.open[o];
      if (used_[o] || (open.element != kNone && open.element != i)) continue;
      if (open.element == kNone && std::exchange(tried, alike_[o]) == alike_[o]) continue;
      part_.elements[i].leave(open.op, open.call, part_.end);
      used_[o] = true;
      const Verdict verdict = fit();
      if (verdict != Verdict::violation) return verdict;
      used_[o] = false;
      part_.elements[i].stay(part_.end);
    }
  }
  return Verdict::violation;
}

std::vector<std::uint32_t> serve_in_order(Collection& collection) {
  auto& elements = collection.elements;
  std::vector<std::uint32_t> staying;
  for (std::uint32_t i = 0; i < elements.size(); ++i)
    if (elements[i].stays()) staying.push_back(i);
  std::sort(staying.begin(), staying.end(),
            [&](std::uint32_t i, std::uint32_t j) { return elements[i].a < elements[j].a; });
  for (std::size_t k = 0; k < staying.size() && k < collection.open.size(); ++k) {
    const Collection::Open& open = collection.open[k];
    elements[staying[k]].leave(open.op, open.call, collection.end);
  }
  return staying;
}

}  // namespace plumb
