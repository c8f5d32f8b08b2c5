// SPDX-License-Identifier: MIT
#include "plumb/history.hpp"

#include "history/print.hpp"

namespace plumb {

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
                      size(calls) + size(processes) + size(objects) + size(notes);
  for (const Call& c : calls) total += c.method.capacity() + size(c.args);
  for (const Note& n : notes) total += n.text.capacity();
  return total;
}

}  // namespace plumb
