// SPDX-License-Identifier: MIT
//! TwoIndexMap: "put(1,2) | value_of(1), key_of(2)", preemptions 1: violation
//! FixedTwoIndexMap: "put(1,2) | value_of(1), key_of(2)", preemptions 3: holds
#include "two_index_map.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT TwoIndexMap
#endif
using Map = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Map>("two_index_map")
                         .method("put", &Map::put, plumb::values(1), plumb::values(2))
                         .method("value_of", &Map::value_of, plumb::values(1))
                         .method("key_of", &Map::key_of, plumb::values(2)))
      .main(argc, argv);
}
