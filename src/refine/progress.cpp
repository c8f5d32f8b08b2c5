// SPDX-License-Identifier: MIT
// Progress (Herlihy & Shavit, *On the nature of progress*, 2011) is a question about infinite runs.
// A finite graph has one if and only if it has a cycle, and every cycle lies in a strongly
// connected component. So a property is refuted by a component of a part of the graph:
//
//  * lock-free (some operation always returns, whichever processes run): any cycle without a
//  return.
//  * wait-free (every operation returns, whichever others run): for a process p, a cycle with a
//  step
//    of p and without a return of p.
//  * obstruction-free (an operation that runs alone returns): a cycle of steps of p alone.
//  * deadlock-free (some operation always returns, if no process is left out): a *fair* component
//    without a return, in which an operation is pending.
//  * returns:OP (every call of OP returns, if no process is left out): a fair component in which p
//  is
//    in OP all the time.
//
// Weak process fairness: a process that could take a step all the time takes one again and again.
// So a component is fair if every process takes a step in it, or is, in one of its states, unable
// to: for going round through all states and edges of the component is then a fair run. All these
// conditions ask for something that is *somewhere* in the component, so the largest components are
// enough. A component of one state without an edge is a run that ends there; it is fair if no
// process can take a step.
//
// A process between operations need not call again, except in the middle of its client's sequence:
// who has the lock has to give it back ("2 x { lock() ; unlock() }"). It is at rest at the start of
// the sequence only.
//
// `await` is an abbreviation for a loop. Where fairness is not assumed, a process that waits is
// therefore one that repeats a loop of its own without progress.
//
// Where `new` finds no free node a process does not wait: with more nodes it would continue. So
// such a step counts as possible, although it leads nowhere, and no violation rests on it.
//
// No reduction is used: gluing hides the states between a call and its first step, symmetry loses
// who takes which step, and the antichain belongs to the specification, which has no say here.
#include "refine/progress.hpp"

#include <algorithm>
#include <bit>

#include "refine/search/graph.hpp"

namespace plumb::refine {

using model::Cell;
using model::Point;
using model::StepKind;

bool may_rest(const model::Program& program, const Cell* state, std::uint32_t process) {
  const Cell* block = state + program.block_of(process);
  return program.points[static_cast<std::size_t>(block[0])].kind == Point::idle && block[1] == 0;
}

namespace {

using Mask = std::uint32_t;  // of processes

// What the conditions ask of a state.
struct Facts {
  Mask still = 0;    // who is at rest, or cannot take a step
  Mask pending = 0;  // who is inside an operation
  Mask waits = 0;    // who is inside one and cannot take a step
  Mask in_op = 0;    // who is inside the operation of `returns`
};

class ProgressSearch {
 public:
  ProgressSearch(const model::Program& program, const ProgressProperty& property, Graph graph)
      : program_(program), property_(property), graph_(std::move(graph)),
        component_(graph_.size(), Graph::kNoState), order_(graph_.size(), 0) {
    model::Machine machine(program);
    std::vector<Cell> state(program.cells());
    for (std::uint32_t s = 0; s < graph_.size(); ++s) {
      machine.unpack(graph_.packed[s], state.data());
      Mask enabled = graph_.cut[s];
      for (const Graph::Edge& e : graph_.from(s)) enabled |= Mask{1} << e.process;
      Facts f;
      for (std::uint32_t p = 0; p < program.processes(); ++p) {
        const Mask bit = Mask{1} << p;
        const Point& point = machine.point(state.data(), p);
        if (may_rest(program, state.data(), p) || !(enabled & bit)) f.still |= bit;
        if (point.kind == Point::idle) continue;
        f.pending |= bit;
        if (!(enabled & bit)) f.waits |= bit;
        if (point.op == property.op) f.in_op |= bit;
      }
      facts_.push_back(f);
    }
  }

  std::optional<Lasso> run() {
    using Kind = ProgressProperty::Kind;
    const bool one_by_one = property_.kind == Kind::wait_free ||
                            property_.kind == Kind::obstruction_free ||
                            property_.kind == Kind::returns;
    for (std::uint32_t p = 0; p < (one_by_one ? program_.processes() : 1); ++p) {
      process_ = p;
      components();
    }
    if (best_ == Graph::kNoState) return {};
    process_ = best_process_;
    components();  // again those of that process
    return lasso();
  }

 private:
  Mask bit() const { return Mask{1} << process_; }

  bool keeps(std::uint32_t state) const {
    return property_.kind != ProgressProperty::returns || (facts_[state].in_op & bit());
  }
  bool keeps(const Graph::Edge& e) const {
    const bool returns = e.kind == StepKind::give_back;
    switch (property_.kind) {
      case ProgressProperty::deadlock_free:
      case ProgressProperty::lock_free: return !returns;
      case ProgressProperty::wait_free: return !(returns && e.process == process_);
      case ProgressProperty::obstruction_free: return !returns && e.process == process_;
      case ProgressProperty::returns: return keeps(e.to);
    }
    return false;
  }

  struct Component {
    Mask steps = 0, still = 0, pending = 0, waits = 0;
  };
  bool bad(const Component& c) const {
    const Mask everybody = (Mask{1} << program_.processes()) - 1;
    switch (property_.kind) {
      case ProgressProperty::deadlock_free: return c.pending && (c.steps | c.still) == everybody;
      case ProgressProperty::returns: return (c.steps | c.still) == everybody;
      case ProgressProperty::lock_free: return c.steps || c.waits;
      case ProgressProperty::wait_free:
      case ProgressProperty::obstruction_free: return (c.steps | c.waits) & bit();
    }
    return false;
  }

  // Tarjan's algorithm, with a stack of its own. A component is judged when it is complete; of the
  // bad ones, that with the state nearest to the start is kept.
  void components() {
    const std::uint32_t n = graph_.size();
    std::vector<std::uint32_t> low(n, Graph::kNoState), open;
    struct Frame {
      std::uint32_t state, edge;
    };
    std::vector<Frame> frames;
    std::uint32_t count = 0;
    std::fill(component_.begin(), component_.end(), Graph::kNoState);
    const auto enter = [&](std::uint32_t s) {
      low[s] = order_[s] = count++;
      open.push_back(s);
      frames.push_back({s, graph_.first[s]});
    };
    for (std::uint32_t root = 0; root < n; ++root) {
      if (low[root] != Graph::kNoState || !keeps(root)) continue;
      enter(root);
      while (!frames.empty()) {
        Frame& frame = frames.back();
        const std::uint32_t s = frame.state;
        if (frame.edge < graph_.first[s + 1]) {
          const Graph::Edge& e = graph_.edges[frame.edge++];
          if (!keeps(e)) continue;
          if (low[e.to] == Graph::kNoState) enter(e.to);
          else if (component_[e.to] == Graph::kNoState) low[s] = std::min(low[s], order_[e.to]);
          continue;
        }
        frames.pop_back();
        if (!frames.empty()) low[frames.back().state] = std::min(low[frames.back().state], low[s]);
        if (low[s] != order_[s]) continue;
        auto begin = std::find(open.rbegin(), open.rend(), s).base() - 1;
        const std::vector<std::uint32_t> members(begin, open.end());
        open.erase(begin, open.end());
        judge(s, members);
      }
    }
  }

  void judge(std::uint32_t number, const std::vector<std::uint32_t>& members) {
    for (const std::uint32_t s : members) component_[s] = number;
    Component c;
    for (const std::uint32_t s : members) {
      c.still |= facts_[s].still;
      c.pending |= facts_[s].pending;
      c.waits |= facts_[s].waits;
      for (const Graph::Edge& e : graph_.from(s))
        if (inside(s, e)) c.steps |= Mask{1} << e.process;
    }
    if (!bad(c)) return;
    const std::uint32_t nearest = *std::min_element(members.begin(), members.end());
    if (nearest >= best_) return;
    best_ = nearest;
    best_process_ = process_;
  }

  bool inside(std::uint32_t from, const Graph::Edge& e) const {
    return keeps(e) && component_[e.to] == component_[from];
  }

  // ---- the counterexample

  Lasso lasso() {
    Lasso lasso;
    std::uint32_t at = best_;
    if (!property_.fair()) {
      // Where a process waits, that is the loop.
      const Mask who = property_.kind == ProgressProperty::lock_free ? ~Mask{0} : bit();
      for (std::uint32_t s = at; s < graph_.size(); ++s)
        if (component_[s] == component_[best_] && (facts_[s].waits & who)) {
          lasso.stem = graph_.path(s);
          lasso.process = static_cast<std::uint32_t>(std::countr_zero(facts_[s].waits & who));
          return lasso;
        }
    }
    lasso.stem = graph_.path(best_);
    // Every process that has to be given a step, or to be found still.
    for (std::uint32_t p = 0; p < program_.processes(); ++p) {
      const Mask wanted = Mask{1} << p;
      if (property_.kind == ProgressProperty::wait_free ? p != process_ : !property_.fair())
        continue;
      if (property_.fair() && (still_ & wanted || facts_[best_].still & wanted)) continue;
      if (stepped_ & wanted) continue;
      at = walk(at, lasso, [&](std::uint32_t s, const Graph::Edge* e) {
        return e ? e->process == p : property_.fair() && (facts_[s].still & wanted);
      });
    }
    const bool some = !lasso.loop.empty();
    if (at != best_ || (!some && !property_.fair()))
      walk(
          at, lasso, [&](std::uint32_t s, const Graph::Edge* e) { return !e && s == best_; }, true);
    lasso.process = process_;
    if (property_.kind == ProgressProperty::lock_free) lasso.process = lasso.loop[0].process;
    if (property_.kind == ProgressProperty::deadlock_free)
      lasso.process = static_cast<std::uint32_t>(std::countr_zero(facts_[best_].pending));
    return lasso;
  }

  // Goes the shortest way inside the component to a state, or over an edge, that `there` wants.
  // `moved`: not where it stands already.
  template <class There>
  std::uint32_t walk(std::uint32_t from, Lasso& lasso, There there, bool moved = false) {
    if (!moved && there(from, nullptr)) return from;
    std::vector<Graph::Parent> parents(graph_.size());
    std::vector<std::uint32_t> queue = {from};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::uint32_t s = queue[i];
      for (std::uint32_t edge = graph_.first[s]; edge < graph_.first[s + 1]; ++edge) {
        const Graph::Edge& e = graph_.edges[edge];
        if (!inside(s, e)) continue;
        if (there(s, &e) || there(e.to, nullptr)) {
          std::vector<std::uint32_t> way = {edge};
          for (std::uint32_t back = s; back != from; back = parents[back].state)
            way.push_back(parents[back].edge);
          for (auto step = way.rbegin(); step != way.rend(); ++step) {
            const Graph::Edge& taken = graph_.edges[*step];
            lasso.loop.push_back({taken.process, taken.ordinal});
            stepped_ |= Mask{1} << taken.process;
            still_ |= facts_[taken.to].still;
          }
          return e.to;
        }
        if (e.to == from || parents[e.to].state != Graph::kNoState) continue;
        parents[e.to] = {s, edge};
        queue.push_back(e.to);
      }
    }
    return from;  // not in a component: it is strongly connected
  }

  const model::Program& program_;
  const ProgressProperty property_;
  const Graph graph_;
  std::vector<Facts> facts_;                      // by state
  std::vector<std::uint32_t> component_, order_;  // by state
  std::uint32_t process_ = 0;                     // of which the property is being asked
  std::uint32_t best_ = Graph::kNoState, best_process_ = 0;
  Mask stepped_ = 0, still_ = 0;  // on the loop so far
};

}  // namespace

std::optional<ProgressProperty> ProgressProperty::of(const Question& question,
                                                     const model::Program& program) {
  if (const auto* one = std::get_if<Returns>(&question)) {
    for (std::uint32_t op = 0; op < program.ops.size(); ++op)
      if (program.ops[op].name == one->operation) return ProgressProperty{returns, op};
    return {};
  }
  switch (std::get<ProgressCondition>(question)) {
    case ProgressCondition::deadlock_free: return ProgressProperty{deadlock_free};
    case ProgressCondition::lock_free: return ProgressProperty{lock_free};
    case ProgressCondition::wait_free: return ProgressProperty{wait_free};
    case ProgressCondition::obstruction_free: return ProgressProperty{obstruction_free};
  }
  return {};
}

Progressed decide_progress(const model::Program& program, const ProgressProperty& property,
                           Budget& budget, SearchProgress* progress) {
  Progressed out;
  Graph graph = build_graph(program, budget, progress);
  Found& found = out.found;
  found.states = found.implementation = graph.size();
  found.transitions = graph.edges.size();
  found.depth = graph.depth;
  found.cuts = graph.cuts;
  found.waiting = graph.size() - (graph.first.size() - 1);
  if (graph.faulty != Graph::kNoState) {
    found.verdict = Verdict::violation;
    found.kind = Found::fault;
    found.trace = graph.path(graph.faulty);
    found.trace.push_back({graph.edges.back().process, graph.edges.back().ordinal});
  } else if (!graph.complete) {
    found.stopped = budget.stopped();
  } else {
    out.lasso = ProgressSearch(program, property, std::move(graph)).run();
    if (out.lasso) found.verdict = Verdict::violation;
    else if (found.cuts == 0) found.verdict = Verdict::holds;
  }
  return out;
}

namespace {

// A lasso, run step by step by the interpreter, with what the definitions ask of its loop.
class LassoRun {
 public:
  LassoRun(const model::Program& program, const Lasso& lasso)
      : program_(program), lasso_(lasso), machine_(program), state_(machine_.initial()) {}

  /// Why it is no run; empty: it is one, of an operation that does not return.
  std::string run(const ProgressProperty& property) {
    StepKind kind = StepKind::inside;
    for (const PlainStep step : lasso_.stem)
      if (!take(step, kind)) return "a step is not possible";
    const std::vector<Cell> start = state_;
    const Point& begin = machine_.point(state_.data(), lasso_.process);
    if (begin.kind == Point::idle) return "no operation is pending";
    if (property.kind == ProgressProperty::returns && begin.op != property.op)
      return "it is another operation";
    look();
    waits_ = !(enabled() >> lasso_.process & 1);
    for (const PlainStep step : lasso_.loop) {
      if (!take(step, kind)) return "a step of the loop is not possible";
      look();
      steps_ |= Mask{1} << step.process;
      if (kind == StepKind::give_back) returns_ |= Mask{1} << step.process;
    }
    if (state_ != start) return "the loop does not end where it began";
    return returns_ >> lasso_.process & 1 ? "the operation returns" : "";
  }

  /// Requires: it is a run. Why the property allows it; empty: it does not.
  std::string allowed(const ProgressProperty& property) const {
    const Mask everybody = (Mask{1} << program_.processes()) - 1, own = Mask{1} << lasso_.process;
    const bool repeats = (steps_ & own) || (lasso_.loop.empty() && waits_);
    switch (property.kind) {
      case ProgressProperty::deadlock_free:
        if (returns_) return "an operation returns";
        [[fallthrough]];
      case ProgressProperty::returns:
        return (steps_ | still_) == everybody ? "" : "a process is left out";
      case ProgressProperty::lock_free:
        if (returns_) return "an operation returns";
        return lasso_.loop.empty() && !waits_ ? "no process waits" : "";
      case ProgressProperty::wait_free: return repeats ? "" : "the process takes no step";
      case ProgressProperty::obstruction_free:
        return steps_ & ~own ? "another process takes steps"
               : repeats     ? ""
                             : "the process takes no step";
    }
    return "";
  }

 private:
  Mask enabled() {
    Mask all = 0;
    for (std::uint32_t p = 0; p < program_.processes(); ++p) {
      const std::uint64_t cuts_before = machine_.cuts();
      machine_.successors(state_.data(), p, [&](const model::Successor&) { all |= Mask{1} << p; });
      if (machine_.cuts() > cuts_before) all |= Mask{1} << p;
    }
    return all;
  }
  bool take(PlainStep step, StepKind& kind) {
    std::uint32_t i = 0;
    std::vector<Cell> next;
    machine_.successors(state_.data(), step.process, [&](const model::Successor& s) {
      if (i++ != step.ordinal || s.fault) return;
      next.assign(s.state, s.state + program_.cells());
      kind = s.kind;
    });
    if (next.empty()) return false;
    state_ = std::move(next);
    return true;
  }
  void look() {
    const Mask can = enabled();
    for (std::uint32_t p = 0; p < program_.processes(); ++p)
      if (!(can >> p & 1) || may_rest(program_, state_.data(), p)) still_ |= Mask{1} << p;
  }

  const model::Program& program_;
  const Lasso& lasso_;
  model::Machine machine_;
  std::vector<Cell> state_;
  bool waits_ = false;  // the process, before the loop
  // Of the loop: who takes a step, who returns, and who is at rest or unable to take one somewhere.
  Mask steps_ = 0, returns_ = 0, still_ = 0;
};

}  // namespace

std::string refute(const model::Program& program, const ProgressProperty& property,
                   const Lasso& lasso) {
  LassoRun run(program, lasso);
  const std::string wrong = run.run(property);
  return wrong.empty() ? run.allowed(property) : wrong;
}

}  // namespace plumb::refine
