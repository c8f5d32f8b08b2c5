// SPDX-License-Identifier: MIT
// How an execution ends: all threads ended, no thread can run, a limit, or a finding.
#include "runtime/base/text.hpp"
#include "runtime/schedule/execution.hpp"

/// Where a debugger stops at a finding.
extern "C" __attribute__((visibility("default"), noinline)) void plumb_finding() {
  asm volatile("");
}

namespace plumb::runtime {

void Execution::give_up(ExecutionEnd end) {
  const std::size_t live = memory.heap.live();
  if (end == ExecutionEnd::done && options.leaks && live > 0) {
    Text text;
    text << live << (live == 1 ? " block is" : " blocks are") << " never freed";
    fail(FindingKind::leak, text.c_str());
  }
  end_ = end;
  if (end == ExecutionEnd::done) strategy->ended(0, threads.next_steps());
  switch_fiber(*self().fiber, explorer_);
  __builtin_unreachable();
}

void Execution::end_idle(Spins::Idle why) {
  if (why == Spins::Idle::unknown) give_up(ExecutionEnd::cut);
  end_stuck(FindingKind::livelock, "all runnable threads spin without progress");
}

void Execution::end_lone_spin() {
  arrive();
  end_stuck(FindingKind::livelock, "the only thread left spins without progress");
}

// No thread will ever run again. The strategy is given those that wait for something.
void Execution::end_stuck(FindingKind kind, const char* text) {
  std::uint32_t waiting = 0;
  bool in_operation = false;
  for (int t = 0; t < threads.made; ++t) {
    Thread& thread = threads[t];
    if (thread.state == ThreadState::waiting) waiting |= 1U << t;
    if (thread.state == ThreadState::ended || !thread.in_operation) continue;
    in_operation = true;
    if (!thread.called) log_call(thread);
  }
  waiting &= ~static_cast<std::uint32_t>(serial_.between);  // they do not wait for the object
  strategy->ended(waiting, threads.next_steps());
  trace.note_waiting(waiting);
  if (options.stuck_is_bad && !(options.judges_stuck && in_operation)) fail(kind, text);
  give_up(ExecutionEnd::stuck);
}

void Execution::find(FindingKind kind, const char* text, const void* address, std::uint32_t size,
                     const void* pc, const Place* there) {
  finding = {};
  finding.kind = kind;
  finding.set_text(text);
  finding.address = address;
  finding.size = size;
  finding.here = options.tracing ? unwound() : place(threads.me, pc);
  if (there != nullptr) finding.there = *there;
}

void Execution::fail(FindingKind kind, const char* text, const void* address, std::uint32_t size,
                     const void* pc, const Place* there) {
  find(kind, text, address, size, pc, there);
  plumb_finding();
  give_up(ExecutionEnd::finding);
}

Place Execution::place(int number, const void* pc) const {
  Place result;
  const Thread& thread = threads[number];
  result.thread = number;
  if (pc != nullptr) result.pc[static_cast<std::size_t>(result.depth++)] = pc;
  for (int i = thread.kept_calls(); i-- > 0 && result.depth < Place::kMost;)
    result.pc[static_cast<std::size_t>(result.depth++)] = thread.calls[static_cast<std::size_t>(i)];
  return result;
}

}  // namespace plumb::runtime
