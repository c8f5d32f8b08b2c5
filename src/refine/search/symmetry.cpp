// SPDX-License-Identifier: MIT
#include "refine/search/symmetry.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace plumb::refine {

Symmetry::Symmetry(const model::Program& program)
    : program_(program), heap_(program), names_(program), described_(heap_.any() || names_.any()),
      cells_(program.cells()), descriptions_(program.processes()) {
  std::size_t most = 0;
  for (const model::ClientClass& c : program.classes) {
    if (!c.symmetric || c.count < 2) continue;
    groups_.push_back({c.first, c.count, program.layout.blocks[c.first].words});
    most = std::max<std::size_t>(most, c.count * groups_.back().words);
  }
  order_.resize(program.processes());
  point_bits_ = std::popcount(program.layout.fields[program.block_of(0)].mask);
  blocks_.resize(most);
}

// Insertion sort: there are few, and they are nearly sorted, because one step came after the last
// time. Stable, so that equals stay.
bool Symmetry::sort(const Group& group, std::span<const std::uint32_t> signatures) {
  const auto before = [&](std::uint8_t a, std::uint8_t b) {
    if (described_ && descriptions_[a] != descriptions_[b])
      return descriptions_[a] < descriptions_[b];
    const std::uint64_t *x = blocks_.data() + (a - group.first) * group.words,
                        *y = blocks_.data() + (b - group.first) * group.words;
    for (std::uint32_t i = 0; i < group.words && !described_; ++i)
      if (x[i] != y[i]) return x[i] < y[i];
    return !signatures.empty() && signatures[a] < signatures[b];
  };
  bool changed = false;
  std::uint8_t* order = order_.data() + group.first;
  for (std::uint32_t i = 1; i < group.count; ++i) {
    const std::uint8_t moving = order[i];
    std::uint32_t to = i;
    for (; to > 0 && before(moving, order[to - 1]); --to) order[to] = order[to - 1];
    order[to] = moving;
    changed = changed || to != i;
  }
  return changed;
}

bool Symmetry::apply(std::uint64_t* words, Monitor* monitor, SetId& set) {
  std::iota(order_.begin(), order_.end(), std::uint8_t{0});
  const auto signatures = monitor ? monitor->signatures(set) : std::span<const std::uint32_t>();
  if (described_) {
    model::unpack(program_.layout, words, cells_.data());
    heap_.number_shared(cells_.data());
    for (std::uint32_t p = 0; p < program_.processes(); ++p) {
      heap_.describe(cells_.data(), p, descriptions_[p]);
      names_.describe(cells_.data(), p, descriptions_[p]);
    }
  }
  bool any = false;
  for (const Group& group : groups_) {
    const model::PackedBlock* places = program_.layout.blocks.data() + group.first;
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const model::PackedBlock& b = places[i];
      std::uint64_t* block = blocks_.data() + i * group.words;
      if (b.words == 1) *block = words[b.word] >> b.shift & b.mask;
      else std::copy_n(words + b.word, b.words, block);
      *block = std::rotr(*block, point_bits_);
    }
    if (!sort(group, signatures)) continue;
    any = true;
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const model::PackedBlock& b = places[i];
      const std::uint64_t* from =
          blocks_.data() + (order_[group.first + i] - group.first) * group.words;
      const std::uint64_t first = std::rotl(*from, point_bits_);
      if (b.words == 1) {
        words[b.word] = (words[b.word] & ~(b.mask << b.shift)) | first << b.shift;
      } else {
        std::copy_n(from, b.words, words + b.word);
        words[b.word] = first;
      }
    }
  }
  if (any && described_) {
    model::unpack(program_.layout, words, cells_.data());
    names_.rename(cells_.data(), order_);
    if (heap_.any()) heap_.renumber(cells_.data());
    model::pack(program_.layout, cells_.data(), words);
  }
  if (any && monitor) set = monitor->permuted(set, order_);
  return any;
}

}  // namespace plumb::refine
