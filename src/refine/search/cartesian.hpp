// SPDX-License-Identifier: MIT
// Cartesian partial-order reduction: sections 4.3 and 4.4 of the paper (see monitor.cpp) and its
// Algorithm A.1, after Gueta, Flanagan, Yahav and Sagiv, *Cartesian partial-order reduction*, 2007.
//
// Moves of different processes that touch no shared cell in common, or only read it, can change
// places. From a pair, each process goes along a path of its own moves as far as no other can tell:
// two moves of different paths may depend on one another only if both are the last of their paths,
// and a move that calls or returns is the last of its path (Definition 8). Only the ends of the
// paths are visited. Take the rest of any run to a violation: some path is the first to be
// completed in it. All that comes before depends on nothing in that path, so that path can come
// first, and what is left is shorter (Theorem 6). A path that comes back to where it was cannot be
// completed, and nothing else waits for it: it is not visited.
//
// The proof is by the length of the rest, so it needs nothing of the order of the search, and holds
// with symmetry and antichain as well (section 4.4).
//
// What the paper's processes do not have:
//  * Moves that may go several ways (`choose`, calls), and gluing, which lets a call touch cells.
//    Such a move has the footprint of all its ways, and is the last of its path.
//  * Moves that are not possible now (`await`). What the attempt read is a footprint as well:
//    a step that changes it ends there. So states in which no process can proceed are found, too:
//    the paths that are under way could all continue.
//  * Faults. They are seen, so they end a path.
//  * Eager returns. The step before a return and the return are one move here, although the search
//    stops in between: no other process moves there.
#pragma once

#include "refine/search/moves.hpp"

namespace plumb::refine {

/// Not thread-safe: it has scratch memory.
class Cartesian {
 public:
  Cartesian(const model::Program& program, Moves& moves);

  /// The ends of the paths from a pair, always in the same order. `out.stuck`: there is no path,
  /// not even an endless one.
  void expand(const std::uint64_t* words, SetId set, MoveList& out);

 private:
  struct Path {
    MoveList ends;                // where the last move leads: several ways, or none
    model::Footprint body, last;  // what all moves but the last touch; what the last touches
    std::vector<std::uint64_t> seen;
    std::vector<PlainStep> steps;  // of the body
    bool extendable = false, infinite = false;
  };
  void begin(std::uint32_t process, const std::uint64_t* words, SetId set);
  void extend(std::uint32_t process, SetId set);
  void add_moves(std::uint32_t process, const std::uint64_t* words, SetId set, MoveList& out,
                 model::Footprint& footprint);
  void close_dependent(std::uint32_t process);

  const std::size_t width_;
  Moves& moves_;
  std::vector<Path> paths_;  // the Cartesian vector
  MoveList next_;
  model::Footprint touched_;
};

}  // namespace plumb::refine
