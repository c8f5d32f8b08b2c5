// SPDX-License-Identifier: MIT
#include "refine/search/store.hpp"

#include <algorithm>

namespace plumb::refine {

// Shares nothing with the hash by which states are found.
std::uint64_t Shard::fingerprint(const std::uint64_t* words) const {
  std::uint64_t bits = 0x2545f4914f6cdd1dULL;
  for (std::size_t i = 0; i < width_; ++i)
    bits = mix((bits + words[i]) * 0x9fb21c651e98df25ULL) ^ bits >> 29;
  return mix(bits);
}

void Shard::add(std::uint64_t hash, const std::uint64_t* words, SetId set, NodeId parent,
                Monitor* monitor) {
  static_assert(kShards == kStripes);
  require_number(nodes());
  const auto next = static_cast<std::uint32_t>(states());
  const std::uint32_t state =
      index_.find_or_insert(hash, next, [&](std::uint32_t number) { return same(number, words); });
  if (state == next) {
    if (compact_) words_.push_back(fingerprint(words));
    else
      for (std::size_t i = 0; i < width_; ++i) words_.push_back(words[i]);
  }
  if (kind_ == states_only) {
    if (state != next) return;
    parents_.push_back(parent);
  } else {
    if (state == next) heads_.push_back(kNoNode);
    else if (superfluous(state, set, monitor)) return;
    const std::uint32_t node = nodes();
    if (kind_ == all_pairs) {
      const auto same_pair = [&](std::uint32_t n) {
        return nodes_[n].state == state && nodes_[n].set == set;
      };
      if (pairs_.find_or_insert(pair_hash(state, set), node, same_pair) != node) return;
    }
    nodes_.push_back({state, set, parent, heads_[state]});
    heads_[state] = node;
  }
  if (compact_) waiting_.insert(waiting_.end(), words, words + width_);
}

void Shard::begin_level() {
  if (compact_) {
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(
                                                            (level_ - first_waiting_) * width_));
    first_waiting_ = level_;
  }
  level_ = nodes();
}

bool Shard::superfluous(std::uint32_t state, SetId set, Monitor* monitor) {
  if (kind_ != antichain) return false;
  for (std::uint32_t n = heads_[state]; n != kNoNode; n = nodes_[n].next)
    if (nodes_[n].set == set) return true;
  for (std::uint32_t n = heads_[state]; n != kNoNode; n = nodes_[n].next)
    if (monitor->includes(set, nodes_[n].set)) return true;
  // The newest come first, so those of this level do.
  for (std::uint32_t* link = &heads_[state]; *link != kNoNode && *link >= level_;) {
    Node& node = nodes_[*link];
    if (monitor->includes(node.set, set)) {
      *link = node.next;
      node.state = kNoNode;
      ++dropped_;
    } else {
      link = &node.next;
    }
  }
  return false;
}

}  // namespace plumb::refine
