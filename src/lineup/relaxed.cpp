// SPDX-License-Identifier: MIT
#include "lineup/relaxed.hpp"

#include <algorithm>
#include <set>

namespace plumb::lineup {

int Spread::before(int cell) const {
  return static_cast<int>(std::ranges::find(cells, cell) - cells.begin());
}

SerialHistory Spread::before(SerialHistory serial) const {
  for (SerialStep& step : serial) step.operation = before(step.operation);
  return serial;
}

Spread spread(const Matrix& test, const Object& object) {
  const auto is_asynchronous = [&](int invocation) {
    return object.invocations[static_cast<std::size_t>(invocation)].asynchronous;
  };
  Spread result;
  result.test.initial = test.initial;
  result.test.final = test.final;
  // By column and row of the new test: the cell of the old one.
  std::vector<std::vector<int>> old_cells;
  std::vector<std::pair<Column, int>> apart;
  int cell = static_cast<int>(test.initial.size());
  for (const Column& column : test.columns) {
    result.test.columns.emplace_back();
    old_cells.emplace_back();
    for (const int invocation : column) {
      if (is_asynchronous(invocation)) {
        apart.emplace_back(Column{invocation}, cell);
      } else {
        result.test.columns.back().push_back(invocation);
        old_cells.back().push_back(cell);
      }
      ++cell;
    }
  }
  for (auto& [column, old_cell] : apart) {
    result.test.columns.push_back(column);
    old_cells.push_back({old_cell});
  }
  result.cells.resize(static_cast<std::size_t>(size(test)));
  int next = 0;
  for (; next < static_cast<int>(test.initial.size()); ++next)
    result.cells[static_cast<std::size_t>(next)] = next;
  for (const auto& column : old_cells) {
    for (const int old_cell : column) result.cells[static_cast<std::size_t>(old_cell)] = next++;
  }
  for (std::size_t i = 0; i < test.final.size(); ++i, ++next)
    result.cells[static_cast<std::size_t>(next)] = next;
  const auto now = [&](int old_cell) { return result.cells[static_cast<std::size_t>(old_cell)]; };
  cell = static_cast<int>(test.initial.size());
  for (const Column& column : test.columns) {
    std::vector<int> before;
    for (const int invocation : column) {
      if (is_asynchronous(invocation)) result.not_before[now(cell)] = before;
      else before.push_back(now(cell));
      ++cell;
    }
  }
  return result;
}

SerialHistories gather(const SerialHistories& serial, const Spread& spread) {
  SerialHistories result;
  for (const auto* all : {&serial.full(), &serial.stuck()}) {
    for (const SerialHistory& history : *all) {
      if (std::ranges::none_of(history, [&](auto& step) { return step.has(serial.left_out); }))
        result.add(spread.before(history));
    }
  }
  return result;
}

bool Spread::allows(const History& serial) const {
  std::set<int> called;
  for (const Event& event : serial.events) {
    if (event.is_return) continue;
    const auto found = not_before.find(event.operation);
    if (found != not_before.end() &&
        !std::ranges::all_of(found->second, [&](int cell) { return called.contains(cell); }))
      return false;
    called.insert(event.operation);
  }
  return true;
}

History spread(const History& history, const Matrix& test, const Object& object,
               const Spread& spread) {
  const std::vector<Cell> all = cells(test);
  History result = history;
  result.events.clear();
  std::vector<Event> later;
  for (const Event& event : history.events) {
    const auto old_cell = static_cast<std::size_t>(event.operation);
    const auto& [invocation, thread] = all[old_cell];
    // While main is alone, nobody can tell.
    const bool is_apart =
        thread != 0 && object.invocations[static_cast<std::size_t>(invocation)].asynchronous;
    Event moved = event;
    moved.operation = spread.cells[old_cell];
    (event.is_return && is_apart ? later : result.events).push_back(moved);
  }
  // What main does at the end comes after all.
  const auto first_final = std::ranges::find_if(result.events, [&](const Event& event) {
    return event.operation >= size(spread.test) - static_cast<int>(spread.test.final.size());
  });
  result.events.insert(first_final, later.begin(), later.end());
  return result;
}

}  // namespace plumb::lineup
