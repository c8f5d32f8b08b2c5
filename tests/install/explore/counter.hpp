// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

class Counter {
 public:
  void add();
  void add_in_two_steps();  // updates can be lost
  int value() const { return value_; }

 private:
  std::atomic<int> value_{0};
};
