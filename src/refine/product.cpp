// SPDX-License-Identifier: MIT
// Algorithm 4.1 of the paper (see monitor.cpp), breadth first: a pair is a state of the
// implementation and the set of configurations that the specification may be in after the same
// calls and returns. All histories are linearizable if and only if no pair with an empty set is
// reachable (Theorem 1). Breadth first, so the first one that is found is reached by the fewest
// moves.
//
// A pair in which no process can do anything, although an operation is pending, is the end of a
// stuck history; Monitor::may_be_stuck judges it.
//
// Gluing. A move is one plain step, except:
//  * If some operation is about to return, that is the only move. Returning does not change what
//    others can do; and of two histories, the one in which it returns earlier is the stricter one:
//    whoever is called afterwards is ordered behind it. So every violation shows up in a path that
//    returns at once.
//  * A call goes together with the first step behind it, likewise: a call that comes later is
//    ordered behind more operations. Where that step is not possible now the call is a move by
//    itself, so that a process that waits for ever is seen to wait.
//  Returns are finitely many in a row, so nothing is put off for ever.
//
// Antichain. If a pair was visited with a set that is included in another one, the pair with the
// other one has nothing to add: what the smaller set explains, the larger one does too.
//
// Symmetry: symmetry.hpp. A stored move is then one of a renamed process; trace() walks the path
// again and renames it back ("recover", section 4.2), so what comes out is a path of plain,
// unreduced steps.
#include "refine/product.hpp"

#include <algorithm>
#include <numeric>

#include "refine/monitor.hpp"
#include "refine/symmetry.hpp"

namespace plumb::refine {
namespace {

using model::Cell;
using model::Machine;
using model::Point;
using model::StepKind;
using model::Successor;

constexpr std::uint32_t kNone = 0xffffffffu;
constexpr std::uint32_t kNoStep = 0xffffffffu;
constexpr std::uint64_t kAskEvery = 512;

struct Move {
  std::uint32_t process = 0;
  std::uint32_t first = 0, second = kNoStep;  // ordinals; second: the step that a call is glued to
};

struct Node {
  std::uint32_t state, set;
  std::uint32_t parent;
  std::uint32_t next;                    // another node with the same state
  std::uint32_t process, first, second;  // the move that led here
};

class Search {
 public:
  Search(const model::Program& program, const Reductions& reductions, bool monitored,
         Budget& budget, SearchProgress* progress)
      : program_(program), reductions_(reductions), machine_(program), inner_(program),
        sequential_(program), monitor_(program, sequential_), symmetry_(program),
        monitored_(monitored), budget_(budget), progress_(progress), states_(program.layout.words),
        words_(program.layout.words) {
    reductions_.symmetry = reductions_.symmetry && symmetry_.any();
  }

  Found run() {
    std::vector<Cell> state = machine_.initial();
    SetId set = Monitor::kInitial;
    if (reductions_.symmetry) symmetry_.apply(state.data(), monitor(), set);
    add(state.data(), set, kNone, {});
    std::uint32_t at = 0;
    level_end_ = 1;
    for (; at < nodes_.size() && found_.kind == Found::none; ++at) {
      if (at == level_end_) {
        ++found_.depth;
        level_end_ = static_cast<std::uint32_t>(nodes_.size());
      }
      if (nodes_[at].state == kNone) continue;  // dropped
      if (at % kAskEvery == 0) {
        if (progress_) {
          progress_->states = nodes_.size();
          progress_->waiting = nodes_.size() - at;
        }
        if (budget_.exhausted()) break;
      }
      expand(at);
      if (sequential_.fault()) break;
    }
    found_.states = nodes_.size() - dropped_;
    found_.implementation = states_.size();
    found_.waiting = nodes_.size() - at;
    found_.sets = monitor_.sets();
    found_.largest_set = monitor_.largest();
    found_.spec_states = sequential_.size();
    if (sequential_.fault()) {
      found_.spec_fault = sequential_.fault();
      found_.kind = Found::none;
    } else if (found_.kind != Found::none) {
      found_.verdict = Verdict::violation;
    } else if (at < nodes_.size()) {
      found_.stopped = budget_.stopped();
    } else if (cuts() == 0) {
      found_.verdict = Verdict::holds;
    }
    found_.cuts = cuts();
    return std::move(found_);
  }

 private:
  Monitor* monitor() { return monitored_ ? &monitor_ : nullptr; }
  std::uint64_t cuts() const { return machine_.cuts() + inner_.cuts(); }

  // Calls visit(move, state, set, fault) with every move from a pair. What it says of a set is
  // before any renaming.
  template <class Visit>
  void moves(const Cell* state, SetId set, Visit visit) {
    const std::uint32_t processes = program_.processes();
    const bool glue = reductions_.glue && monitored_;
    if (glue)
      for (std::uint32_t p = 0; p < processes; ++p)
        if (machine_.point(state, p).kind == Point::returning) {
          plain(state, set, p, false, visit);
          return;
        }
    for (std::uint32_t p = 0; p < processes; ++p) plain(state, set, p, glue, visit);
  }

  template <class Visit>
  void plain(const Cell* state, SetId set, std::uint32_t p, bool glue, Visit visit) {
    std::uint32_t first = 0;
    machine_.successors(state, p, [&](const Successor& s) {
      Move move{p, first++, kNoStep};
      SetId next = set;
      if (monitored_ && s.kind == StepKind::call) next = monitor_.called(set, p, s.call);
      if (monitored_ && s.kind == StepKind::give_back) next = monitor_.returned(set, p, s.result);
      if (!glue || s.kind != StepKind::call || s.fault ||
          machine_.point(s.state, p).kind != Point::inside) {
        visit(move, s.state, next, s.fault);
        return;
      }
      std::uint32_t second = 0;
      inner_.successors(s.state, p, [&](const Successor& t) {
        visit(Move{p, move.first, second++}, t.state, next, t.fault);
      });
      if (second == 0) visit(move, s.state, next, s.fault);
    });
  }

  void expand(std::uint32_t at) {
    const SetId set = nodes_[at].set;
    current_.resize(program_.cells());
    machine_.unpack(states_[nodes_[at].state], current_.data());
    std::uint64_t moves_here = 0;
    const std::uint64_t cuts_before = cuts();
    moves(current_.data(), set,
          [&](const Move& move, const Cell* next, SetId next_set, const model::Fault* fault) {
            ++moves_here;
            if (found_.kind != Found::none) return;
            if (fault || (monitored_ && next_set == Monitor::kEmpty)) {
              found_.kind = fault ? Found::fault : Found::unexplained;
              trace(at, &move);
              return;
            }
            successor_.assign(next, next + program_.cells());
            if (reductions_.symmetry) symmetry_.apply(successor_.data(), monitor(), next_set);
            add(successor_.data(), next_set, at, move);
          });
    found_.transitions += moves_here;
    if (moves_here > 0 || !monitored_ || found_.kind != Found::none) return;
    if (cuts() > cuts_before) return;  // somebody would, with more memory
    // Nobody can proceed. Processes that have done all they should are no reason to complain.
    if (monitor_.may_be_stuck(set, found_.culprit)) return;
    found_.kind = Found::stuck;
    found_.culprit = trace(at, nullptr)[found_.culprit];
  }

  void add(const Cell* state, SetId set, std::uint32_t parent, const Move& move) {
    machine_.pack(state, words_.data());
    const std::uint32_t number = states_.number(words_.data());
    if (number == heads_.size()) heads_.push_back(kNone);
    if (heads_[number] != kNone) {
      if (!monitored_ || pairs_.find(number, set)) return;
      if (reductions_.antichain)
        for (std::uint32_t n = heads_[number]; n != kNone; n = nodes_[n].next)
          if (monitor_.includes(set, nodes_[n].set)) return;
      if (reductions_.antichain) drop_larger(number, set);
    }
    const auto node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({number, set, parent, heads_[number], move.process, move.first, move.second});
    heads_[number] = node;
    if (monitored_) pairs_.enter(number, set, node);
  }

  void drop_larger(std::uint32_t number, SetId set) {
    // The newest come first, so those of this level do.
    for (std::uint32_t* link = &heads_[number]; *link != kNone && *link >= level_end_;) {
      Node& node = nodes_[*link];
      if (monitor_.includes(node.set, set)) {
        *link = node.next;
        node.state = kNone;
        ++dropped_;
      } else {
        link = &node.next;
      }
    }
  }

  // Walks from the start to a node, and one move on; fills in found_.trace.
  // Returns: which real process each of the node's processes is.
  std::vector<std::uint32_t> trace(std::uint32_t node, const Move* last) {
    std::vector<std::uint32_t> path;
    for (std::uint32_t n = node; n != kNone; n = nodes_[n].parent) path.push_back(n);
    std::reverse(path.begin(), path.end());
    std::vector<std::uint32_t> real(program_.processes());
    std::iota(real.begin(), real.end(), 0u);
    const auto emit = [&](const Move& move) {
      found_.trace.push_back({real[move.process], move.first});
      if (move.second != kNoStep) found_.trace.push_back({real[move.process], move.second});
    };
    std::vector<Cell> from(program_.cells()), to(program_.cells());
    for (std::size_t i = 1; i < path.size(); ++i) {
      const Node& n = nodes_[path[i]];
      const Move move{n.process, n.first, n.second};
      emit(move);
      if (!reductions_.symmetry) continue;
      const Node& parent = nodes_[path[i - 1]];
      walker_.unpack(states_[parent.state], from.data());
      step(from.data(), move.process, move.first, to.data());
      SetId set = parent.set;
      if (monitored_) set = after(set, from.data(), move.process, move.first);
      if (move.second != kNoStep) {
        from = to;
        step(from.data(), move.process, move.second, to.data());
      }
      if (!symmetry_.apply(to.data(), monitor(), set)) continue;
      const std::vector<std::uint32_t> old = real;
      for (std::size_t p = 0; p < real.size(); ++p) real[p] = old[symmetry_.order()[p]];
    }
    if (last) emit(*last);
    return real;
  }

  void step(const Cell* from, std::uint32_t process, std::uint32_t ordinal, Cell* to) {
    std::uint32_t i = 0;
    walker_.successors(from, process, [&](const Successor& s) {
      if (i++ == ordinal) std::copy(s.state, s.state + program_.cells(), to);
    });
  }
  SetId after(SetId set, const Cell* from, std::uint32_t process, std::uint32_t ordinal) {
    std::uint32_t i = 0;
    SetId next = set;
    walker_.successors(from, process, [&](const Successor& s) {
      if (i++ != ordinal) return;
      if (s.kind == StepKind::call) next = monitor_.called(set, process, s.call);
      if (s.kind == StepKind::give_back) next = monitor_.returned(set, process, s.result);
    });
    return next;
  }

  const model::Program& program_;
  Reductions reductions_;
  Machine machine_, inner_, walker_{program_};  // one for each depth of callbacks
  model::Sequential sequential_;
  Monitor monitor_;
  Symmetry symmetry_;
  const bool monitored_;
  Budget& budget_;
  SearchProgress* progress_;
  Rows<std::uint64_t> states_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> heads_;  // by state: its newest node
  std::vector<Node> nodes_;           // in the order of the search, so also its queue
  std::uint32_t level_end_ = 0;       // from here on: the level that is being made
  std::uint64_t dropped_ = 0;
  PairMap pairs_;
  std::vector<Cell> current_, successor_;
  Found found_;
};

}  // namespace

Found refine(const model::Program& program, const Reductions& reductions, Budget& budget,
             SearchProgress* progress) {
  return Search(program, reductions, true, budget, progress).run();
}

Found explore(const model::Program& program, bool symmetry, Budget& budget,
              SearchProgress* progress) {
  const Reductions reductions = {.glue = false, .symmetry = symmetry, .antichain = false};
  return Search(program, reductions, false, budget, progress).run();
}

}  // namespace plumb::refine
