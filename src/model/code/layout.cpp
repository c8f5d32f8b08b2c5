// SPDX-License-Identifier: MIT
// How a state is packed: each cell has the bits that its range needs, none of them across words.
// The block of a process is in one piece, and arranged alike in all of them, so that processes can
// be compared and exchanged as a whole. It is within one word where it fits into one.
#include <algorithm>

#include "model/code/program.hpp"

namespace plumb::model {

Layout make_layout(const Program& program) {
  Layout l;
  l.words = 1;
  std::uint32_t used = 0;  // bits of the last word
  l.fields.resize(program.cells());
  const auto bits_of = [](std::int64_t low, std::int64_t high) {
    std::uint32_t bits = 0;
    while ((high - low) >> bits) ++bits;
    return bits;
  };
  const auto new_word = [&] {
    ++l.words;
    used = 0;
  };
  const auto field = [&](std::size_t cell, std::int64_t low, std::int64_t high) {
    const std::uint32_t bits = bits_of(low, high);
    if (used + bits > 64) new_word();
    l.fields[cell] = {static_cast<Cell>(low), l.words - 1, bits ? used : 0,
                      (std::uint64_t{1} << bits) - 1};
    used += bits;
  };
  std::size_t cell = 0;
  for (const Variable& v : program.shared)
    for (Cell i = 0; i < v.size; ++i) field(cell++, v.type.low, v.type.high);
  // A slot is shared by all operations, and the first one keeps the result while it returns. Slots
  // that are dead at all boundaries need no room.
  std::vector<std::pair<Cell, Cell>> ranges(program.frame, {0, 0});
  const auto widen = [&](std::size_t slot, const Type& type) {
    ranges[slot] = {std::min(ranges[slot].first, type.low),
                    std::max(ranges[slot].second, type.high)};
  };
  for (std::size_t i = 0; i < program.privates.size(); ++i)
    ranges[i] = {program.privates[i].type.low, program.privates[i].type.high};
  std::vector<std::uint64_t> live(program.ops.size(), 0);
  for (const Point& point : program.points)
    if (point.kind == Point::inside) live[point.op] |= point.live;
  for (std::size_t op = 0; op < program.ops.size(); ++op) {
    for (const Variable& v : program.ops[op].locals)
      if (live[op] >> v.first & 1) widen(static_cast<std::size_t>(v.first), v.type);
    if (program.ops[op].returns_value) widen(program.first_local(), program.ops[op].result);
  }
  for (std::uint32_t process = 0; process < program.processes(); ++process) {
    const ClientClass& c = program.classes[program.class_of[process]];
    const std::int64_t last_point = static_cast<std::int64_t>(program.points.size()) - 1;
    const std::int64_t last_step = static_cast<std::int64_t>(c.steps.size()) - 1;
    // What all classes have comes first, so it is at the same place in every block.
    std::uint32_t bits = bits_of(0, last_point) + bits_of(0, last_step) + bits_of(0, c.at_most);
    for (const auto& [low, high] : ranges) bits += bits_of(low, high);
    if (used + bits > 64) new_word();
    PackedBlock block{l.words - 1, used % 64, 1, ~std::uint64_t{0}};
    cell = program.block_of(process);
    field(cell, 0, last_point);
    for (std::size_t slot = 0; slot < ranges.size(); ++slot)
      field(cell + 3 + slot, ranges[slot].first, ranges[slot].second);
    field(cell + 1, 0, last_step);
    field(cell + 2, 0, c.at_most);
    block.words = l.words - block.word;
    if (bits < 64) block.mask = (std::uint64_t{1} << bits) - 1;
    else used = 64;  // it has its last word for itself
    l.blocks.push_back(block);
  }
  return l;
}

void pack(const Layout& layout, const Cell* state, std::uint64_t* words) {
  std::fill(words, words + layout.words, 0);
  const std::vector<Field>& fields = layout.fields;
  for (std::size_t i = 0; i < fields.size(); ++i)
    words[fields[i].word] |= static_cast<std::uint64_t>(state[i] - fields[i].low)
                             << fields[i].shift;
}

void unpack(const Layout& layout, const std::uint64_t* words, Cell* state) {
  const std::vector<Field>& fields = layout.fields;
  for (std::size_t i = 0; i < fields.size(); ++i)
    state[i] = static_cast<Cell>(words[fields[i].word] >> fields[i].shift & fields[i].mask) +
               fields[i].low;
}

}  // namespace plumb::model
