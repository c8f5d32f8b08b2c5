// SPDX-License-Identifier: MIT
// A counter whose methods are compiled apart, without instrumentation: counter_*.cpp.
#pragma once

class Counter {
 public:
  long inc();
  long get();

 private:
  long n_ = 0;
};
