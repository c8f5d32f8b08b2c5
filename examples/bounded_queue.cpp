// SPDX-License-Identifier: MIT
// A specification of your own: a queue of at most four elements whose deq waits for one.
//   plumb check examples/data/bounded.jsonl --spec examples/bounded_queue.cpp
#include <deque>
#include <plumb/describe.hpp>

struct Bounded {
  std::deque<int> items;
  auto state() const { return std::tie(items); }  // gives equality, hash and printing

  bool enq(int v) {
    if (items.size() == 4) return false;
    items.push_back(v);
    return true;
  }
  int deq() {
    if (items.empty()) plumb::block();
    const int v = items.front();
    items.pop_front();
    return v;
  }
};

auto spec =
    plumb::describe<Bounded>("bounded").method("enq", &Bounded::enq).method("deq", &Bounded::deq);
