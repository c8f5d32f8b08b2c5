// SPDX-License-Identifier: MIT
// Operations of an object under test: the history of an execution, and serial executions.
#include "runtime/schedule/execution.hpp"

namespace plumb::runtime {

void Execution::add_event(const OperationEvent& event) {
  if (!options.record) return;
  if (events.is_full()) give_up(ExecutionEnd::cut);
  events.add(event);
}

void Execution::log_call(Thread& thread) {
  thread.called = true;
  add_event({true, thread.number, thread.operation, 0});
}

void Execution::call(std::uint16_t operation) {
  Thread& thread = self();
  thread.operation = operation;
  if (options.serial) {
    const FlatMatrix& matrix = board->command.matrix;
    serial_.between |= thread_bit(threads.me);
    const bool can = serial_.may_call(matrix, operation);
    block_until({}, can ? nullptr : &matrix, WaitsFor::turn, can, false,
                __builtin_return_address(0));
    serial_.between &= ~thread_bit(threads.me);
  }
  thread.in_operation = true;
  thread.called = false;
  thread.steps = 0;
  if (options.call_points != Options::CallPoints::none) {
    calling_ = options.call_points == Options::CallPoints::free;
    takes_effect(__builtin_return_address(0));
    calling_ = false;
  }
}

void Execution::takes_effect(const void* pc) {
  if (self().in_operation && !self().called) point({}, pc);
}

void Execution::returned(std::uint64_t value) {
  Thread& thread = self();
  // An operation that touched nothing still happens at some time.
  takes_effect(__builtin_return_address(0));
  // But for its call.
  const bool is_blind = options.call_points != Options::CallPoints::none && thread.steps <= 1;
  if (is_blind && threads.live > 1 && !options.serial)
    board->result.blind.store(thread.operation, std::memory_order_relaxed);
  thread.in_operation = false;
  add_event({false, threads.me, thread.operation, value});
  const FlatMatrix& matrix = board->command.matrix;
  if (options.serial && matrix.pairs > 0) {
    serial_.returned(thread.operation);
    threads.refresh(&matrix, [this, &matrix](const Thread& other) {
      return serial_.may_call(matrix, other.operation);
    });
  }
  if (step_open_ && step_.thread == threads.me) step_.returns = true;
}

// Serially, threads that the object made run until they wait, then the thread that is in an
// operation continues, and only between operations another one begins.
std::uint64_t Execution::whose_turn() const {
  std::uint64_t made_by_object = 0;
  std::uint64_t in_operation = 0;
  for (int t = 0; t < threads.made; ++t) {
    const Thread& thread = threads[t];
    if (thread.state == ThreadState::ended) continue;
    if (t != 0 && thread.group == nullptr) made_by_object |= thread_bit(t);
    else if (thread.in_operation) in_operation |= thread_bit(t);
  }
  const std::uint64_t ready = threads.ready;
  const std::uint64_t active = made_by_object & ready & ~spins.spinning & ~spins.yielded;
  if (active != 0) return active & -active;
  if ((in_operation & ready & ~spins.spinning) != 0) return in_operation;
  if (in_operation == 0) {
    in_operation = ~made_by_object;
    if ((in_operation & ready & ~spins.spinning) != 0) return in_operation;
    // The constructor or the destructor waits.
  }
  // It waits; time may pass for the others.
  const std::uint64_t later = made_by_object & threads.timed & ~ready;
  return in_operation | (later & -later) | (made_by_object & ready);
}

}  // namespace plumb::runtime
