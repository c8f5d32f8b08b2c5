// SPDX-License-Identifier: MIT
//! ConcurrentQueuePre: "pre enqueue(200); try_dequeue | enqueue(400)", preemptions 2: violation
//! ConcurrentQueuePre: "enqueue(200), try_dequeue | enqueue(400), try_dequeue", preemptions 2: violation
//! ConcurrentQueue: "enqueue(200), try_dequeue | enqueue(400), try_dequeue", preemptions 2: holds
//! ConcurrentQueue: "enqueue(200), count | enqueue(400), to_array | try_dequeue", preemptions 1: holds
//! ConcurrentQueue: "enqueue(200), try_peek | try_dequeue, is_empty", preemptions 2: holds
//! ConcurrentQueueOfPairs: "pre enqueue(200); enqueue(200), try_dequeue | enqueue(400), to_array", preemptions 2: holds
//! ConcurrentQueueOfPairs: "pre enqueue(200); enqueue(200), count | try_dequeue, try_dequeue", preemptions 2: holds
//! ConcurrentQueue LEAK_NODES: "pre enqueue(200), enqueue(400); try_dequeue | try_dequeue", preemptions 1: alarm
#include "concurrent_queue.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT ConcurrentQueuePre
#endif
using Queue = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("concurrent_queue")
                         .method("count", &Queue::count)
                         .method("is_empty", &Queue::is_empty)
                         .method("enqueue", &Queue::enqueue, plumb::values(200, 400))
                         .method("to_array", &Queue::to_array)
                         .method("try_dequeue", &Queue::try_dequeue)
                         .method("try_peek", &Queue::try_peek))
      .main(argc, argv);
}
