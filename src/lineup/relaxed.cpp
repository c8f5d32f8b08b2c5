// SPDX-License-Identifier: MIT
#include "lineup/relaxed.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace plumb::lineup {
namespace {

const Invocation& invocation_of(const std::vector<Cell>& all, const Object& object, int operation) {
  const int invocation = all[static_cast<std::size_t>(operation)].invocation;
  return object.invocations[static_cast<std::size_t>(invocation)];
}

// Whether another thread was in an operation, or had yet to let it take effect, between the call
// and this return.
bool is_contended(const std::vector<Cell>& all, const Object& object,
                  const ObservedHistory& history, std::size_t at) {
  const int operation = history.events[at].operation;
  std::set<int> open;
  bool inside = false;
  for (std::size_t i = 0; i < at; ++i) {
    const ObservedEvent& event = history.events[i];
    if (event.operation == operation) inside = true;
    else if (inside) return true;
    if (!event.is_return) open.insert(event.operation);
    else if (!invocation_of(all, object, event.operation).asynchronous) open.erase(event.operation);
  }
  open.erase(operation);
  return !open.empty();
}

// Whether the operation that returns there has failed, and another thread may be the cause.
bool may_have_failed(const std::vector<Cell>& all, const Object& object,
                     const ObservedHistory& history, std::size_t at, const Results& results) {
  const ObservedEvent& event = history.events[at];
  const Invocation& it = invocation_of(all, object, event.operation);
  return it.may_fail && is_failure(it, results.text(event.result)) &&
         is_contended(all, object, history, at);
}

}  // namespace

int Spread::before(int cell) const {
  return static_cast<int>(std::ranges::find(cells, cell) - cells.begin());
}

SerialHistory Spread::before(SerialHistory serial) const {
  for (SerialStep& step : serial) step.operation = before(step.operation);
  return serial;
}

namespace {

// A test with asynchronous calls on threads of their own; all numbers are cells of the test as it
// was.
class Spreader {
 public:
  Spreader(const Matrix& test, const Object& object, const std::vector<Cell>& all)
      : object_(object), all_(all) {
    const auto first = static_cast<int>(test.initial.size());
    for (; next_ < first && !is_asynchronous(next_); ++next_) initial.push_back(next_);
    Column rest, last;
    const Column begun = add(static_cast<std::size_t>(first - next_), {}, rest);
    Column ended = test.columns.empty() ? begun : Column{};
    for (const Column& column : test.columns) {
      for (const int cell : add_thread(column, begun)) {
        if (std::ranges::find(ended, cell) == ended.end()) ended.push_back(cell);
      }
    }
    add(static_cast<std::size_t>(size(test) - next_), ended, last);
    for (const Column& column : {rest, last}) {
      if (!column.empty()) columns.push_back(column);
    }
    for (const int cell : apart_) columns.push_back({cell});
  }

  Column initial;
  std::vector<Column> columns;
  std::vector<std::pair<int, int>> after;

 private:
  bool is_asynchronous(int cell) const { return invocation_of(all_, object_, cell).asynchronous; }

  // The next calls, all of one thread, which come after those of `before`. Returns what comes
  // before calls that follow them.
  Column add(std::size_t calls, Column before, Column& own) {
    for (; calls > 0; --calls, ++next_) {
      const bool is_apart = is_asynchronous(next_);
      (is_apart ? apart_ : own).push_back(next_);
      if (is_apart || own.size() == 1) {
        for (const int cell : before) after.emplace_back(next_, cell);
      }
      if (!is_apart) before = {next_};
    }
    return before;
  }

  Column add_thread(const Column& column, const Column& begun) {
    const auto so_far = static_cast<std::ptrdiff_t>(apart_.size());
    Column own;
    Column ended = add(column.size(), begun, own);
    // Threads are few: none without a call.
    if (own.empty() && !column.empty()) {
      own.push_back(apart_[static_cast<std::size_t>(so_far)]);
      apart_.erase(apart_.begin() + so_far);
    }
    columns.push_back(std::move(own));
    return ended;
  }

  const Object& object_;
  const std::vector<Cell>& all_;
  Column apart_;
  int next_ = 0;
};

}  // namespace

Spread spread(const Matrix& test, const Object& object) {
  const std::vector<Cell> all = cells(test);
  Spread result;
  result.cells.resize(all.size());
  std::iota(result.cells.begin(), result.cells.end(), 0);
  result.is_apart = std::ranges::any_of(
      result.cells, [&](int cell) { return invocation_of(all, object, cell).asynchronous; });
  result.test = test;
  if (!result.is_apart) return result;

  const Spreader apart(test, object, all);
  int now = 0;
  const auto place = [&](const Column& old_cells) {
    Column column;
    for (const int cell : old_cells) {
      column.push_back(all[static_cast<std::size_t>(cell)].invocation);
      result.cells[static_cast<std::size_t>(cell)] = now++;
    }
    return column;
  };
  result.test = {place(apart.initial), {}, {}};
  for (const Column& column : apart.columns) result.test.columns.push_back(place(column));
  for (const auto& [cell, before] : apart.after) {
    result.test.after.emplace_back(result.cells[static_cast<std::size_t>(cell)],
                                   result.cells[static_cast<std::size_t>(before)]);
  }
  return result;
}

ObservedHistory returning_late(const ObservedHistory& history, const Matrix& test,
                               const Object& object) {
  const std::vector<Cell> all = cells(test);
  ObservedHistory result = history;
  std::stable_partition(
      result.events.begin(), result.events.end(), [&](const ObservedEvent& event) {
        return !event.is_return || !invocation_of(all, object, event.operation).asynchronous;
      });
  return result;
}

ObservedHistory spread(const ObservedHistory& history, const Matrix& test, const Object& object,
                       const Spread& spread) {
  if (!spread.is_apart) return history;
  ObservedHistory result = returning_late(history, test, object);
  for (ObservedEvent& event : result.events)
    event.operation = spread.cells[static_cast<std::size_t>(event.operation)];
  return result;
}

Leniency leniency_of(const Matrix& test, const Object& object, const ObservedHistory& history,
                     const Spread& apart, const SerialHistories& serial, const Results& results) {
  Leniency leniency;
  const std::optional<ResultId> left_out = results.find(kLeftOut);
  const bool any = std::ranges::any_of(
      object.invocations, [](const Invocation& i) { return i.may_fail || i.weak_read; });
  if (!left_out || !any) return leniency;
  const std::vector<Cell> all = cells(test);
  leniency.left_out = *left_out;
  leniency.operations.resize(all.size(), false);
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const ObservedEvent& event = history.events[i];
    if (!event.is_return) continue;
    const int now = apart.cells[static_cast<std::size_t>(event.operation)];
    // A weak read has some result that it has serially.
    leniency.operations[static_cast<std::size_t>(now)] =
        (invocation_of(all, object, event.operation).weak_read && serial.has(now, event.result)) ||
        may_have_failed(all, object, history, i, results);
  }
  return leniency;
}

SerialHistories gather(const SerialHistories& serial, const Leniency& leniency) {
  SerialHistories result;
  result.left_out = serial.left_out;
  // Those in which nothing is left out come first: of two alike, they are the simpler ones.
  for (const bool with_left_out : {false, true}) {
    for (const auto* all : {&serial.full(), &serial.stuck()}) {
      for (const SerialHistory& history : *all) {
        const auto is_out = [&](const SerialStep& step) { return step.has(serial.left_out); };
        const auto is_right = [&](const SerialStep& step) {
          return !is_out(step) || leniency.allows(step);
        };
        if (std::ranges::any_of(history, is_out) == with_left_out &&
            std::ranges::all_of(history, is_right))
          result.add(history);
      }
    }
  }
  return result;
}

RelaxedHistory relaxed_history_of(const Matrix& test, const Object& object,
                                  const ObservedHistory& history, const Results& results) {
  const std::vector<Cell> all = cells(test);
  RelaxedHistory relaxed;
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const ObservedEvent& event = history.events[i];
    if (!event.is_return) continue;
    if (invocation_of(all, object, event.operation).weak_read)
      relaxed.left_out.push_back(event.operation);
    else if (may_have_failed(all, object, history, i, results))
      relaxed.optional.push_back(event.operation);
  }
  relaxed.history = without(returning_late(history, test, object), relaxed.left_out);
  return relaxed;
}

ObservedHistory without(ObservedHistory history, const std::vector<int>& operations) {
  std::erase_if(history.events, [&](const ObservedEvent& event) {
    return std::ranges::find(operations, event.operation) != operations.end();
  });
  return history;
}

}  // namespace plumb::lineup
