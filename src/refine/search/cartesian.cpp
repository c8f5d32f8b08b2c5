// SPDX-License-Identifier: MIT
#include "refine/search/cartesian.hpp"

#include <algorithm>

namespace plumb::refine {
namespace {

using model::Footprint;

constexpr std::size_t kLongest = 256;  // moves of a path; a shorter one is as good

bool meet(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] & b[i]) return true;
  return false;
}
bool dependent(const Footprint& a, const Footprint& b) {
  return meet(a.writes, b.writes) || meet(a.writes, b.reads) || meet(a.reads, b.writes);
}
void clear(Footprint& f) {
  std::fill(f.reads.begin(), f.reads.end(), 0);
  std::fill(f.writes.begin(), f.writes.end(), 0);
}
void add(Footprint& to, const Footprint& f) {
  for (std::size_t i = 0; i < f.reads.size(); ++i) {
    to.reads[i] |= f.reads[i];
    to.writes[i] |= f.writes[i];
  }
}

}  // namespace

Cartesian::Cartesian(const model::Program& program, Moves& moves)
    : width_(program.layout.words), moves_(moves), paths_(program.processes()) {
  const std::vector<std::uint64_t> none(program.initial_shared.size() / 64 + 1);
  touched_ = {none, none};
  next_.width = width_;
  for (Path& path : paths_) {
    path.body = path.last = touched_;
    path.ends.width = width_;
  }
}

void Cartesian::expand(const std::uint64_t* words, SetId set, MoveList& out) {
  if (moves_.returning(words) != Moves::kNoProcess) return moves_.expand(words, set, out);
  for (std::uint32_t i = 0; i < paths_.size(); ++i) begin(i, words, set);
  for (std::uint32_t i = 0; i < paths_.size(); ++i) close_dependent(i);
  for (std::uint32_t i = 0; i < paths_.size(); ++i)
    while (paths_[i].extendable) extend(i, set);

  out.clear();
  out.stuck = true;
  for (const Path& path : paths_) {
    out.stuck = out.stuck && path.ends.list.empty();
    if (path.infinite) continue;
    for (std::size_t m = 0; m < path.ends.list.size(); ++m) {
      Move move = path.ends.list[m];
      const auto last = path.ends.path(m);
      move.first_step = static_cast<std::uint32_t>(out.steps.size());
      out.steps.insert(out.steps.end(), path.steps.begin(), path.steps.end());
      out.steps.insert(out.steps.end(), last.begin(), last.end());
      move.last_step = static_cast<std::uint32_t>(out.steps.size());
      out.list.push_back(move);
      out.states.insert(out.states.end(), path.ends.words(m), path.ends.words(m) + width_);
    }
  }
}

// Lines 1 to 7 of Algorithm A.1, for one process.
void Cartesian::begin(std::uint32_t process, const std::uint64_t* words, SetId set) {
  Path& path = paths_[process];
  path.ends.clear();
  path.seen.assign(words, words + width_);
  path.steps.clear();
  path.infinite = false;
  clear(path.body);
  add_moves(process, words, set, path.ends, path.last);
  path.extendable =
      path.ends.list.size() == 1 && !path.ends.list[0].visible && !path.ends.list[0].fault;
}

// Lines 8 to 10, and 18 to 20: if two last moves are dependent, both stay the last ones.
void Cartesian::close_dependent(std::uint32_t process) {
  Path& path = paths_[process];
  for (std::uint32_t j = 0; j < paths_.size(); ++j)
    if (j != process && dependent(path.last, paths_[j].last))
      path.extendable = paths_[j].extendable = false;
}

// Lines 13 to 29.
void Cartesian::extend(std::uint32_t process, SetId set) {
  Path& path = paths_[process];
  next_.clear();
  const std::uint64_t* from = path.ends.words(0);
  add_moves(process, from, set, next_, touched_);
  bool possible = next_.list.size() == 1 && path.seen.size() < kLongest * width_;
  for (std::uint32_t j = 0; j < paths_.size() && possible; ++j)
    possible = j == process || !dependent(touched_, paths_[j].body);
  if (!possible) {
    path.extendable = false;
    return;
  }
  const auto steps = path.ends.path(0);
  path.steps.insert(path.steps.end(), steps.begin(), steps.end());
  path.seen.insert(path.seen.end(), from, from + width_);
  add(path.body, path.last);
  std::swap(path.last, touched_);
  std::swap(path.ends, next_);
  close_dependent(process);
  const Move& move = path.ends.list[0];
  if (move.visible || move.fault) path.extendable = false;
  if (!path.extendable) return;
  const std::uint64_t* to = path.ends.words(0);
  for (std::size_t at = 0; at < path.seen.size() && !path.infinite; at += width_)
    path.infinite = std::equal(to, to + width_, path.seen.data() + at);
  path.extendable = !path.infinite;
}

void Cartesian::add_moves(std::uint32_t process, const std::uint64_t* words, SetId set,
                          MoveList& out, Footprint& footprint) {
  clear(footprint);
  moves_.stepper().watch(&footprint);
  moves_.add_moves(words, set, process, out);
}

}  // namespace plumb::refine
