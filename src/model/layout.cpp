// SPDX-License-Identifier: MIT
// How a state is packed: each cell has the bits that its range needs, none of them across words.
#include <algorithm>

#include "model/program.hpp"

namespace plumb::model {

Layout make_layout(const Program& program) {
  Layout l;
  std::uint32_t used = 64;
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
  // A slot is shared by all operations, and the first one keeps the result while it returns.
  std::vector<std::pair<Cell, Cell>> ranges(program.frame, {0, 0});
  const auto widen = [&](std::size_t slot, const Type& type) {
    ranges[slot] = {std::min(ranges[slot].first, type.low),
                    std::max(ranges[slot].second, type.high)};
  };
  for (const Op& op : program.ops) {
    for (std::size_t i = 0; i < op.locals.size(); ++i) widen(i, op.locals[i].type);
    if (op.returns_value) widen(0, op.result);
  }
  for (std::uint32_t process = 0; process < program.processes(); ++process) {
    const ClientClass& c = program.classes[program.class_of[process]];
    field(0, static_cast<std::int64_t>(program.points.size()) - 1);
    field(0, static_cast<std::int64_t>(c.steps.size()) - 1);
    field(0, c.at_most);
    for (const auto& [low, high] : ranges) field(low, high);
  }
  if (l.words == 0) l.words = 1;
  return l;
}

}  // namespace plumb::model
