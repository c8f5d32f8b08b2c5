// SPDX-License-Identifier: MIT
#include "lineup/to_history.hpp"

#include <fmt/format.h>

#include <map>

#include "history/parse_value.hpp"

namespace plumb::lineup {
namespace {

// Text that is no JSON is kept as it is.
Value value_of(const std::string& text, bool typed) {
  if (text.empty()) return typed ? Value::nil() : Value::opaque("ok");
  if (typed) {
    if (const std::optional<Value> value = parse_value(text)) return *value;
  }
  return Value::opaque(text);
}

// By cell. An operation that returns after its thread's next call (relaxed.hpp) is a process of its
// own: "A.1".
std::vector<std::string> process_names(const std::vector<Cell>& all,
                                       const ObservedHistory& history) {
  std::vector<std::string> names;
  for (const Cell& cell : all) names.push_back(thread_name(cell.thread));
  std::map<int, int> open, apart;  // by thread: its operation, and how many have been apart
  for (const ObservedEvent& event : history.events) {
    const auto operation = static_cast<std::size_t>(event.operation);
    const int thread = all[operation].thread;
    const auto found = open.find(thread);
    if (event.is_return) {
      if (found != open.end() && found->second == event.operation) open.erase(found);
      continue;
    }
    if (found != open.end())
      names[static_cast<std::size_t>(found->second)] += fmt::format(".{}", ++apart[thread]);
    open[thread] = event.operation;
  }
  return names;
}

}  // namespace

std::vector<Value> argument_values(const Invocation& invocation) {
  const std::string text = argument_text(invocation);
  if (text.empty()) return {};
  if (const std::optional<Value> list = parse_value("[" + text + "]"))
    return {list->as_list().begin(), list->as_list().end()};
  return {Value::opaque(text)};
}

plumb::History to_history(const Matrix& test, const Object& object, const ObservedHistory& history,
                          const Results& results, bool typed) {
  HistoryBuilder builder;
  builder.begin_object(Value::nil(), "");
  const std::vector<Cell> all = cells(test);
  // Columns in their order, whoever comes first.
  for (std::size_t t = 0; t <= test.columns.size(); ++t) {
    if (t > 0 || !test.initial.empty() || !test.final.empty())
      builder.process(Value::string(thread_name(static_cast<int>(t))));
  }
  const std::vector<std::string> names = process_names(all, history);
  for (const ObservedEvent& event : history.events) {
    const Cell& cell = all[static_cast<std::size_t>(event.operation)];
    const ProcessId process =
        builder.process(Value::string(names[static_cast<std::size_t>(event.operation)]));
    const Invocation& it = object.invocations[static_cast<std::size_t>(cell.invocation)];
    const Status done =
        event.is_return
            ? builder.returned(process, value_of(results.text(event.result), typed))
            : builder.call(process, 0, builder.intern_call(it.method, argument_values(it)));
    if (!done.ok()) break;
  }
  if (history.stuck) static_cast<void>(builder.stuck());
  return *std::move(builder).finish();
}

}  // namespace plumb::lineup
