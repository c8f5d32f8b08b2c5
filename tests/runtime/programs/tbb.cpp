// SPDX-License-Identifier: MIT
// oneTBB's own containers, unmodified.
//! needs: tbb/concurrent_queue.h
//! link: -ltbb
#include "program.hpp"

#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_unordered_set.h>

PLUMB_HOLDS(queue) {
  tbb::concurrent_queue<int> queue;
  int first = 0, second = 0;
  plumb::parallel([&] { queue.push(1); },
                  [&] {
                    queue.push(2);
                    queue.try_pop(first);
                  });
  queue.try_pop(second);
  assert(first + second == 3);
}

PLUMB_HOLDS(hash_map) {
  tbb::concurrent_hash_map<int, int> map;
  bool first = false, second = false;
  plumb::parallel([&] { first = map.insert({1, 1}); }, [&] { second = map.insert({1, 2}); });
  assert(first != second);
  assert(map.size() == 1);
}

PLUMB_HOLDS(unordered_set) {
  tbb::concurrent_unordered_set<int> set;
  bool first = false, second = false;
  plumb::parallel([&] { first = set.insert(1).second; }, [&] { second = set.insert(1).second; });
  assert(first != second);
}
