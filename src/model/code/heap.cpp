// SPDX-License-Identifier: MIT
// Nodes have numbers, but no code can tell which: pointers are only copied, followed and compared
// with one another. So two states that differ by the numbers alone have the same future, and are
// made equal: the nodes are numbered in the order in which a walk meets them that begins at the
// shared variables and continues with the processes, each in a fixed order. A node that it does not
// meet will never be met again.
//
// Where the object frees nodes, the order in which free ones will be used again is part of the
// state (Pool::waiting), because it decides which old pointers become valid again. The walk then
// takes the free ones in that order, after all that can be reached; nodes that are lost, neither
// free nor within reach, differ by nothing but their number.
//
// Symmetry. What a process is must not depend on the order of the processes, but the numbers of
// nodes that only processes can reach do. describe() therefore numbers these again, from one
// process alone, behind those that can be reached from shared variables, and adds their contents.
// Two processes with equal descriptions may still differ in whether they share such a node with a
// third; then either order is taken, which is sound: states are then merged less often than they
// could be.
#include "model/code/heap.hpp"

#include <algorithm>

namespace plumb::model {

bool unused(const Program& program, const Variable& variable, Cell index, const Cell* state) {
  if (variable.field.empty()) return false;
  const auto pool = std::find_if(program.pools.begin(), program.pools.end(),
                                 [&](const Pool& p) { return p.name == variable.name; });
  return state[pool->waiting + index] != 0;
}

Heap::Heap(const Program& program) : program_(program), pointers_(program, Type::pointer) {
  std::size_t nodes = 0;
  for (const Pool& pool : program.pools) {
    begins_.push_back(nodes);
    nodes += static_cast<std::size_t>(pool.size);
  }
  numbers_.resize(nodes);
  met_.resize(program.pools.size());
}

void Heap::start() {
  std::fill(numbers_.begin(), numbers_.end(), 0);
  std::fill(met_.begin(), met_.end(), 0);
  queue_.clear();
  done_ = 0;
}

void Heap::meet(const Cell* state, const Site& site) {
  const Cell node = site.get(state);
  if (node == 0 || number(site.id, node) != 0) return;
  number(site.id, node) = ++met_[site.id];
  queue_.emplace_back(site.id, node);
}

void Heap::walk(const Cell* state) {
  for (; done_ < queue_.size(); ++done_) {
    const auto [pool, node] = queue_[done_];
    for (const Site& site : pointers_.fields[pool])
      meet(state, site.at(static_cast<std::uint32_t>(node - 1)));
  }
}

void Heap::number_shared(const Cell* state) {
  start();
  for (const Site& site : pointers_.shared) meet(state, site);
  walk(state);
}

void Heap::number_all(const Cell* state) {
  number_shared(state);
  for (std::uint32_t p = 0; p < program_.processes(); ++p) {
    for (const Site& site : pointers_.of_process(program_, state, p))
      meet(state, site.at(program_.block_of(p)));
    walk(state);
  }
}

void Heap::clear(Cell* state, std::uint32_t pool, Cell node) const {
  for (const Variable& v : program_.pools[pool].fields)
    state[v.first + node - 1] = std::clamp(0, v.type.low, v.type.high);
}

void Heap::collect(Cell* state) {
  if (!program_.collected) return;
  number_all(state);
  for (std::uint32_t pool = 0; pool < program_.pools.size(); ++pool)
    for (Cell node = 1; node <= program_.pools[pool].size; ++node)
      if (number(pool, node) == 0) {
        clear(state, pool, node);
        state[program_.pools[pool].waiting + node - 1] = 1;
      }
}

void Heap::renumber(Cell* state) {
  number_all(state);
  bool changed = false;
  for (std::uint32_t pool = 0; pool < program_.pools.size(); ++pool) {
    const Pool& p = program_.pools[pool];
    Cell* waiting = state + p.waiting;
    // Behind those that were met: the free ones in their order, then the lost ones.
    for (Cell turn = 1; turn <= p.size && !program_.collected; ++turn)
      for (Cell node = 1; node <= p.size; ++node)
        if (number(pool, node) == 0 && waiting[node - 1] == turn) number(pool, node) = ++met_[pool];
    for (Cell node = 1; node <= p.size; ++node) {
      Cell& mine = number(pool, node);
      if (mine == 0) {
        clear(state, pool, node);
        if (program_.collected) waiting[node - 1] = 1;
        mine = ++met_[pool];
      }
      changed = changed || mine != node;
    }
  }
  if (!changed) return;
  for (const Site& site : pointers_.shared)
    if (const Cell node = site.get(state)) site.put(state, number(site.id, node));
  for (std::uint32_t p = 0; p < program_.processes(); ++p)
    for (const Site& relative : pointers_.of_process(program_, state, p)) {
      const Site site = relative.at(program_.block_of(p));
      if (const Cell node = site.get(state)) site.put(state, number(site.id, node));
    }
  for (std::uint32_t pool = 0; pool < program_.pools.size(); ++pool) {
    const Pool& p = program_.pools[pool];
    for (Cell node = 0; node < p.size; ++node)
      for (const Site& first : pointers_.fields[pool]) {
        const Site site = first.at(static_cast<std::uint32_t>(node));
        if (const Cell to = site.get(state)) site.put(state, number(site.id, to));
      }
    const auto move = [&](Cell first) {
      scratch_.assign(state + first, state + first + p.size);
      for (Cell node = 1; node <= p.size; ++node)
        state[first + number(pool, node) - 1] = scratch_[static_cast<std::size_t>(node - 1)];
    };
    for (const Variable& v : p.fields) move(v.first);
    move(p.waiting);
  }
}

void Heap::describe(const Cell* state, std::uint32_t process, std::vector<Cell>& out) {
  const Cell* block = state + program_.block_of(process);
  out.assign(block, block + program_.block());
  const std::size_t shared = queue_.size();
  const std::vector<Cell> counts = met_;
  // The digit of a pointer becomes the number that the node has in this walk.
  for (const Site& site : pointers_.of_process(program_, state, process)) {
    meet(state, site.at(program_.block_of(process)));
    if (const Cell node = site.get(block)) site.put(out.data(), number(site.id, node));
  }
  walk(state);
  for (std::size_t i = shared; i < queue_.size(); ++i) {
    const auto [pool, node] = queue_[i];
    const std::size_t begin = out.size();
    for (const Variable& v : program_.pools[pool].fields) out.push_back(state[v.first + node - 1]);
    out.push_back(state[program_.pools[pool].waiting + node - 1]);
    for (const Site& first : pointers_.fields[pool]) {
      const Site site = first.at(static_cast<std::uint32_t>(node - 1));
      const Cell to = site.get(state);
      if (to == 0) continue;
      // The same digit, in the copy.
      std::size_t field = 0;
      while (static_cast<std::uint32_t>(program_.pools[pool].fields[field].first) != first.cell)
        ++field;
      Site copy = site;
      copy.cell = static_cast<std::uint32_t>(begin + field);
      copy.put(out.data(), number(site.id, to));
    }
  }
  for (std::size_t i = shared; i < queue_.size(); ++i)
    number(queue_[i].first, queue_[i].second) = 0;
  queue_.resize(shared);
  done_ = shared;
  met_ = counts;
}

}  // namespace plumb::model
