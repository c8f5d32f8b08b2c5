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
using Indicator = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Indicator>("snzi")
                         .method("arrive", &Indicator::arrive)
                         .method("depart", &Indicator::depart)
                         .method("query", &Indicator::query))
      .main(argc, argv);
}
