// SPDX-License-Identifier: MIT
// Lazy hiding: which configurations were met, and which of them make others superfluous.
#include <cstring>

#include "check/monitors/hiding.hpp"

namespace plumb {

bool Hiding::makes_superfluous(const std::uint32_t* better) {
  for (std::size_t i = 1; i < mask_; ++i)
    if (better[i] < c_[i]) return false;
  for (std::size_t i = 0; i < words_; ++i) {
    const std::uint32_t mine = c_[mask_ + i], theirs = better[mask_ + i];
    if (theirs & ~mine) return false;  // open here, done there
    for (std::uint32_t rest = mine & ~theirs; rest; rest &= rest - 1) {
      const Pending& p = changing_[i * 32 + static_cast<std::size_t>(std::countr_zero(rest))];
      if (p.ret == kNone) continue;
      if (p.move.kind != CellMove::Kind::write ||
          (p.call >= better[1] && value() != p.move.to && better[held_ + p.move.to] <= p.call))
        return false;
    }
  }
  return true;
}

// Where the latest node of this event and value is, or belongs.
std::pair<std::uint64_t, std::uint32_t>& Hiding::latest_at(std::uint64_t place) {
  std::size_t i = place * 0x9e3779b97f4a7c15u >> 20;
  while (latest_[i & (latest_.size() - 1)].second != kNone &&
         latest_[i & (latest_.size() - 1)].first != place)
    ++i;
  return latest_[i & (latest_.size() - 1)];
}

bool Hiding::seen() {
  for (std::size_t i = hash_of(c_.data(), at_);; ++i) {
    const std::uint32_t id = exact_[i & (exact_.size() - 1)];
    if (id == kNone) break;
    if (nodes_[id]->event == at_ &&
        std::memcmp(configurations_[id], c_.data(), size_ * sizeof c_[0]) == 0)
      return true;
  }
  std::uint32_t id = latest_at(place_of(at_, value())).second;
  for (std::size_t looks = 0; id != kNone && looks < kMostLooks; ++looks) {
    if (makes_superfluous(configurations_[id])) return true;
    id = nodes_[id]->same_place;
  }
  return false;
}

void Hiding::place_exact(std::uint32_t node) {
  std::size_t i = hash_of(configurations_[node], nodes_[node]->event);
  while (exact_[i & (exact_.size() - 1)] != kNone) ++i;
  exact_[i & (exact_.size() - 1)] = node;
}

std::uint32_t Hiding::remember(std::uint32_t parent) {
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  const auto first = static_cast<std::uint32_t>(actions_.size());
  for (const Action action : actions_now_) *actions_.push() = action;
  *nodes_.push() = {at_, parent, first, static_cast<std::uint32_t>(actions_now_.size()), kNone};
  std::copy(c_.begin(), c_.end(), configurations_.push());

  if (nodes_.size() * 2 > exact_.size()) {
    exact_.assign(exact_.size() * 2, kNone);
    for (std::uint32_t node = 0; node < id; ++node) place_exact(node);
  }
  place_exact(id);

  if (places_ * 2 > latest_.size()) {
    auto old = std::move(latest_);
    latest_.assign(old.size() * 2, {~std::uint64_t{0}, kNone});
    for (const auto& entry : old)
      if (entry.second != kNone) latest_at(entry.first) = entry;
  }
  auto& entry = latest_at(place_of(at_, value()));
  places_ += entry.second == kNone;
  nodes_[id]->same_place = entry.second;
  entry = {place_of(at_, value()), id};
  return id;
}

}  // namespace plumb
