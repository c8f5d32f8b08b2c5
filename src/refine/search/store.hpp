// SPDX-License-Identifier: MIT
// The pairs that the search has met, in shards by the hash of the state. A shard belongs to one
// thread at a time, so nothing here is locked; and what is in a shard, and in which order, depends
// only on the order in which pairs are offered to it, never on threads.
//
// Antichain. If a pair was visited with a set that is included in another one, the pair with the
// other one has nothing to add: what the smaller set explains, the larger one does too. Larger ones
// that wait for the next level are dropped when a smaller one comes.
//
// Hash compaction (Wolper and Leroy, 1993), if asked for: of a state only 64 bits of a hash are
// kept, and the state itself only until it is expanded. Two states with the same bits are taken for
// one, so a violation may be overlooked; the more states, the more likely (chance_of_omission).
#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_index.hpp"
#include "refine/question/monitor.hpp"

namespace plumb::refine {

inline constexpr std::uint32_t kShards = 64;
inline constexpr std::uint32_t kNoNode = 0xffffffffu;

/// A pair that was kept: index in its shard * kShards + shard.
using NodeId = std::uint32_t;

/// With hash compaction: how likely it is, at most, that among so many states two were mixed up.
inline double chance_of_omission(std::uint64_t states) {
  const auto n = static_cast<double>(states);
  return n * n / 0x1p65;
}

class Shard {
 public:
  enum Kind { states_only, all_pairs, antichain };
  /// `width`: words of a state.
  Shard(std::size_t width, Kind kind, bool compact)
      : width_(width), kept_(compact ? 1 : width), kind_(kind), compact_(compact) {}

  /// Enters the pair unless it has nothing to add.
  void add(std::uint64_t hash, const std::uint64_t* words, SetId set, NodeId parent,
           Monitor* monitor);
  /// Fetch from memory what add() will read: first the one, some time later the other.
  void prefetch_slot(std::uint64_t hash) const { index_.prefetch(hash); }
  void prefetch_state(std::uint64_t hash) const {
    if (const std::uint32_t state = index_.guess(hash); state != FlatIndex::kNone)
      __builtin_prefetch(words_.data() + state * kept_);
  }

  std::uint32_t nodes() const {
    return static_cast<std::uint32_t>(kind_ == states_only ? parents_.size() : nodes_.size());
  }
  std::uint64_t states() const { return words_.size() / kept_; }
  std::uint64_t dropped() const { return dropped_; }
  bool dropped(std::uint32_t node) const {
    return kind_ == antichain && nodes_[node].state == kNoNode;
  }
  /// Requires: it is not dropped, and was added since the last but one begin_level().
  const std::uint64_t* words(std::uint32_t node) const {
    return compact_ ? waiting_.data() + (node - first_waiting_) * width_
                    : words_.data() + state(node) * width_;
  }
  /// Whether a node is of this state. Requires: it is not dropped.
  bool is_of(std::uint32_t node, const std::uint64_t* words) const {
    return same(state(node), words);
  }
  SetId set(std::uint32_t node) const { return kind_ == states_only ? 0 : nodes_[node].set; }
  NodeId parent(std::uint32_t node) const {
    return kind_ == states_only ? parents_[node] : nodes_[node].parent;
  }
  /// What is added from now on is of the next level.
  void begin_level();
  /// Read: only as the first thing.
  void transfer(Checkpoint& file);

 private:
  struct Node {
    std::uint32_t state;  // kNoNode: dropped
    SetId set;
    NodeId parent;
    std::uint32_t next;  // another node with the same state
  };
  bool superfluous(std::uint32_t state, SetId set, Monitor* monitor);
  std::uint32_t state(std::uint32_t node) const {
    return kind_ == states_only ? node : nodes_[node].state;
  }
  bool same(std::uint32_t state, const std::uint64_t* words) const {
    if (compact_) return words_[state] == fingerprint(words);
    const std::uint64_t* known = words_.data() + state * width_;
    for (std::size_t i = 0; i < width_; ++i)  // a handful: calling memcmp takes longer
      if (words[i] != known[i]) return false;
    return true;
  }
  std::uint64_t fingerprint(const std::uint64_t* words) const;
  static std::uint64_t pair_hash(std::uint32_t state, SetId set) {
    return mix(std::uint64_t{state} << 32 | set);
  }

  std::size_t width_, kept_;  // words of a state, and those that are kept
  Kind kind_;
  bool compact_;
  std::vector<std::uint64_t> words_;    // by state
  FlatIndex index_;                     // of states
  std::vector<std::uint32_t> heads_;    // by state: its newest node
  std::vector<Node> nodes_;             // in the order of the search, so also its queue
  std::vector<NodeId> parents_;         // states_only: all there is to a node
  FlatIndex pairs_;                     // all_pairs: of nodes
  std::vector<std::uint64_t> waiting_;  // compact: by node, from first_waiting_ on
  std::uint32_t first_waiting_ = 0;
  std::uint32_t level_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace plumb::refine
