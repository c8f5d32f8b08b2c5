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

}  // namespace

std::shared_ptr<StateSpace> space_with(const Problem& problem, const Cell& cell, CellValue value) {
  const auto space = problem.make_space();
  std::vector<Value> args = {cell.values[value]};
  if (cell.key) args.insert(args.begin(), *cell.key);
  const BoundLabel write{*problem.specification->find(Role::writes), args, Value::nil(), true};
  std::vector<StateId> to;
  space->step(space->initial(), write, to);
  return space->fork(to.front());
}

Cell as_cell(const Problem& problem) {
  Cell cell;
  const Specification& specification = *problem.specification;
  if (!is_cell(specification)) {
    cell.reason = kNotACell;
    return cell;
  }
  if (problem.stuck || problem.chained()) {
    cell.reason = problem.stuck ? "the history is stuck" : "clocks make a process overlap itself";
    return cell;
  }

  ValueNumbers numbers(problem.labels.size());
  const auto number = [&](Value v) { return numbers.number(v); };
  std::vector<bool> returned;  // by label; few histories need it
  const auto returns = [&](LabelId l) {
    if (returned.empty()) {
      returned.resize(problem.labels.size());
      for (const Problem::Op& op : problem.ops)
        if (op.completed()) returned[op.label] = true;
    }
    return returned[l];
  };

  const std::vector<Kind> kinds = kinds_of(specification);
  const bool keyed = kKeyed.contains(specification.family());
  const std::size_t first = keyed ? 1 : 0;  // argument; before it: the key
  std::optional<Value>& key = cell.key;
  cell.moves.reserve(problem.labels.size());
  for (LabelId l = 0; l < problem.labels.size(); ++l) {
    const BoundLabel& label = problem.labels[l];
    const Kind kind = kinds[label.method];
    if (kind == Kind::any) {
      cell.reason = specification.methods()[label.method].name + " is more than one cell's";
      return cell;
    }
    if (keyed) {
      if (key && *key != label.args[0]) {
        cell.reason = "several keys";
        return cell;
      }
      key = label.args[0];
    }
    CellMove move;
    switch (kind) {
      case Kind::read:
        if (label.known) move = {Kind::read, number(label.result), kNone};
        break;
      case Kind::write: move = {Kind::write, kNone, number(label.args[first])}; break;
      default: {
        const CellValue from = number(label.args[first]);
        const CellValue to = number(label.args[first + 1]);
        if (!label.known && returns(l)) {
          cell.reason = "a cas does not say whether it succeeded";
          return cell;
        }
        if (label.known && !label.result.as_boolean()) move = {Kind::miss, from, kNone};
        else if (from == to) move = {Kind::read, from, kNone};
        else move = {Kind::cas, from, to};
      }
    }
    cell.moves.push_back(move);
  }
  // Whatever state the problem starts in, a read there tells its value.
  const auto space = problem.make_space();
  const Value keys[] = {key.value_or(Value::nil())};
  const BoundLabel look{*specification.find(Role::reads), std::span(keys).first(first), {}, false};
  const std::vector<Value> seen =
      key || !keyed ? space->results(space->initial(), look) : std::vector<Value>{};
  if (seen.size() == 1) cell.initial = number(seen.front());
  else if (problem.labels.empty()) cell.initial = number(Value::nil());
  else cell.reason = "the initial value is not known";
  cell.values = std::move(numbers).values();
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
