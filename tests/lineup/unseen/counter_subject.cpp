// SPDX-License-Identifier: MIT
// plumb test counter_subject.cpp --link=counter_plain.o
#include "counter.hpp"

#include <plumb/test.hpp>

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Counter>("Counter")
                         .method("inc", &Counter::inc)
                         .method("get", &Counter::get))
      .main(argc, argv);
}
