// SPDX-License-Identifier: MIT
// What the search does next from a pair.
//
// Gluing. A move is one plain step, except:
//  * Eager returns. If some operation is about to return, that is the only move. Returning does not
//    change what others can do; and of two histories, the one in which it returns earlier is the
//    stricter one: an operation called afterwards is ordered behind it. So every violation shows up
//    in a path that returns at once. (The pair between the step and the return is kept like any
//    other: it is often one that was met before, and what a return makes of a set is costly.)
//  * Late calls. A call goes together with the first step behind it, likewise: a call that comes
//    later is ordered behind more operations. Where that step is not possible now the call is a
//    move by itself, so that a process that waits forever is seen to wait. So it is where the
//    operation takes effect with its call, by a linearization point.
#pragma once

#include "refine/question/monitor.hpp"
#include "refine/search/product.hpp"
#include "refine/search/stepper.hpp"

namespace plumb::refine {

struct Move {
  SetId set = 0;
  bool fault = false;    // then the state means nothing
  bool visible = false;  // it calls, returns, takes effect at a mark, or the next one must return
  std::uint32_t first_step = 0, last_step = 0;  // in path()
};

/// A list of moves, with the packed state that each leads to.
struct MoveList {
  std::vector<Move> list;
  std::vector<std::uint64_t> states;
  std::vector<PlainStep> steps;  // if they are wanted
  std::size_t width = 0;         // words of a state
  bool stuck = false;            // no process can do anything

  void clear() {
    list.clear();
    states.clear();
    steps.clear();
  }
  const std::uint64_t* words(std::size_t i) const { return states.data() + i * width; }
  std::span<const PlainStep> path(std::size_t i) const {
    return {steps.data() + list[i].first_step, steps.data() + list[i].last_step};
  }
};

/// Not thread-safe: it has scratch memory.
class Moves {
 public:
  /// A null monitor: there is no specification, and nothing is glued. `with_paths`: the plain steps
  /// of moves are noted too.
  Moves(const model::Program& program, const Reductions& reductions, Monitor* monitor,
        bool with_paths);

  /// The process whose return is the only move; kNoProcess: there is none.
  static constexpr std::uint32_t kNoProcess = 0xffffffffu;
  std::uint32_t returning(const std::uint64_t* words) const;
  /// All moves from a pair, always in the same order.
  void expand(const std::uint64_t* words, SetId set, MoveList& out);
  /// Those of one process.
  void add_moves(const std::uint64_t* words, SetId set, std::uint32_t process, MoveList& out);
  Stepper& stepper() { return stepper_; }

 private:
  /// Plain steps of one process, one behind the other: the ordinal of each.
  struct Ordinals {
    std::uint32_t count = 0, at[2] = {};
    Ordinals then(std::size_t next) const {
      Ordinals longer = *this;
      longer.at[longer.count++] = static_cast<std::uint32_t>(next);
      return longer;
    }
  };
  void add(const Step& step, const std::uint64_t* words, Move move, const Ordinals& ordinals,
           MoveList& out);
  SetId after(const Step& step, SetId set);
  bool takes_effect(const Step& call, SetId set);

  const model::Program& program_;
  Monitor* const monitor_;
  const bool eager_returns_, late_calls_, with_paths_;
  Stepper stepper_;
  Steps first_, second_;
};

}  // namespace plumb::refine
