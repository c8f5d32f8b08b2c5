// SPDX-License-Identifier: MIT
// How a state is packed: each cell has the bits that its range needs, none of them across words.
#include <algorithm>

#include "model/program.hpp"

namespace plumb::model {

Layout make_layout(const Program& program) {
  Layout l;
  l.words = 1;
  std::uint32_t used = 0;  // bits of the last word
  const auto field = [&](std::int64_t low, std::int64_t high) {
    std::uint32_t bits = 0;
    while ((high - low) >> bits) ++bits;
    if (used + bits > 64) {
      ++l.words;
      used = 0;
    }
    l.fields.push_back(
        {static_cast<Cell>(low), l.words - 1, bits ? used : 0, (std::uint64_t{1} << bits) - 1});
    used += bits;
  };
  for (const Variable& v : program.shared)
    for (Cell i = 0; i < v.size; ++i) field(v.type.low, v.type.high);
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
    field(0, static_cast<std::int64_t>(program.points.size()) - 1);
    field(0, static_cast<std::int64_t>(c.steps.size()) - 1);
    field(0, c.at_most);
    for (const auto& [low, high] : ranges) field(low, high);
  }
  return l;
}

}  // namespace plumb::model
