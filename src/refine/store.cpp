// SPDX-License-Identifier: MIT
#include "refine/store.hpp"

#include <algorithm>

namespace plumb::refine {

void Shard::add(std::uint64_t hash, const std::uint64_t* words, SetId set, NodeId parent,
                Monitor* monitor) {
  const auto next = static_cast<std::uint32_t>(states());
  const std::uint32_t state = index_.find_or_insert(hash, next, [&](std::uint32_t number) {
    const std::uint64_t* known = words_.data() + number * width_;
    for (std::size_t i = 0; i < width_; ++i)  // a handful: calling memcmp takes longer
      if (words[i] != known[i]) return false;
    return true;
  });
  if (state == next) words_.insert(words_.end(), words, words + width_);
  if (kind_ == states_only) {
    if (state == next) parents_.push_back(parent);
    return;
  }
  if (state == next) heads_.push_back(kNone);
  else if (superfluous(state, set, monitor)) return;
  const std::uint32_t node = nodes();
  if (kind_ == all_pairs) {
    const auto same = [&](std::uint32_t n) {
      return nodes_[n].state == state && nodes_[n].set == set;
    };
    if (pairs_.find_or_insert(mix(std::uint64_t{state} << 32 | set), node, same) != node) return;
  }
  nodes_.push_back({state, set, parent, heads_[state]});
  heads_[state] = node;
}

bool Shard::superfluous(std::uint32_t state, SetId set, Monitor* monitor) {
  if (kind_ != antichain) return false;
  for (std::uint32_t n = heads_[state]; n != kNone; n = nodes_[n].next)
    if (nodes_[n].set == set) return true;
  for (std::uint32_t n = heads_[state]; n != kNone; n = nodes_[n].next)
    if (monitor->includes(set, nodes_[n].set)) return true;
  // The newest come first, so those of this level do.
  for (std::uint32_t* link = &heads_[state]; *link != kNone && *link >= level_;) {
    Node& node = nodes_[*link];
    if (monitor->includes(node.set, set)) {
      *link = node.next;
      node.state = kNone;
      ++dropped_;
    } else {
      link = &node.next;
    }
  }
  return false;
}

}  // namespace plumb::refine
