// SPDX-License-Identifier: MIT
#include "model/code/sites.hpp"

#include <algorithm>

namespace plumb::model {
namespace {

void add_sites(const Program& program, Type::Kind kind, std::uint32_t cell, const Type& type,
               Cell worth, std::vector<Site>& out) {
  if (type.kind == kind) out.push_back({cell, type.id, worth, type.high + 1});
  if (type.kind == Type::record)
    for (const Variable& v : program.records[type.id].fields)
      add_sites(program, kind, cell, v.type, worth * v.first, out);
}

}  // namespace

Sites::Sites(const Program& program, Type::Kind kind) {
  const auto add = [&](Cell cell, const Type& type, std::vector<Site>& out) {
    add_sites(program, kind, static_cast<std::uint32_t>(cell), type, 1, out);
  };
  for (const Pool& pool : program.pools) {
    fields.emplace_back();
    for (const Variable& v : pool.fields) add(v.first, v.type, fields.back());
  }
  for (const Variable& v : program.shared)
    if (v.field.empty())
      for (Cell i = 0; i < v.size; ++i) add(v.first + i, v.type, shared);
  by_point.resize(program.points.size());
  for (std::size_t point = 0; point < program.points.size(); ++point) {
    const Point& p = program.points[point];
    for (const Variable& v : program.privates) add(3 + v.first, v.type, by_point[point]);
    if (p.kind != Point::inside) continue;
    for (const Variable& v : program.ops[p.op].locals)
      if (p.live >> v.first & 1) add(3 + v.first, v.type, by_point[point]);
  }
}

bool Sites::any() const {
  const auto some = [](const std::vector<Site>& sites) { return !sites.empty(); };
  return some(shared) || std::any_of(by_point.begin(), by_point.end(), some) ||
         std::any_of(fields.begin(), fields.end(), some);
}

}  // namespace plumb::model
