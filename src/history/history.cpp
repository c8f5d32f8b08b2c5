// SPDX-License-Identifier: MIT
#include "plumb/history.hpp"

#include <stdexcept>

#include "history/print.hpp"

namespace plumb {

void Calls::add(std::string_view method, std::span<const Value> args) {
  values_.push_back(Value::string(method));
  values_.insert(values_.end(), args.begin(), args.end());
  if (values_.size() > kNone) throw std::length_error("too many arguments in one history");
  ends_.push_back(static_cast<std::uint32_t>(values_.size()));
}

std::size_t Calls::bytes() const {
  return values_.capacity() * sizeof(Value) + ends_.capacity() * sizeof(ends_[0]);
}

bool History::happens_before(OperationId a, OperationId b) const {
  if (ret[a] == kNone) return false;
  if (ret[a] < call[b]) return true;
  // `after` links an operation to the last completed one of its process, and operations of one
  // process are numbered in its order: its chain reaches every completed operation before it.
  return !after.empty() && process[a] == process[b] && a < b;
}

std::string History::print_call(OperationId op) const { return to_string(call_of(op)); }

std::string History::print(OperationId op) const {
  const Label& l = labels[label[op]];
  return print_call(op) + " = " + (l.known ? l.result.to_string() : "?");
}

std::size_t History::bytes() const {
  const auto size = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  std::size_t total = size(events) + size(label) + size(process) + size(object) + size(call) +
                      size(ret) + size(fate) + size(line) + size(return_line) + size(after) +
                      size(order) + size(call_time) + size(return_time) + size(labels) +
                      calls.bytes() + size(processes) + size(objects) + size(notes);
  for (const Note& n : notes) total += n.text.capacity();
  return total;
}

}  // namespace plumb
