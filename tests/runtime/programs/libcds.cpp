// SPDX-License-Identifier: MIT
// libcds' own queues, unmodified, with hazard pointers. Part of the latter is compiled in
// libcds.so, so what orders its threads is not seen: races are ignored.
//! needs: cds/init.h
//! link: -lcds
#include "program.hpp"

#include <cds/container/basket_queue.h>
#include <cds/container/msqueue.h>
#include <cds/gc/hp.h>
#include <cds/init.h>

// The library keeps a record for every thread, and frees at its end: once an execution.
template <class Queue>
void push_and_pop() {
  cds::Initialize();
  {
    cds::gc::HP collector(Queue::c_nHazardPtrCount, 4, 4);
    cds::threading::Manager::attachThread();
    {
      Queue queue;
      int first = 0, second = 0;
      const auto attached = [](auto work) {
        return [work] {
          cds::threading::Manager::attachThread();
          work();
          cds::threading::Manager::detachThread();
        };
      };
      plumb::parallel(attached([&] { queue.push(1); }), attached([&] {
                        queue.push(2);
                        queue.pop(first);
                      }));
      queue.pop(second);
      assert(first + second == 3);
    }
    cds::threading::Manager::detachThread();
  }
  cds::Terminate();
}

constexpr char kNoRaces[] =
    "--strategy dfs --preemptions 2 --heap quarantine --ignore race --schedule-at atomics";

PLUMB_CASE(nullptr, kNoRaces, michael_scott) {
  push_and_pop<cds::container::MSQueue<cds::gc::HP, int>>();
}
PLUMB_CASE(nullptr, kNoRaces, basket) {
  push_and_pop<cds::container::BasketQueue<cds::gc::HP, int>>();
}
