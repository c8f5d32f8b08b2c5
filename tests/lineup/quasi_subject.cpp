// SPDX-License-Identifier: MIT
// What quasi_test.py runs: a relaxed queue of objects/, and the same class with k = 0 to say what
// is right. The macro OBJECT says which.
#include <plumb/replayed.hpp>
#include <plumb/test.hpp>

#include "../../objects/queues/quasi_queue.hpp"

using Queue = plumb::objects::OBJECT<1>;
using Exact = plumb::objects::QuasiQueue<0>;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("queue")
                         .method("enq", &Queue::enq, plumb::values(1, 2, 3))
                         .method("deq", &Queue::deq))
      .against(plumb::describe<plumb::Replayed<Exact>>("QuasiQueue<0>")
                   .method("enq", plumb::replayed(&Exact::enq), plumb::values(1, 2, 3))
                   .method("deq", plumb::replayed(&Exact::deq)))
      .main(argc, argv);
}
