// SPDX-License-Identifier: MIT
// A pair keeps only its parent. trace() walks the path again from the start, looks for the move
// that leads from each pair to the next, and renames it back ("recover", section 4.2 of the paper),
// so what comes out is a path of plain, unreduced steps.
#include <algorithm>
#include <numeric>

#include "refine/search/product_search.hpp"

namespace plumb::refine {

void ProductSearch::report(const Wrong& wrong) {
  found_.kind = wrong.kind;
  const std::vector<std::uint32_t> real =
      trace(wrong.node, wrong.kind == Found::stuck ? nullptr : &wrong.move);
  found_.culprit = real[wrong.culprit];
}

std::vector<std::uint32_t> ProductSearch::trace(NodeId node, const std::size_t* last) {
  std::vector<NodeId> path;
  for (NodeId n = node; n != kNoNode; n = shards_[n % kShards].parent(n / kShards))
    path.push_back(n);
  std::reverse(path.begin(), path.end());
  std::vector<std::uint32_t> real(program_.processes());
  std::iota(real.begin(), real.end(), 0u);
  Worker& worker = *workers_[0];
  Moves moves(program_, reductions_, monitor(worker), true);
  Cartesian cartesian(program_, moves);
  MoveList& list = worker.list;
  const auto emit = [&](std::size_t m) {
    for (const PlainStep& step : list.path(m))
      found_.trace.push_back({real[step.process], step.ordinal});
  };
  std::vector<std::uint64_t> at(width_);
  SetId set = initial(at);
  for (std::size_t i = 1; i < path.size(); ++i) {
    const Shard& shard = shards_[path[i] % kShards];
    const std::uint32_t child = path[i] / kShards;
    expand_pair(moves, cartesian, at.data(), set, list);
    for (std::size_t m = 0; m < list.list.size(); ++m) {
      set = list.list[m].set;
      if (list.list[m].fault || (monitored_ && set == Monitor::kEmpty)) continue;
      std::copy_n(list.words(m), width_, at.begin());
      const bool renamed =
          reductions_.symmetry && worker.symmetry.apply(at.data(), monitor(worker), set);
      if (set != shard.set(child) || !shard.is_of(child, at.data())) continue;
      emit(m);
      if (renamed) {
        const std::vector<std::uint32_t> old = real;
        for (std::size_t p = 0; p < real.size(); ++p) real[p] = old[worker.symmetry.order()[p]];
      }
      break;
    }
  }
  expand_pair(moves, cartesian, at.data(), set, list);
  if (last) emit(*last);
  return real;
}

}  // namespace plumb::refine
