// SPDX-License-Identifier: MIT
// Windowed just-in-time search: the generic engine.
//
// Wing & Gong's search remembers which of the n operations are linearized. Most of that is known
// anyway. Let e be the earliest return that we have not passed: whatever returned before e is
// linearized, or we could not have passed it; whatever is called after e is not. Only operations
// that are pending at e are open, at most one per process (and the crashed ones). So we give each
// operation a slot when it is called, free the slot when it returns, and a configuration is
//
//     (e, mask: the slots that are linearized, state)
//
// of some 20 bytes instead of n bits. "Just in time" (Lowe's word): an operation is linearized only
// when a return blocks us, that is, when its own bit is not set; until then calls are merely noted.
//
//     advance:  a call: note it;  a return whose bit is set: free the slot;  else stop at it
//     children: linearize any one pending operation, then advance
//
// Four prunings, each switchable, each cross-checked against the definition:
//
//  * Pure labels. A label that changes no state in which it is legal (a read, a failed cas) is
//    linearized as soon as it is legal, without a branch: in any completion it can be moved here.
//    (That the *current* state stays the same is not enough: write(1) in state 1 must not be
//    hurried, because it may be needed later.)
//  * Earliest deadline first. Of pending operations with equal labels the one that returns first
//    is linearized first: exchange the two in any completion.
//  * Domination. Two configurations at the same e and state that differ only in pure and in
//    optional operations: more pure ones linearized is better (the completion of the other works,
//    less what is done already), fewer optional ones used up is better (the completion of the
//    other does not use them).
//  * Pending operations that would be pure are left out.
//
// Depth first keeps every configuration and finds orders fast; of the children the one that
// advances furthest goes first. Breadth first keeps the configurations of one return only, and so
// fails at the earliest return that nothing explains. (So does depth first once it has seen
// everything: the furthest return that blocked it.) By default depth first runs with a budget,
// then breadth first takes over.
//
// Stuck histories (Line-Up, Definition 2): the judged operations are left out of the search; each
// of them needs a final state, its own if need be, in which the specification blocks it.
//
// Cost: O(2^p * states) configurations per return in the worst case, p operations pending; linear
// in the length of the history at fixed concurrency.
#include "check/engines/jit_breadth_first.hpp"
#include "check/engines/jit_depth_first.hpp"
#include "check/engines/jit_ends.hpp"
#include "check/engines/jit_memory.hpp"

namespace plumb {
namespace jit {
namespace {

template <std::size_t kWords>
Answer run(const Problem& problem, const Window& window, Budget& budget,
           const EngineOptions& options) {
  // Most histories need about one configuration an operation; far more means that depth first has
  // lost its way, and that one return at a time, with domination inside it, may be cheaper.
  const std::uint64_t most = 1'000'000 + 4 * std::uint64_t{problem.ops.size()};
  if (!options.breadth_first) {
    Search<kWords> search(problem, window, budget, options);
    Answer answer = search.depth_first(options.depth_first ? ~std::uint64_t{0} : most);
    if (options.depth_first || answer.verdict != Verdict::undecided ||
        budget.stopped() != Budget::Stop::none)
      return answer;
  }
  Search<kWords> search(problem, window, budget, options);
  return search.breadth_first();
}

}  // namespace
}  // namespace jit

Answer decide_jit(const Problem& problem, Budget& budget, const EngineOptions& options) {
  const jit::Window window = jit::make_window(problem, options);
  switch ((window.slots + 63) / 64) {
    case 0:
    case 1: return jit::run<1>(problem, window, budget, options);
    case 2: return jit::run<2>(problem, window, budget, options);
    case 3:
    case 4: return jit::run<4>(problem, window, budget, options);
    default: return jit::run<0>(problem, window, budget, options);
  }
}

}  // namespace plumb
