// SPDX-License-Identifier: MIT
// Stateless search, as in VeriSoft and CHESS: an execution is run from its beginning under a prefix
// of choices, then continues without preemptions, noting at each choice what else there was; the
// next execution takes the deepest choice that has an alternative left, and changes that one. What
// is in memory is one path, never a tree.
//
// Musuvathi and Qadeer (PLDI 2007) bound the preemptions: switches away from a thread that could go
// on. There are polynomially many executions with few preemptions, and most bugs need one or two.
// After its prefix an execution continues without preemptions, which costs nothing, so all its
// preemptions are in the prefix, and their number is known before it runs.
//
// With increasing bounds 0, 1, 2, ... the search for b meets the executions of b - 1 again: it must
// run them to learn where the next preemption could be. (Iterative context bounding keeps a queue
// of these places instead; it is as large as the search.) There are few of them, a tenth or so;
// they are counted apart, and known before they run (`repeated`), so that nothing is recorded
// twice.
//
// A replay must do what it did before, or the search means nothing. So every node keeps the
// question that was asked, which is compared again at every choice on the way.
//
// To split the search, half of the alternatives at the shallowest node are given away, together
// with the path to it. What lies below alternatives of one node is disjoint, so every execution is
// in exactly one part.
#include "explore/dfs.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace plumb::explore {

namespace {

constexpr std::int32_t kAsksValue = -2;

std::size_t dfs_nodes_at(std::uint32_t capacity) {
  return (sizeof(DfsHead) + capacity + 7) / 8 * 8;
}

// The upper half of the bits of a mask, rounded up.
std::uint64_t upper_half(std::uint64_t mask) {
  for (int keep = std::popcount(mask) / 2; keep > 0; --keep) mask &= mask - 1;
  return mask;
}

}  // namespace

struct Dfs::Node {
  std::uint64_t enabled;  // the actions, or the number of values
  std::uint64_t
      left;  // actions that are still to be tried, or how many values above the chosen one
  std::int32_t current;      // or kAsksValue
  std::uint32_t spent : 24;  // preemptions before this choice
  std::uint32_t cost : 8;    // of a value that is not 0

  bool asks_value() const { return current == kAsksValue; }
  Point point() const { return {current, enabled, {}}; }
};

std::size_t Dfs::room(const DfsOptions& options, std::size_t depth) {
  return dfs_nodes_at(options.depth) + depth * sizeof(Node);
}

Dfs::Dfs(const DfsOptions& options, std::span<std::byte> memory)
    : FlatStrategy(nullptr, nullptr), head_(new (memory.data()) DfsHead) {
  head_->version = kStateVersion;
  head_->kind = Kind::dfs;
  head_->capacity = options.depth;
  head_->bound = head_->first_bound = options.first_bound;
  head_->last_bound = options.last_bound;
  head_->magic = kStateMagic;
  *this = Dfs(memory);
}

Dfs::Dfs(std::span<std::byte> memory)
    : FlatStrategy(reinterpret_cast<StateHead*>(memory.data()),
                   reinterpret_cast<std::uint8_t*>(memory.data()) + sizeof(DfsHead)),
      head_(reinterpret_cast<DfsHead*>(memory.data())),
      nodes_(reinterpret_cast<Node*>(memory.data() + dfs_nodes_at(head_->capacity))),
      limit_(static_cast<std::uint32_t>(std::min<std::size_t>(
          head_->capacity, (memory.size() - dfs_nodes_at(head_->capacity)) / sizeof(Node)))) {}

std::span<const std::byte> Dfs::used() const {
  const auto* begin = reinterpret_cast<const std::byte*>(head_);
  return {begin, reinterpret_cast<const std::byte*>(nodes_ + head_->depth)};
}

int Dfs::choose(const Point& point) {
  const std::uint32_t at = head_->position;
  if (at >= head_->follow) return push(point);
  const Node& node = nodes_[at];
  if (node.enabled == point.enabled && node.current == point.current) [[likely]] {
    head_->position = at + 1;
    return choices_[at];
  }
  head_->follow = 0;
  if (node.asks_value()) return diverge(Divergence::question, node.enabled, point.enabled);
  if (node.enabled != point.enabled)
    return diverge(Divergence::enabled, node.enabled, point.enabled);
  return diverge(Divergence::current, static_cast<std::uint64_t>(node.current),
                 static_cast<std::uint64_t>(point.current));
}

int Dfs::push(const Point& point) {
  const std::uint32_t at = head_->depth;
  if (stopped()) return kPrune;
  if (at >= limit_) {
    head_->follow = 0;
    return stop(Phase::overflow);
  }
  const int action = undisturbed(point);
  std::uint64_t allowed = point.enabled;
  if (head_->spent >= head_->bound) {
    allowed = free_actions(point);
    if (allowed != point.enabled) head_->cut = head_->bound + 1;
  }
  nodes_[at] = {point.enabled, allowed & ~(std::uint64_t{1} << action), point.current, head_->spent,
                0};
  choices_[at] = static_cast<std::uint8_t>(action);
  head_->position = head_->follow = head_->depth = at + 1;
  return action;
}

int Dfs::choose_value(int count, int cost) {
  const std::uint32_t at = head_->position;
  if (at >= head_->follow) return push_value(count, cost);
  const Node& node = nodes_[at];
  const bool same =
      node.asks_value() && static_cast<int>(node.enabled) == std::min(count, kMaxValues);
  if (same) [[likely]] {
    head_->position = at + 1;
    return choices_[at] - kValue;
  }
  head_->follow = 0;
  diverge(node.asks_value() ? Divergence::count : Divergence::question, node.enabled,
          static_cast<std::uint64_t>(count));
  return 0;
}

int Dfs::push_value(int count, int cost) {
  const std::uint32_t at = head_->depth;
  if (stopped()) return 0;
  if (at >= limit_) {
    head_->follow = 0;
    stop(Phase::overflow);
    return 0;
  }
  head_->overflows += count > kMaxValues;
  const auto values = static_cast<std::uint64_t>(std::min(count, kMaxValues));
  std::uint64_t left = values - 1;
  if (head_->bound != kUnbounded &&
      head_->spent + static_cast<std::uint32_t>(cost) > head_->bound) {
    if (left != 0) head_->cut = head_->bound + 1;
    left = 0;
  }
  nodes_[at] = {values, left, kAsksValue, head_->spent, static_cast<std::uint32_t>(cost)};
  choices_[at] = kValue;
  head_->position = head_->follow = head_->depth = at + 1;
  return 0;
}

void Dfs::ended(std::uint32_t, std::span<const Step>) {
  if (stopped()) return;
  if (head_->position < head_->depth) {
    diverge(Divergence::early, head_->depth, head_->position);
    return;
  }
  stop(Phase::ended);
}

bool Dfs::advance() {
  if (head_->phase == Phase::ended) {
    if (repeated()) {
      ++head_->repeated;
      --head_->executions;  // account() counts it
    } else {
      ++head_->by_preemptions[std::min(head_->spent, DfsHead::kCounted - 1)];
    }
  }
  account();
  while (head_->depth > 0) {
    const std::uint32_t at = head_->depth - 1;
    Node& node = nodes_[at];
    if (node.left == 0) {
      head_->depth = at;
      continue;
    }
    head_->spent = node.spent;
    if (node.asks_value()) {
      ++choices_[at];
      --node.left;
      head_->spent += node.cost;
    } else {
      const int action = std::countr_zero(node.left);
      choices_[at] = static_cast<std::uint8_t>(action);
      node.left &= node.left - 1;
      head_->spent += !(free_actions(node.point()) >> action & 1);
    }
    head_->follow = head_->depth;
    return true;
  }
  return exhausted();
}

// What it has chosen so far stands in the stack, and is followed again.
bool Dfs::rewind() {
  head_->follow = head_->depth;
  return reopen();
}

// This bound is done with. The next one is of use only if this one kept something away.
bool Dfs::exhausted() {
  head_->spent = head_->follow = 0;
  if (head_->cut <= head_->bound || head_->shared || head_->bound >= head_->last_bound) {
    head_->phase = Phase::exhausted;
    return false;
  }
  restart(head_->bound + 1);
  return true;
}

void Dfs::restart(std::uint32_t bound) {
  head_->bound = bound;
  head_->depth = head_->follow = head_->spent = head_->position = 0;
  head_->phase = Phase::open;
}

bool Dfs::split(std::span<std::byte> other) {
  std::uint32_t at = 0;
  while (at < head_->depth && nodes_[at].left == 0) ++at;
  if (at == head_->depth) return false;
  if (other.size() < dfs_nodes_at(head_->capacity) + (at + 1) * sizeof(Node)) return false;

  DfsHead theirs;
  std::memcpy(static_cast<void*>(&theirs), other.data(), sizeof theirs);
  if (theirs.magic != kStateMagic || theirs.kind != Kind::dfs) theirs = DfsHead{};
  theirs.magic = 0;  // until all is there
  theirs.version = kStateVersion;
  theirs.kind = Kind::dfs;
  theirs.capacity = head_->capacity;
  theirs.phase = Phase::open;
  theirs.bound = head_->bound;
  theirs.first_bound = head_->first_bound;
  theirs.last_bound = head_->last_bound;
  theirs.shared = head_->shared = 1;
  theirs.position = 0;
  theirs.depth = theirs.follow = at + 1;

  Node mine = nodes_[at], given = nodes_[at];
  std::uint8_t choice;
  theirs.spent = mine.spent;
  if (mine.asks_value()) {
    const std::uint64_t keep = mine.left / 2;
    choice = static_cast<std::uint8_t>(choices_[at] + keep + 1);
    given.left = mine.left - keep - 1;
    mine.left = keep;
    theirs.spent += mine.cost;
  } else {
    given.left = upper_half(mine.left);
    mine.left &= ~given.left;
    const int action = std::countr_zero(given.left);
    choice = static_cast<std::uint8_t>(action);
    given.left &= given.left - 1;
    theirs.spent += !(free_actions(mine.point()) >> action & 1);
  }

  auto* const to = reinterpret_cast<std::uint8_t*>(other.data());
  auto* const their_nodes = reinterpret_cast<Node*>(to + dfs_nodes_at(theirs.capacity));
  new (to) DfsHead(theirs);
  std::copy_n(choices_, at, to + sizeof(DfsHead));
  to[sizeof(DfsHead) + at] = choice;
  for (std::uint32_t i = 0; i < at; ++i) {
    their_nodes[i] = nodes_[i];
    their_nodes[i].left = 0;
  }
  their_nodes[at] = given;
  reinterpret_cast<StateHead*>(to)->magic = kStateMagic;
  nodes_[at] = mine;
  return true;
}

}  // namespace plumb::explore
