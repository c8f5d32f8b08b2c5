// SPDX-License-Identifier: MIT
// A queue as a first attempt might look: push takes a number, then fills the slot with that
// number.
#pragma once

#include <array>
#include <atomic>
#include <optional>

class TicketQueue {
 public:
  void push(int value) { slots_[back_.fetch_add(1)] = value; }

  std::optional<int> try_pop() {
    int front = front_;
    do {
      if (slots_[front] == 0) return std::nullopt;  // still empty
    } while (!front_.compare_exchange_weak(front, front + 1));
    return slots_[front];
  }

 private:
  std::array<std::atomic<int>, 64> slots_{};
  std::atomic<int> front_{0}, back_{0};
};
