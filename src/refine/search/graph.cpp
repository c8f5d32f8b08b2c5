// SPDX-License-Identifier: MIT
#include "refine/search/graph.hpp"

#include <algorithm>

namespace plumb::refine {
namespace {

constexpr std::uint32_t kAskEvery = 512;

}  // namespace

std::vector<PlainStep> Graph::path(std::uint32_t state) const {
  std::vector<PlainStep> steps;
  for (; parents[state].state != kNoState; state = parents[state].state) {
    const Edge& edge = edges[parents[state].edge];
    steps.push_back({edge.process, edge.ordinal});
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

Graph build_graph(const model::Program& program, Budget& budget, SearchProgress* progress,
                  std::uint32_t most) {
  model::Machine machine(program);
  Graph graph(program.layout.words);
  std::vector<std::uint64_t> words(program.layout.words);
  std::vector<model::Cell> state(program.cells());
  const auto number = [&](const model::Cell* cells, Graph::Parent parent) {
    machine.pack(cells, words.data());
    const std::uint32_t found = graph.packed.number(words.data());
    if (found == graph.parents.size()) graph.parents.push_back(parent);
    return found;
  };
  number(machine.initial().data(), {});
  std::uint32_t level_end = 1;
  for (std::uint32_t at = 0; at < graph.size(); ++at) {
    if (at == level_end) {
      ++graph.depth;
      level_end = graph.size();
    }
    if (at % kAskEvery == 0) {
      if (progress) {
        progress->states = graph.size();
        progress->waiting = graph.size() - at;
        progress->transitions = graph.edges.size();
        progress->depth = graph.depth;
      }
      if (budget.exhausted()) return graph;
    }
    machine.unpack(graph.packed[at], state.data());
    graph.cut.push_back(0);
    for (std::uint32_t p = 0; p < program.processes() && graph.faulty == Graph::kNoState; ++p) {
      std::uint32_t ordinal = 0;
      machine.successors(state.data(), p, [&](const model::Successor& s) {
        if (graph.faulty != Graph::kNoState) return;
        const auto edge = static_cast<std::uint32_t>(graph.edges.size());
        graph.edges.push_back({Graph::kNoState, ordinal++, static_cast<std::uint16_t>(p), s.kind});
        if (s.fault) graph.faulty = at;
        else graph.edges[edge].to = number(s.state, {at, edge});
      });
      if (machine.cuts() > graph.cuts) graph.cut.back() |= std::uint32_t{1} << p;
      graph.cuts = machine.cuts();
    }
    graph.first.push_back(static_cast<std::uint32_t>(graph.edges.size()));
    if (graph.faulty != Graph::kNoState || graph.size() > most) return graph;
  }
  graph.complete = true;
  return graph;
}

}  // namespace plumb::refine
