// SPDX-License-Identifier: MIT
// A history as a doubly linked list of entries, from which operations can be taken out and put
// back in constant time: Horn & Kroening, Algorithm 2 and Figure 2.
//
// Entries are numbers: 0 is `head`, event i of the problem is entry i + 1, and after the events
// stand the returns of operations that have none, so that every call has a match. The list is a
// ring through `head`, which saves the paper's tests for null.
#pragma once

#include <cstdint>
#include <vector>

#include "check/problem/problem.hpp"

namespace plumb {

class EntryList {
 public:
  using Entry = std::uint32_t;
  static constexpr Entry kHead = 0;

  explicit EntryList(const Problem& problem) : nodes_(1) {
    nodes_.reserve(2 * problem.ops.size() + 1);
    for (const Event event : problem.events) nodes_.push_back({0, 0, kHead, event.operation()});
    call_.reserve(problem.ops.size());
    for (OperationId op = 0; op < problem.ops.size(); ++op) {
      const Problem::Op& o = problem.ops[op];
      call_.push_back(o.call + 1);
      nodes_[o.call + 1].match = o.completed() ? o.ret + 1 : static_cast<Entry>(nodes_.size());
      if (!o.completed()) nodes_.push_back({0, 0, kHead, op});
    }
    const auto size = static_cast<Entry>(nodes_.size());
    for (Entry e = 0; e < size; ++e) {
      nodes_[e].next = e + 1 < size ? e + 1 : kHead;
      nodes_[nodes_[e].next].prev = e;
    }
  }

  Entry first() const { return nodes_[kHead].next; }
  Entry next(Entry e) const { return nodes_[e].next; }
  Entry prev(Entry e) const { return nodes_[e].prev; }
  /// The return of a call; kHead for a return.
  Entry match(Entry e) const { return nodes_[e].match; }
  bool is_call(Entry e) const { return nodes_[e].match != kHead; }
  OperationId operation(Entry e) const { return nodes_[e].operation; }
  Entry call_of(OperationId op) const { return call_[op]; }
  /// Of a call, or of the return of a completed operation, in the problem's events.
  static std::uint32_t position(Entry e) { return e - 1; }

  /// Takes a call and its return out. Their own links stay, and that is how unlift finds the way.
  void lift(Entry call) {
    unlink(call);
    unlink(nodes_[call].match);
  }
  /// Puts them back. Requires: everything that was lifted later is back already.
  void unlift(Entry call) {
    relink(nodes_[call].match);
    relink(call);
  }

  std::size_t bytes() const {
    return nodes_.capacity() * sizeof(Node) + call_.capacity() * sizeof(Entry);
  }

 private:
  struct Node {
    Entry prev = kHead, next = kHead, match = kHead;
    OperationId operation = kNone;
  };
  void unlink(Entry e) {
    nodes_[nodes_[e].prev].next = nodes_[e].next;
    nodes_[nodes_[e].next].prev = nodes_[e].prev;
  }
  void relink(Entry e) {
    nodes_[nodes_[e].prev].next = e;
    nodes_[nodes_[e].next].prev = e;
  }

  std::vector<Node> nodes_;
  std::vector<Entry> call_;  // by operation
};

}  // namespace plumb
