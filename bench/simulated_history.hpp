// SPDX-License-Identifier: MIT
// A simulation as a history, without a file in between.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plumb/history.hpp"
#include "simulation.hpp"

namespace plumb::bench {

inline Value result_of(const SimulatedOperation& op) {
  if (!op.result) return Value::nil();
  if (op.does == Does::read || op.does == Does::take) return Value::integer(*op.result);
  return Value::boolean(*op.result != 0);
}

inline History to_history(const Simulation& simulation) {
  std::vector<std::pair<const SimulatedOperation*, bool>> events(simulation.events);
  for (const SimulatedOperation& op : simulation.operations) {
    events[op.call] = {&op, true};
    events[op.ret] = {&op, false};
  }
  HistoryBuilder builder;
  builder.begin_object(Value::nil(), std::string(simulation.specification()));
  const ObjectId object = builder.object(Value::nil());
  for (const auto& [op, is_call] : events) {
    const ProcessId process = builder.process(Value::integer(op->process));
    std::vector<Value> args;
    if (op->does != Does::read && op->does != Does::take) args.push_back(Value::integer(op->first));
    if (op->does == Does::cas) args.push_back(Value::integer(op->second));
    const Status status =
        is_call ? builder.call(process, object, builder.intern_call(simulation.method(*op), args))
        : op->crashed ? builder.crashed(process)
                      : builder.returned(process, result_of(*op));
    if (!status.ok()) throw std::logic_error(status.error().to_string());
  }
  return *std::move(builder).finish();
}

}  // namespace plumb::bench
