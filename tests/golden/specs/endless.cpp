// SPDX-License-Identifier: MIT
// A queue whose enq never returns: for limits and interrupts.
#include <plumb/describe.hpp>

#include <tuple>

struct Endless {
  int n = 0;
  auto state() const { return std::tie(n); }
  void enq(int) {
    for (volatile int i = 0;; i = i + 1) {}
  }
  int deq() { return n; }
};

auto spec =
    plumb::describe<Endless>("endless").method("enq", &Endless::enq).method("deq", &Endless::deq);
