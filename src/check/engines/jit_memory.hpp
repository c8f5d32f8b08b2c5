// SPDX-License-Identifier: MIT
// Which configurations the just-in-time search has met.
#pragma once

#include "check/engines/jit_search.hpp"

namespace plumb::jit {

template <std::size_t kWords>
std::uint32_t Search<kWords>::hash_of_working() const {
  std::uint64_t h = (std::uint64_t{at_} << 32 | state_) * 0x9e3779b97f4a7c15u;
  for (std::size_t i = 0; i < words(); ++i) {
    h ^= strict(i) & mask_[i];
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return static_cast<std::uint32_t>(h ^ h >> 29);
}

template <std::size_t kWords>
typename Search<kWords>::Word Search<kWords>::strict(std::size_t i) const {
  return options_.domination ? active_[i] & ~pure_[i] & ~optional_[i] : ~Word{0};
}

template <std::size_t kWords>
bool Search<kWords>::dominated_by(const Word* other) const {
  for (std::size_t i = 0; i < words(); ++i) {
    const Word mine = mask_[i], theirs = other[i];
    if ((mine ^ theirs) & strict(i)) return false;
    if (mine & ~theirs & pure_[i]) return false;
    if (theirs & ~mine & optional_[i]) return false;
  }
  return true;
}

template <std::size_t kWords>
bool Search<kWords>::seen(std::uint32_t hash) const {
  std::uint32_t id = table_[slot_of(hash)];
  for (std::size_t looks = 0; id != kNone && looks < kMostLooks; ++looks) {
    const Node& node = *nodes_[id];
    if (node.event == at_ && node.state == state_ && dominated_by(masks_[id])) return true;
    id = node.same_hash;
  }
  return false;
}

template <std::size_t kWords>
std::uint32_t Search<kWords>::remember(std::uint32_t hash, std::uint32_t parent, OperationId op) {
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  *nodes_.push() = {at_,  state_, parent, op, hash, static_cast<std::uint32_t>(order_.size()),
                    kNone};
  std::copy_n(mask_.data(), words(), masks_.push());
  if ((hashes_ + 1) * 2 > table_.size()) {
    table_.assign(table_.size() * 2, kNone);
    hashes_ = 0;
    for (std::uint32_t i = 0; i < id; ++i) place(i);
  }
  place(id);
  return id;
}

template <std::size_t kWords>
std::size_t Search<kWords>::slot_of(std::uint32_t hash) const {
  std::size_t i = hash & (table_.size() - 1);
  while (table_[i] != kNone && nodes_[table_[i]]->hash != hash) i = (i + 1) & (table_.size() - 1);
  return i;
}

template <std::size_t kWords>
void Search<kWords>::place(std::uint32_t id) {
  std::uint32_t& head = table_[slot_of(nodes_[id]->hash)];
  hashes_ += head == kNone;
  nodes_[id]->same_hash = std::exchange(head, id);
}

template <std::size_t kWords>
void Search<kWords>::forget() {
  if (table_.size() > 64 * (nodes_.size() + 16)) {
    table_.assign(1024, kNone);
  } else {
    for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
      std::size_t i = nodes_[id]->hash & (table_.size() - 1);
      for (; table_[i] != kNone; i = (i + 1) & (table_.size() - 1)) table_[i] = kNone;
    }
  }
  nodes_.clear();
  masks_.clear();
  hashes_ = 0;
}

template <std::size_t kWords>
bool Search<kWords>::within_budget() {
  const std::size_t bytes = nodes_.bytes() + masks_.bytes() + table_.capacity() * 4 +
                            stack_.capacity() * sizeof(Child) + trail_.bytes() + automaton_.bytes();
  stats_.bytes = std::max<std::uint64_t>(stats_.bytes, bytes);
  steps_at_last_look_ = stats_.steps;
  const std::uint64_t work = stats_.steps * (1 + words() / 8) + automaton_.work();
  const std::uint64_t before = std::exchange(charged_steps_, work);
  return charge_.hold(bytes + automaton_.bytes_soon()) && !budget_.exhausted(work - before);
}

}  // namespace plumb::jit
