// SPDX-License-Identifier: MIT
// oneTBB's ordered set, a skip list, unmodified. An insertion that finds a node which is not linked
// on all levels yet waits until it is.
//
//   plumb test examples/libraries/tbb_set.cpp --link=-ltbb
//! needs: tbb/concurrent_set.h
//! link: -ltbb
//! --test 'insert(1) | insert(1)' --strategy dpor: holds
//! --operations 0 --random 20 --size 2x2 --preemptions 1: holds
#include <tbb/concurrent_set.h>

#include <plumb/test.hpp>

using Set = tbb::concurrent_set<int>;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Set>("tbb::concurrent_set")
                         .method(
                             "insert", [](Set& s, int v) { return s.insert(v).second; },
                             plumb::values(1, 2))
                         .method(
                             "contains", [](const Set& s, int v) { return s.contains(v); },
                             plumb::values(1, 2)))
      .main(argc, argv);
}
