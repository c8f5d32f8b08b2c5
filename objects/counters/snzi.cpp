// SPDX-License-Identifier: MIT
//! WholeSnzi: "arrive | arrive, query", preemptions 1: violation
//! HastySnzi: "arrive | arrive, query", preemptions 1: violation
//! Snzi: "arrive | arrive, query", preemptions 3: holds
//! Snzi: "arrive, query | arrive, query", preemptions 3: holds
//! Snzi: "arrive, depart | arrive, query, depart, query", preemptions 2: holds
#include "snzi.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT WholeSnzi
#endif

// Only a thread that has arrived may depart: other calls are rejected before they touch the object.
class Indicator {
 public:
  void arrive() {
    indicator_.arrive();
    ++arrivals();
  }
  bool depart() {
    if (arrivals() == 0) return false;
    --arrivals();
    indicator_.depart();
    return true;
  }
  bool query() const { return indicator_.query(); }

 private:
  static int& arrivals() {  // of this thread
    thread_local int count = 0;
    return count;
  }
  plumb::objects::OBJECT indicator_;
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Indicator>("snzi")
                         .method("arrive", &Indicator::arrive)
                         .method("depart", &Indicator::depart)
                         .method("query", &Indicator::query))
      .main(argc, argv);
}
