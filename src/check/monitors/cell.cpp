// SPDX-License-Identifier: MIT
#include "cell.hpp"

#include "check/value_numbers.hpp"

namespace plumb {
namespace {

using Kind = CellMove::Kind;

// The shape of the label: which method it is, and where its values are in the arguments.
struct Shape {
  Kind kind = Kind::any;
  std::size_t first = 0;  // values start at this argument; before it: the key
  bool known = false;     // the method is one of a cell
};

Shape shape_of(const Specification& specification, MethodId method) {
  const std::string& name = specification.methods()[method].name;
  const std::size_t first = specification.name() == "register" ? 0 : 1;
  if (name == "read" || name == "get") return {Kind::read, first, true};
  if (name == "write" || name == "put") return {Kind::write, first, true};
  if (name == "cas") return {Kind::cas, first, true};
  return {};
}

MethodId method_of(const Specification& specification, Kind kind) {
  MethodId method = 0;
  while (shape_of(specification, method).kind != kind) ++method;
  return method;
}

}  // namespace

std::shared_ptr<StateSpace> space_with(const Problem& problem, const Cell& cell, CellValue value) {
  const auto space = problem.make_space();
  std::vector<Value> args = {cell.values[value]};
  if (cell.key) args.insert(args.begin(), *cell.key);
  const BoundLabel write{method_of(*problem.specification, Kind::write), args, Value::nil(), true};
  std::vector<StateId> to;
  space->step(space->initial(), write, to);
  return space->fork(to.front());
}

Cell as_cell(const Problem& problem) {
  Cell cell;
  const Specification& specification = *problem.specification;
  const std::string& name = specification.name();
  // By identity: a user's own specification may have the same name and another meaning.
  if (&specification != find_specification(name) ||
      (name != "register" && name != "array" && name != "map")) {
    cell.reason = "not a register";
    return cell;
  }
  if (problem.stuck || problem.chained()) {
    cell.reason = problem.stuck ? "the history is stuck" : "clocks make a process overlap itself";
    return cell;
  }

  ValueNumbers numbers(problem.labels.size());
  const auto number = [&](Value v) { return numbers.number(v); };
  std::vector<bool> returns(problem.labels.size());
  for (const Problem::Op& op : problem.ops)
    if (op.completed()) returns[op.label] = true;

  std::optional<Value>& key = cell.key;
  for (LabelId l = 0; l < problem.labels.size(); ++l) {
    const BoundLabel& label = problem.labels[l];
    const Shape shape = shape_of(specification, label.method);
    if (!shape.known) {
      cell.reason = specification.methods()[label.method].name + " is more than one cell's";
      return cell;
    }
    if (shape.first == 1) {
      if (key && *key != label.args[0]) {
        cell.reason = "several keys";
        return cell;
      }
      key = label.args[0];
    }
    CellMove move;
    switch (shape.kind) {
      case Kind::read:
        if (label.known) move = {Kind::read, number(label.result), kNone};
        break;
      case Kind::write: move = {Kind::write, kNone, number(label.args[shape.first])}; break;
      default: {
        const CellValue from = number(label.args[shape.first]);
        const CellValue to = number(label.args[shape.first + 1]);
        if (!label.known && returns[l]) {
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
  const MethodId read = method_of(specification, Kind::read);
  const BoundLabel look{read, std::span(keys).first(name == "register" ? 0 : 1), {}, false};
  const std::vector<Value> seen =
      key || name == "register" ? space->results(space->initial(), look) : std::vector<Value>{};
  if (seen.size() == 1) cell.initial = number(seen.front());
  else if (problem.labels.empty()) cell.initial = number(Value::nil());
  else cell.reason = "the initial value is not known";
  cell.values = numbers.values();
  return cell;
}

}  // namespace plumb
