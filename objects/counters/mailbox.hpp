// SPDX-License-Identifier: MIT
// A mailbox: a postman delivers letters; the owner checks whether there are any, and removes one.
// The owner checks often, so `check` must be cheap: it may read the flag on the box, but not open
// it (Aguilera, Gafni, Lamport: The Mailbox Problem, DISC 2008).
//
// The mistake of Mailbox: the flag is one bit, which the postman sets and the owner clears. If a
// letter arrives while the owner removes another, the flag is cleared although a letter is left.
// FixedMailbox has two flags: how many letters were delivered, and how many removed (the paper
// shows that less suffices).
//
// Source: as above, its introduction.
//
// Verdict: Mailbox is not linearizable, FixedMailbox is. Smallest test: `pre deliver; deliver |
// remove, check` (one preemption): false, although one letter is left.
#pragma once

#include <atomic>
#include <stdexcept>

namespace plumb::objects {

class Mailbox {
 public:
  /// For the postman only.
  void deliver() {
    ++letters_;
    flag_ = true;
  }

  /// For the owner only, after `check` returned true. Throws: std::logic_error if there are none.
  void remove() {
    if (letters_.load() == 0) throw std::logic_error("there are no letters");
    if (--letters_ == 0) flag_ = false;
  }

  /// For the owner only.
  bool check() const { return flag_.load(); }

 private:
  std::atomic<int> letters_{0};
  std::atomic<bool> flag_{false};
};

class FixedMailbox {
 public:
  void deliver() { ++delivered_; }

  void remove() {
    if (!check()) throw std::logic_error("there are no letters");
    ++removed_;
  }

  bool check() const { return delivered_.load() > removed_.load(); }

 private:
  std::atomic<int> delivered_{0}, removed_{0};
};

}  // namespace plumb::objects
