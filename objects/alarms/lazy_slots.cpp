// SPDX-License-Identifier: MIT
//! "increment | increment", preemptions 1: alarm
//! "increment | increment, increment", preemptions 2: alarm
#include "lazy_slots.hpp"

#include <plumb/test.hpp>

using plumb::objects::LazySlots;

int main(int argc, char** argv) {
  return plumb::test(
             plumb::describe<LazySlots>("LazySlots").method("increment", &LazySlots::increment))
      .main(argc, argv);
}
