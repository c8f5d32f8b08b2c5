// SPDX-License-Identifier: MIT
// A breadth-first search finds a violation with the fewest moves. A reader prefers the fewest
// operations, and then the fewest plain steps. So, once a violation is known, the product
// (product.cpp) is searched again by cost: a move costs the calls that it makes and, if these are
// equal, its plain steps (Dijkstra, 1959, with pairs as distances).
//
// Which reductions keep the least cost? For every run that they leave out there must be one that
// is not more expensive, and just as wrong:
//  * Symmetry: a renamed run costs the same.
//  * Antichain: with a smaller set at the same state, whatever is wrong with the larger one is
//    wrong by the same moves. So a pair is dropped if such a one is known at no higher cost.
//  * Generators: the sets are the same.
//  * Late calls: the same steps in another order. A call without any step behind it can be left
//    out, unless it is one that waits; and that is a move.
//  * Eager returns: the same operations, but an operation need not return at all, and here it
//    does. So they preserve the least number of operations, but not of steps.
//  * Partial-order reduction is disabled.
// Hence two searches. The first has eager returns and so is small: it finds the fewest operations.
// The second, without them, only looks for something cheaper than what the first one found.
#include "refine/evidence/least.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "refine/search/graph.hpp"
#include "refine/search/moves.hpp"
#include "refine/search/symmetry.hpp"

namespace plumb::refine {
namespace {

struct RunCost {
  std::uint32_t calls = 0, steps = 0;
  auto operator<=>(const RunCost&) const = default;
};

struct CheapestEnd {
  RunCost cost;
  Found::Kind kind = Found::none;
  std::vector<PlainStep> trace;
  std::uint32_t culprit = 0;
};

class CheapestFirst {
 public:
  CheapestFirst(const model::Program& program, const Reductions& reductions, bool monitored,
                Budget& budget, std::uint64_t most)
      : program_(program), antichain_(reductions.antichain), budget_(budget), most_(most),
        sets_(program, reductions.generators), monitor_(sets_), symmetry_(program),
        symmetric_(reductions.symmetry && symmetry_.any()), monitored_(monitored),
        moves_(program, reductions, monitored ? &monitor_ : nullptr, true),
        states_(program.layout.words) {
    list_.width = program.layout.words;
  }

  /// The cheapest end of those that are cheaper than `limit`; nothing: there is none, or the search
  /// was cut.
  std::optional<CheapestEnd> run(RunCost limit) {
    limit_ = limit;
    std::vector<std::uint64_t> words(program_.layout.words);
    SetId set = initial(words);
    enter(words.data(), set, {kNoOne, 0, {}});
    while (!open_.empty() && open_.begin()->first < limit_) {
      const std::vector<std::uint32_t> nodes = std::move(open_.begin()->second);
      open_.erase(open_.begin());
      for (const std::uint32_t node : nodes) {
        if (nodes_.size() > most_ || sets_.faulty() ||
            (node % kAskEvery == 0 && budget_.exhausted())) {
          cut_ = true;
          return {};
        }
        if (!is_superfluous(nodes_[node])) expand(node);
      }
    }
    if (end_) trace();
    return end_;
  }
  bool cut() const { return cut_; }

 private:
  static constexpr std::uint32_t kNoOne = 0xffffffffu, kAskEvery = 256;

  struct From {
    std::uint32_t node, move;
    RunCost cost;  // of what it leads to
  };
  struct Node {
    std::uint32_t state;
    SetId set;
    From from;
    std::uint32_t next;  // another one with the same state
    bool expanded;
  };

  Monitor* monitor() { return monitored_ ? &monitor_ : nullptr; }

  SetId initial(std::vector<std::uint64_t>& words) {
    const model::Machine machine(program_);
    machine.pack(machine.initial().data(), words.data());
    SetId set = monitored_ ? monitor_.initial() : 0;
    if (symmetric_) symmetry_.apply(words.data(), monitor(), set);
    return set;
  }

  /// Whether the one set makes the other superfluous.
  bool covers(SetId one, SetId other) {
    return one == other || (monitored_ && antichain_ && monitor_.includes(other, one));
  }
  bool is_superfluous(const Node& node) {
    for (std::uint32_t n = heads_[node.state]; n != kNoOne; n = nodes_[n].next)
      if (nodes_[n].expanded && covers(nodes_[n].set, node.set)) return true;
    return false;
  }

  void enter(std::uint64_t* words, SetId set, From from) {
    const std::uint32_t state = states_.number(words);
    if (state == heads_.size()) heads_.push_back(kNoOne);
    for (std::uint32_t n = heads_[state]; n != kNoOne; n = nodes_[n].next)
      if (nodes_[n].from.cost <= from.cost && covers(nodes_[n].set, set)) return;
    open_[from.cost].push_back(static_cast<std::uint32_t>(nodes_.size()));
    nodes_.push_back({state, set, from, heads_[state], false});
    heads_[state] = static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  /// What a move costs that is on the list, from these words.
  RunCost after(RunCost cost, const std::uint64_t* words, std::size_t move) {
    const std::span<const PlainStep> path = list_.path(move);
    const bool call =
        moves_.stepper().point(words, path.front().process).kind == model::Point::idle;
    return {cost.calls + call, cost.steps + static_cast<std::uint32_t>(path.size())};
  }

  void expand(std::uint32_t node) {
    nodes_[node].expanded = true;
    const SetId set = nodes_[node].set;
    const RunCost cost = nodes_[node].from.cost;
    const std::vector<std::uint64_t> words(states_[nodes_[node].state],
                                           states_[nodes_[node].state] + program_.layout.words);
    const std::uint64_t cuts_before = moves_.stepper().cuts();
    moves_.expand(words.data(), set, list_);
    for (std::uint32_t m = 0; m < list_.list.size(); ++m) {
      const From from{node, m, after(cost, words.data(), m)};
      if (!(from.cost < limit_)) continue;
      SetId next = list_.list[m].set;
      if (list_.list[m].fault) {
        end_at(from, Found::fault);
      } else if (monitored_ && next == Monitor::kEmpty) {
        end_at(from, Found::unexplained);
      } else {
        std::uint64_t* to = list_.states.data() + m * program_.layout.words;
        if (symmetric_) symmetry_.apply(to, monitor(), next);
        enter(to, next, from);
      }
    }
    const bool stuck = list_.stuck && moves_.stepper().cuts() == cuts_before;
    if (!monitored_ || !stuck || !(cost < limit_)) return;
    std::uint32_t culprit = 0;
    if (!monitor_.may_be_stuck(set, culprit)) end_at({node, kNoOne, cost}, Found::stuck, culprit);
  }

  // From now on only what is cheaper counts.
  void end_at(const From& from, Found::Kind kind, std::uint32_t culprit = 0) {
    end_from_ = from;
    end_ = CheapestEnd{from.cost, kind, {}, culprit};
    limit_ = from.cost;
  }

  // Walks from the start to the end, and renames processes back, as Search::trace does.
  void trace() {
    std::vector<std::uint32_t> moves;
    if (end_from_.move != kNoOne) moves.push_back(end_from_.move);
    for (const Node* n = &nodes_[end_from_.node]; n->from.node != kNoOne; n = &nodes_[n->from.node])
      moves.push_back(n->from.move);
    std::reverse(moves.begin(), moves.end());
    std::vector<std::uint32_t> real(program_.processes());
    std::iota(real.begin(), real.end(), 0u);
    std::vector<std::uint64_t> words(program_.layout.words);
    SetId set = initial(words);
    for (std::size_t i = 0; i < moves.size(); ++i) {
      moves_.expand(words.data(), set, list_);
      for (const PlainStep& step : list_.path(moves[i]))
        end_->trace.push_back({real[step.process], step.ordinal});
      if (i + 1 == moves.size() && end_->kind != Found::stuck) break;
      std::copy_n(list_.words(moves[i]), words.size(), words.begin());
      set = list_.list[moves[i]].set;
      if (!symmetric_ || !symmetry_.apply(words.data(), monitor(), set)) continue;
      const std::vector<std::uint32_t> old = real;
      for (std::size_t p = 0; p < real.size(); ++p) real[p] = old[symmetry_.order()[p]];
    }
    end_->culprit = real[end_->culprit];
  }

  const model::Program& program_;
  const bool antichain_;
  Budget& budget_;
  const std::uint64_t most_;
  Sets sets_;
  Monitor monitor_;
  Symmetry symmetry_;
  const bool symmetric_, monitored_;
  Moves moves_;
  MoveList list_;
  PackedStates states_;
  std::vector<std::uint32_t> heads_;  // by state: its newest node
  std::vector<Node> nodes_;
  std::map<RunCost, std::vector<std::uint32_t>> open_;
  RunCost limit_;
  From end_from_{kNoOne, kNoOne, {}};
  std::optional<CheapestEnd> end_;
  bool cut_ = false;
};

// What the trace that is known costs.
RunCost run_cost(const model::Program& program, const std::vector<PlainStep>& trace) {
  model::Machine machine(program);
  std::vector<model::Cell> state = machine.initial(), next = state;
  RunCost cost;
  for (const PlainStep& step : trace) {
    std::uint32_t ordinal = 0;
    machine.successors(state.data(), step.process, [&](const model::Successor& s) {
      if (ordinal++ != step.ordinal) return;
      cost.calls += s.kind == model::StepKind::call;
      if (!s.fault) next.assign(s.state, s.state + program.cells());
    });
    ++cost.steps;
    state = next;
  }
  return cost;
}

}  // namespace

void find_least(const model::Program& program, const Reductions& reductions, bool monitored,
                Budget& budget, Found& found, std::uint64_t most) {
  RunCost known = run_cost(program, found.trace);
  Reductions first = reductions;
  first.partial_order = false;
  Reductions second = first;
  second.eager_returns = false;
  const auto cheaper = [&](const Reductions& some) {
    CheapestFirst search(program, some, monitored, budget, most);
    if (const std::optional<CheapestEnd> end = search.run(known)) {
      known = end->cost;
      found.kind = end->kind;
      found.trace = end->trace;
      found.culprit = end->culprit;
    }
    return !search.cut();
  };
  found.fewest_operations = cheaper(first);
  found.fewest_steps = found.fewest_operations && (!first.eager_returns || cheaper(second));
}

}  // namespace plumb::refine
