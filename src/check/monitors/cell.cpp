// SPDX-License-Identifier: MIT
#include "check/monitors/cell.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "check/problem/value_numbers.hpp"
#include "spec/families.hpp"

namespace plumb {
namespace {

using Kind = CellMove::Kind;

constexpr const char* kNotACell = "not a register";

bool is_cell(const Specification& specification) { return kCells.contains(specification.family()); }

// By method: read, write or cas. any: not a method of one cell.
std::vector<Kind> kinds_of(const Specification& specification) {
  std::vector<Kind> kinds;
  for (const Method& method : specification.methods())
    kinds.push_back(method.role == Role::reads    ? Kind::read
                    : method.role == Role::writes ? Kind::write
                    : method.role == Role::swaps  ? Kind::cas
                                                  : Kind::any);
  return kinds;
}

class CellReader {
 public:
  CellReader(const Problem& problem, Cell& cell)
      : problem_(problem), specification_(*problem.specification), cell_(cell),
        first_(kKeyed.contains(specification_.family()) ? 1 : 0), numbers_(problem.labels.size()) {}

  void read() {
    const std::vector<Kind> kinds = kinds_of(specification_);
    cell_.moves.reserve(problem_.labels.size());
    for (LabelId l = 0; l < problem_.labels.size(); ++l) {
      const BoundLabel& label = problem_.labels[l];
      const Kind kind = kinds[label.method];
      if (kind == Kind::any)
        cell_.reason =
            specification_.methods()[label.method].name + " is not an operation on a single cell";
      else if (first_ == 1 && cell_.key.value_or(label.args[0]) != label.args[0])
        cell_.reason = "there are several keys";
      if (!cell_.reason.empty()) return;
      if (first_ == 1) cell_.key = label.args[0];
      cell_.moves.push_back(kind == Kind::cas ? read_cas(l) : read_move(kind, label));
      if (!cell_.reason.empty()) return;
    }
    read_initial();
    cell_.values = std::move(numbers_).values();
  }

 private:
  CellMove read_move(Kind kind, const BoundLabel& label) {
    if (kind == Kind::write) return {Kind::write, kNone, numbers_.number(label.args[first_])};
    if (!label.known) return {};
    return {Kind::read, numbers_.number(label.result), kNone};
  }

  CellMove read_cas(LabelId l) {
    const BoundLabel& label = problem_.labels[l];
    const CellValue from = numbers_.number(label.args[first_]);
    const CellValue to = numbers_.number(label.args[first_ + 1]);
    if (!label.known && returns(l)) cell_.reason = "a cas has no recorded result";
    if (label.known && !label.result.as_boolean()) return {Kind::miss, from, kNone};
    if (from == to) return {Kind::read, from, kNone};
    return {Kind::cas, from, to};
  }

  bool returns(LabelId l) {
    if (returned_.empty()) {
      returned_.resize(problem_.labels.size());
      for (const Problem::Op& op : problem_.ops)
        if (op.completed()) returned_[op.label] = true;
    }
    return returned_[l];
  }

  // Whatever state the problem starts in, a read there shows its value.
  void read_initial() {
    const auto space = problem_.make_space();
    const Value keys[] = {cell_.key.value_or(Value::nil())};
    const BoundLabel read{*specification_.find(Role::reads), std::span(keys).first(first_)};
    std::vector<Value> seen;
    if (cell_.key || first_ == 0) seen = space->results(space->initial(), read);
    if (seen.size() == 1) cell_.initial = numbers_.number(seen.front());
    else if (problem_.labels.empty()) cell_.initial = numbers_.number(Value::nil());
    else cell_.reason = "the initial value is not known";
  }

  const Problem& problem_;
  const Specification& specification_;
  Cell& cell_;
  const std::size_t first_;  // argument; before it: the key
  ValueNumbers numbers_;
  std::vector<bool> returned_;  // by label; few histories need it
};

}  // namespace

Cell as_cell(const Problem& problem) {
  Cell cell;
  if (!is_cell(*problem.specification)) cell.reason = kNotACell;
  else if (problem.stuck) cell.reason = "the history is stuck";
  else if (problem.chained()) cell.reason = "operations of one process overlap";
  else CellReader(problem, cell).read();
  return cell;
}

std::string why_not_single_writer(const Problem& problem) {
  if (!is_cell(*problem.specification)) return kNotACell;
  const std::vector<Kind> kinds = kinds_of(*problem.specification);
  OperationId last = kNone;
  for (OperationId op = 0; op < problem.ops.size(); ++op) {
    const BoundLabel& label = problem.labels[problem.ops[op].label];
    const Kind kind = kinds[label.method];
    if (kind == Kind::read) continue;
    const std::string& method = problem.specification->methods()[label.method].name;
    if (kind != Kind::write) return fmt::format("{} is neither a read nor a write", method);
    // A write that did not return overlaps all that follow: kNone is the largest.
    if (last != kNone && problem.ops[last].ret > problem.ops[op].call) return "two writes overlap";
    last = op;
  }
  return {};
}

const std::string& method_name(const Problem& problem, OperationId op) {
  return problem.specification->methods()[problem.labels[problem.ops[op].label].method].name;
}

std::string in_words(const Problem& problem, const Cell& cell, OperationId op) {
  const CellMove& m = cell.move(problem, op);
  const auto value = [&](CellValue v) { return cell.values[v].to_string(); };
  const std::string& method = method_name(problem, op);
  switch (m.kind) {
    case Kind::read: return "the " + method + " of " + value(m.from);
    case Kind::write: return method + "(" + value(m.to) + ")";
    case Kind::cas: return method + "(" + value(m.from) + ", " + value(m.to) + ")";
    default: return "the " + method;
  }
}

std::uint64_t returns_before(const Problem& problem, std::uint32_t position) {
  std::uint64_t returns = 0;
  for (std::uint32_t i = 0; i < position && i < problem.events.size(); ++i)
    returns += problem.events[i].is_return();
  return returns;
}

}  // namespace plumb
