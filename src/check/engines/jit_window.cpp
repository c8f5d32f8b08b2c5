// SPDX-License-Identifier: MIT
#include "check/engines/jit_window.hpp"

namespace plumb::jit {

Window make_window(const Problem& problem, const EngineOptions& options) {
  Window w;
  w.slots = options.first_slot;
  w.slot.assign(problem.ops.size(), kNone);
  w.steps.reserve(problem.events.size());
  for (OperationId op = 0; op < problem.ops.size(); ++op)
    if (const OperationId before = problem.ops[op].after; before != kNone) {
      w.linked.resize(problem.ops.size());
      w.linked[op] = w.linked[before] = w.chained = true;
    }
  std::vector<std::uint32_t> free;
  for (const Event event : problem.events) {
    const OperationId op = event.operation();
    const Problem::Op& o = problem.ops[op];
    const bool pure = problem.pure[o.label], linked = w.chained && w.linked[op];
    if (!event.is_return()) {
      if (!o.completed() && (o.judged || (pure && !linked))) continue;
      if (free.empty()) free.push_back(static_cast<std::uint32_t>(w.slots++));
      w.slot[op] = free.back();
      free.pop_back();
    } else {
      free.push_back(w.slot[op]);
    }
    // One that another waits for is not freely optional: the other's completion may need it.
    const bool optional = !o.completed() && !linked;
    w.steps.push_back(
        {op, w.slot[op] & 0x1fffffff, event.is_return(), pure && options.pure_labels, optional});
  }
  return w;
}

}  // namespace plumb::jit
