// SPDX-License-Identifier: MIT
#include "refine/symmetry.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace plumb::refine {

Symmetry::Symmetry(const model::Program& program)
    : program_(program), heap_(program), descriptions_(program.processes()) {
  for (const model::ClientClass& c : program.classes) any_ = any_ || (c.symmetric && c.count > 1);
  order_.resize(program.processes());
  signatures_.resize(program.processes());
}

bool Symmetry::apply(model::Cell* state, Monitor* monitor, SetId& set) {
  std::iota(order_.begin(), order_.end(), std::uint8_t{0});
  const std::uint32_t size = program_.block();
  for (std::uint32_t p = 0; p < program_.processes(); ++p)
    signatures_[p] = monitor ? monitor->signature(set, p) : 0;
  if (heap_.any()) {
    heap_.number_shared(state);
    for (std::uint32_t p = 0; p < program_.processes(); ++p)
      heap_.describe(state, p, descriptions_[p]);
  }
  const auto before = [&](std::uint8_t a, std::uint8_t b) {
    if (heap_.any())
      return std::tie(descriptions_[a], signatures_[a]) <
             std::tie(descriptions_[b], signatures_[b]);
    const model::Cell *x = state + program_.block_of(a), *y = state + program_.block_of(b);
    const auto [i, j] = std::mismatch(x, x + size, y);
    return i != x + size ? *i < *j : signatures_[a] < signatures_[b];
  };
  bool changed = false;
  for (const model::ClientClass& c : program_.classes) {
    if (!c.symmetric) continue;
    const auto first = order_.begin() + c.first, last = first + c.count;
    if (std::is_sorted(first, last, before)) continue;
    std::stable_sort(first, last, before);
    changed = true;
  }
  if (!changed) return false;
  scratch_.assign(state + program_.block_of(0), state + program_.cells());
  for (std::uint32_t p = 0; p < program_.processes(); ++p)
    std::copy_n(scratch_.begin() + order_[p] * size, size, state + program_.block_of(p));
  if (heap_.any()) heap_.renumber(state);
  if (monitor) set = monitor->permuted(set, order_);
  return true;
}

}  // namespace plumb::refine
