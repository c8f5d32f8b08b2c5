// SPDX-License-Identifier: MIT
//! ForgetfulMap: "pre store(1,10); load_and_delete(1) | store(1,20); post load_and_delete(1)", preemptions 1: violation
//! FixedForgetfulMap: "pre store(1,10); load_and_delete(1) | store(1,20); post load_and_delete(1)", preemptions 3: holds
//! FixedForgetfulMap: "store(1,10), load(1) | store(1,20), load_and_delete(1)", preemptions 3: holds
#include "forgetful_map.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT ForgetfulMap
#endif
using Map = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Map>("forgetful_map")
                         .method("store", &Map::store, plumb::values(1, 2), plumb::values(10, 20))
                         .method("load", &Map::load, plumb::values(1, 2))
                         .method("load_and_delete", &Map::load_and_delete, plumb::values(1, 2)))
      .main(argc, argv);
}
