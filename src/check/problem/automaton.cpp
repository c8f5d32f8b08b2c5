// SPDX-License-Identifier: MIT
#include "check/problem/automaton.hpp"

#include <algorithm>

namespace plumb {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  return x;
}

}  // namespace

std::uint32_t* Automaton::find_hashed(std::uint64_t key) {
  if (used_ * 4 >= hashed_.size() * 3) grow();
  const std::size_t mask = hashed_.size() - 1;
  std::size_t i = mix(key) & mask;
  while (hashed_[i].key != key) {
    if (hashed_[i].key == kEmpty) {
      hashed_[i].key = key;
      ++used_;
      break;
    }
    i = (i + 1) & mask;
  }
  return &hashed_[i].value;
}

void Automaton::grow() {
  std::vector<Cell> old(std::max<std::size_t>(1024, hashed_.size() * 2));
  old.swap(hashed_);
  const std::size_t mask = hashed_.size() - 1;
  for (const Cell& cell : old) {
    if (cell.key == kEmpty) continue;
    std::size_t i = mix(cell.key) & mask;
    while (hashed_[i].key != kEmpty) i = (i + 1) & mask;
    hashed_[i] = cell;
  }
}

void Automaton::move_to_hash() {
  use_hash_ = true;
  for (std::size_t at = 0; at < dense_.size(); ++at)
    if (dense_[at] != kUnknown)
      *find_hashed(std::uint64_t{at / labels_} << 32 | (at % labels_)) = dense_[at];
  dense_ = {};
}

std::uint32_t* Automaton::compute(StateId from, LabelId label) {
  scratch_.clear();
  space_->step(from, problem_.labels[label], scratch_);
  std::uint32_t value = kIllegal;
  if (scratch_.size() == 1) {
    value = scratch_.front();
  } else if (scratch_.size() > 1) {
    value = kMany | static_cast<std::uint32_t>(lists_.size());
    lists_.push_back(scratch_);
    lists_bytes_ += sizeof(std::vector<StateId>) + scratch_.size() * sizeof(StateId);
  }
  std::uint32_t* cell = find(from, label);  // the step may have moved the table
  *cell = value;
  return cell;
}

}  // namespace plumb
