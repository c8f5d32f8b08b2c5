// SPDX-License-Identifier: MIT
#include "check/evidence/core_history.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plumb {
namespace {

class CoreHistory {
 public:
  CoreHistory(const History& history, const Counterexample& c) : h_(history), c_(c) {}

  Result<History> make(const std::string& specification, std::optional<Value> initial) {
    const ObjectId object = h_.object[c_.operations.front()];
    builder_.begin_object(h_.objects[object].name, specification,
                          initial ? initial : h_.objects[object].initial);
    for (OperationId op = 0; op < h_.size(); ++op)
      if (h_.object[op] == object && !is_in(c_.operations, op))
        if (Status s = forget(op, fmt::format("hidden {}", ++hidden_)); !s.ok()) return s.error();
    for (const Event event : h_.events)
      if (is_in(c_.operations, event.operation()))
        if (Status s = add(event); !s.ok()) return s.error();
    // In a stuck history what is pending cannot have taken effect, unless it crashed.
    for (const ProcessId process : forgotten_)
      if (Status s = h_.stuck ? builder_.crashed(process) : Status(); !s.ok()) return s.error();
    if (h_.stuck)
      if (Status s = builder_.stuck(); !s.ok()) return s.error();
    return std::move(builder_).finish();
  }

 private:
  static bool is_in(const std::vector<OperationId>& ops, OperationId op) {
    return std::binary_search(ops.begin(), ops.end(), op);
  }

  Status call(ProcessId process, OperationId op) {
    const Call call = h_.call_of(op);
    builder_.at_line(h_.line[op]);
    return builder_.call(process, builder_.object(h_.objects[h_.object[op]].name),
                         builder_.intern_call(call.method, call.args));
  }

  // A process of its own, for another operation of its process may follow.
  Status forget(OperationId op, const std::string& name) {
    forgotten_.push_back(builder_.process(Value::string(name)));
    return call(forgotten_.back(), op);
  }

  Status add(Event event) {
    const OperationId op = event.operation();
    if (is_in(c_.only_called, op) || h_.fate[op] == Fate::crashed) {
      if (event.is_return()) return {};
      return forget(op, fmt::format("{} at event {}", h_.processes[h_.process[op]].to_string(),
                                    h_.call[op] + 1));
    }
    const ProcessId process = builder_.process(h_.processes[h_.process[op]]);
    return event.is_return() ? builder_.returned(process, h_.labels[h_.label[op]].result)
                             : call(process, op);
  }

  const History& h_;
  const Counterexample& c_;
  HistoryBuilder builder_;
  std::vector<ProcessId> forgotten_;
  std::size_t hidden_ = 0;
};

}  // namespace

Result<History> core_history(const History& history, const Counterexample& counterexample,
                             const std::string& specification, std::optional<Value> initial) {
  if (!counterexample.left_state.empty())
    return Error{
        ErrorKind::bad_input,
        "the counterexample begins in the middle of the history, so it is no history of its "
        "own",
        "check the history itself"};
  return CoreHistory(history, counterexample).make(specification, initial);
}

}  // namespace plumb
