// SPDX-License-Identifier: MIT
// How a state is packed: each cell has the bits that its range needs, none of them across words.
// The block of a process is in one piece, and arranged alike in all of them, so that processes can
// be compared and exchanged as a whole. It is within one word where it fits into one.
#include <algorithm>

#include "model/code/program.hpp"

namespace plumb::model {

namespace {

using Range = std::pair<std::int64_t, std::int64_t>;

std::uint32_t bits_of(Range range) {
  std::uint32_t bits = 0;
  while ((range.second - range.first) >> bits) ++bits;
  return bits;
}

// By slot of a frame. A slot is shared by all operations, and the first one keeps the result while
// it returns. Slots that are dead at all boundaries need no room.
std::vector<Range> slot_ranges(const Program& program) {
  std::vector<Range> ranges(program.frame, {0, 0});
  const auto widen = [&](std::size_t slot, const Type& type) {
    ranges[slot] = {std::min<std::int64_t>(ranges[slot].first, type.low),
                    std::max<std::int64_t>(ranges[slot].second, type.high)};
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
  return ranges;
}

class Packing {
 public:
  explicit Packing(const Program& program) : program_(program) {
    l_.words = 1;
    l_.fields.resize(program.cells());
  }

  Layout run() {
    std::size_t cell = 0;
    for (const Variable& v : program_.shared)
      for (Cell i = 0; i < v.size; ++i) field(cell++, {v.type.low, v.type.high});
    const std::vector<Range> slots = slot_ranges(program_);
    for (std::uint32_t process = 0; process < program_.processes(); ++process)
      block(process, slots);
    return std::move(l_);
  }

 private:
  void make_room(std::uint32_t bits) {
    if (used_ + bits <= 64) return;
    ++l_.words;
    used_ = 0;
  }
  void field(std::size_t cell, Range range) {
    const std::uint32_t bits = bits_of(range);
    make_room(bits);
    l_.fields[cell] = {static_cast<Cell>(range.first), l_.words - 1, bits ? used_ : 0,
                       (std::uint64_t{1} << bits) - 1};
    used_ += bits;
  }
  void block(std::uint32_t process, const std::vector<Range>& slots) {
    const ClientClass& c = program_.classes[program_.class_of[process]];
    const Range points{0, static_cast<std::int64_t>(program_.points.size()) - 1};
    const Range steps{0, static_cast<std::int64_t>(c.steps.size()) - 1};
    const Range left{0, c.at_most};
    std::uint32_t bits = bits_of(points) + bits_of(steps) + bits_of(left);
    for (const Range& range : slots) bits += bits_of(range);
    make_room(bits);
    PackedBlock block{l_.words - 1, used_ % 64, 1, ~std::uint64_t{0}};
    const std::size_t cell = program_.block_of(process);
    // What all classes have comes first, so it is at the same place in every block.
    field(cell, points);
    for (std::size_t slot = 0; slot < slots.size(); ++slot) field(cell + 3 + slot, slots[slot]);
    field(cell + 1, steps);
    field(cell + 2, left);
    block.words = l_.words - block.word;
    if (bits < 64) block.mask = (std::uint64_t{1} << bits) - 1;
    else used_ = 64;  // it has its last word for itself
    l_.blocks.push_back(block);
  }

  const Program& program_;
  Layout l_;
  std::uint32_t used_ = 0;  // bits of the last word
};

}  // namespace

Layout make_layout(const Program& program) { return Packing(program).run(); }

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
