// SPDX-License-Identifier: MIT
// Dead locals are cleared: two states that differ only in values that are never read behave
// alike. This is the usual backward analysis over the code; a slot that is not live at a boundary
// is reset there. Private variables are kept between operations, so they are always live.
#include <span>

#include "model/code/operation.hpp"

namespace plumb::model {

void mark_live(const Op& op, const std::vector<Instruction>& code, std::span<Point> points,
               std::size_t privates) {
  const std::size_t begin = op.entry, size = code.size() - begin;
  const std::uint64_t kept = (std::uint64_t{1} << privates) - 1;
  std::vector<std::uint64_t> in(size + 1, 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = size; i-- > 0;) {
      const Instruction& instruction = code[begin + i];
      const std::uint64_t slot = std::uint64_t{1} << (instruction.a & 63);
      std::uint64_t out = 0;
      const auto target = [&] { return in[static_cast<std::size_t>(instruction.a) - begin]; };
      switch (instruction.code) {
        case Code::jump: out = target(); break;
        case Code::jump_if_false:
        case Code::jump_if_true: out = in[i + 1] | target(); break;
        case Code::give_back:
        case Code::no_result: break;
        case Code::store_local:
        case Code::link: out = in[i + 1] & ~slot; break;
        case Code::linked:
        case Code::load_local: out = in[i + 1] | slot; break;
        default: out = in[i + 1];
      }
      if (out != in[i]) {
        in[i] = out;
        changed = true;
      }
    }
  }
  for (Point& point : points)
    if (point.kind == Point::inside) point.live = in[point.ip - begin] | kept;
}

}  // namespace plumb::model
