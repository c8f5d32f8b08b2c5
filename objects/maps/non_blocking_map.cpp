// SPDX-License-Identifier: MIT
//! NonBlockingMap: "put(5,1) | put(5,2); post get(5)", preemptions 1: violation
//! FixedNonBlockingMap: "put(5,1) | put(5,2); post get(5)", preemptions 3: holds
//! FixedNonBlockingMap: "put(5,1), put(5,2) | put(5,3), get(5) | put(5,4)", preemptions 2: holds
#include "non_blocking_map.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT NonBlockingMap
#endif
using Map = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Map>("non_blocking_map")
                         .method("put", &Map::put, plumb::values(5), plumb::values(1, 2, 3, 4))
                         .method("get", &Map::get, plumb::values(5)))
      .main(argc, argv);
}
