// SPDX-License-Identifier: MIT
#include "runtime/schedule/execution.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>

#include "runtime/base/text.hpp"
#include "runtime/schedule/accesses.hpp"
#include "runtime/schedule/mutex.hpp"
#include "runtime/schedule/thread_end.hpp"

namespace plumb::runtime {

constinit Execution execution;

namespace {

// The exception that is being handled: its type and its message.
Text name_exception() {
  execution.running = false;  // demangling allocates
  Text text;
  const std::type_info* const type = abi::__cxa_current_exception_type();
  int status = -1;
  char* const name =
      type == nullptr ? nullptr : abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  text << "uncaught exception " << (name != nullptr ? name : "of a non-C++ kind");
  std::free(name);
  try {
    throw;
  } catch (const std::exception& e) { text << ": " << e.what(); } catch (...) {
  }
  execution.running = true;
  return text;
}

}  // namespace

ExecutionEnd Execution::run(void* (*body)(void*), void* argument) {
  reset();
  explorer_ = this_thread_as_fiber();
  Thread& main = threads[0];
  main.fiber = pooled_fiber(0);
  main.function = body;
  main.argument = argument;
  threads.set_ready(0, true);
  memory.snapshot.restore_thread_locals(main.fiber->fs);
  prepare(*main.fiber, &Execution::fiber_main);
  threads.made = threads.live = 1;
  threads.me = 0;
  running = true;
  switch_fiber(explorer_, *main.fiber);
  running = false;
  return end_;
}

void Execution::reset() {
  ++number;
  memory.reset(options);
  spins.reset(threads.made);
  threads.reset();
  events.reset();
  serial_.reset();
  trace.begin(options.tracing);
  raced = false;
  step_open_ = calling_ = false;
  steps = 0;
  now = 0;
  end_ = ExecutionEnd::done;
}

void Execution::fiber_main() {
  Thread& thread = execution.self();
  if (thread.number != 0 && !thread.starting) execution.granted();
  void* result = nullptr;
  try {
    result = thread.function(thread.argument);
  } catch (...) {
    if (thread.exiting) {
      thread.exiting = false;
      result = thread.result;
    } else {
      execution.fail(FindingKind::exception, name_exception().c_str());
    }
  }
  run_thread_end();
  refuse_held_in_frames_below(__builtin_frame_address(0));
  execution.end_thread(result);
}

// --- threads -------------------------------------------------------------------------------------

int Execution::make_thread(void* (*function)(void*), void* argument, int* group) {
  takes_effect(__builtin_return_address(0));
  if (threads.made == kMaxThreads) {
    board->result.progress.many_threads.store(true, std::memory_order_relaxed);
    give_up(ExecutionEnd::cut);
  }
  const int made = threads.made;
  Thread& thread = threads[made];
  // Making a real thread allocates what must outlive this execution.
  running = false;
  thread.fiber = pooled_fiber(made);
  running = true;
  // This is no fault of the code under test, which would see an error that it never sees elsewhere.
  if (thread.fiber == nullptr && board != nullptr) {
    board->result.set_broken(kNoMoreThreads);
    _exit(0);
  }
  if (thread.fiber == nullptr) return -1;
  ++threads.made;
  ++threads.live;
  thread.number = static_cast<std::uint8_t>(made);
  thread.function = function;
  thread.argument = argument;
  thread.group = group;
  thread.maker = threads.me;
  memory.model.thread_made(threads.me, made);
  // Its address stands for a thread where steps are compared: making and ending it releases, its
  // first step and who joins it acquire.
  also({address_of(&thread), 1, Touch::release});
  start(thread);
  return made;
}

void Execution::start(Thread& thread) {
  memory.snapshot.restore_thread_locals(thread.fiber->fs);
  prepare(*thread.fiber, &Execution::fiber_main);
  thread.starting = !options.start_points;
  if (options.start_points) {
    threads.next[thread.number] = {};
    threads.next[thread.number].thread = thread.number;
    threads.set_ready(thread.number, true);
  } else {
    // What it does before its first point is invisible, so it may as well do it now; then its first
    // step is known.
    switch_to(thread.number);
  }
}

void Execution::end_thread(void* result) {
  Thread& thread = self();
  thread.result = result;
  thread.state = ThreadState::ended;
  threads.ready &= ~thread_bit(threads.me);
  --threads.live;
  ++threads.unjoined;
  spins.changed();
  memory.model.release(threads.me, &thread);
  if (!thread.starting) also({address_of(&thread), 1, Touch::release});
  threads.refresh(&thread, [](Thread&) { return true; });
  if (thread.group != nullptr && --*thread.group == 0)
    threads.refresh(thread.group, [](Thread&) { return true; });
  if (thread.starting) {
    thread.starting = false;
    switch_to(thread.maker);
  }
  arrive();
  pass_on(-1);
  __builtin_unreachable();
}

bool Execution::join(int number, bool is_timed, const void* pc) {
  Thread& thread = threads[number];
  const bool ended =
      block_until({address_of(&thread), 1, Touch::acquire}, &thread, WaitsFor::end_of_thread,
                  thread.state == ThreadState::ended, is_timed, pc);
  if (ended) --threads.unjoined;
  trace.note("join");
  if (ended) memory.model.acquire(threads.me, &thread);
  return ended;
}

void Execution::join_group(const int* group, const void* pc) {
  block_until({}, group, WaitsFor::end_of_threads, *group == 0, false, pc);
  for (int t = 0; t < threads.made; ++t) {
    if (threads[t].group != group) continue;
    --threads.unjoined;
    memory.model.thread_joined(t, threads.me);
  }
}

void Execution::switch_to(int thread) {
  Fiber& from = *self().fiber;
  threads.me = static_cast<std::uint8_t>(thread);
  switch_fiber(from, *threads[thread].fiber);
}

// --- points --------------------------------------------------------------------------------------

void Execution::arrive() {
  if (!step_open_) return;
  step_open_ = false;
  strategy->taken(step_);
}

void Execution::granted() {
  Thread& thread = self();
  step_ = threads.next[threads.me];
  step_.thread = threads.me;
  step_open_ = true;
  lumped_ = false;
  spins.yielded &= thread_bit(threads.me);
  if (thread.in_operation && !thread.called) {
    step_.calls = true;
    log_call(thread);
  }
  if (unseen) step_.everything = true;  // what else it does is not known
  trace.note_point(step_);
  if (options.compare) [[unlikely]] {
    memory.log.begin_step();
    for (int i = 0; i < step_.count; ++i)
      keep_access(step_.accesses[static_cast<std::size_t>(i)], false);
  }
  count_step();
}

void Execution::count_step() {
  ++self().steps;
  if ((++steps & 1023) == 0) {
    auto& heartbeat = board->result.progress.heartbeat;
    heartbeat.store(heartbeat.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  if (steps > options.max_steps) give_up(ExecutionEnd::cut);
}

// Alone, there is nothing to choose, and no thread to see in which order. Serially, no thread
// interrupts an operation unless it waits.
bool Execution::may_just_continue(bool can) const {
  if (!can || threads.self().starting) return false;
  if (options.serial)
    return ((serial_.between | spins.spinning | spins.yielded) >> threads.me & 1) == 0;
  return threads.is_alone();
}

void Execution::point(Access access, const void* pc) {
  block_until(access, nullptr, WaitsFor::nothing, true, false, pc);
}

void Execution::point(Access first, Access second, const void* pc) {
  point(first, pc);
  also(second);
}

bool Execution::block_until(Access access, const void* what, WaitsFor want, bool can, bool is_timed,
                            const void* pc) {
  Thread& thread = self();
  thread.pc = pc;
  spins.settle();
  if (may_just_continue(can)) {
    lumped_ = true;
    if (threads.live > 1) count_step();  // serially: it may continue forever
    if (thread.in_operation && !thread.called) log_call(thread);
    return true;
  }
  if (trace.on && what != nullptr) [[unlikely]]
    thread.stands_at = Tracer::note_stack();
  if (!thread.starting) arrive();
  const std::uint8_t me = threads.me;
  Step& mine = threads.next[me];
  mine = {};
  mine.thread = me;
  mine.calls = thread.in_operation && !thread.called;
  mine.blocks = what != nullptr && (access.touch != Touch::acquire || is_timed);
  if (access.size != 0) {
    mine.count = 1;
    mine.accesses[0] = access;
  }
  thread.waits_for = what;
  thread.want = want;
  thread.timed_out = false;
  threads.set_ready(me, can);
  if (is_timed) threads.timed |= thread_bit(me);
  if (thread.starting) {
    mine.accesses[mine.count++] = {address_of(&thread), 1, Touch::acquire};
    thread.starting = false;
    switch_to(thread.maker);
  } else {
    pass_on(can ? me : -1);
  }
  thread.waits_for = nullptr;
  threads.timed &= ~thread_bit(me);
  granted();
  return !thread.timed_out;
}

// What is done alone is before, or after, all that others do: no cycle goes through it.
void Execution::keep_access(Access access, bool is_new) {
  if (threads.is_alone()) return;
  const Thread& thread = self();
  const auto lines = static_cast<std::int32_t>(board->result.trace_count);
  memory.log.add({.access = access,
                  .is_new = is_new,
                  .thread = threads.me,
                  .operation = thread.in_operation ? thread.operation : -1,
                  .line = options.tracing ? lines - 1 : -1});
}

void Execution::depends_on(Access access) {
  if (!step_open_) return;
  if (step_.count == step_.accesses.size()) {
    step_.everything = true;
  } else {
    step_.accesses[step_.count++] = access;
  }
}

void Execution::pass_on(int current) {
  if (unseen && spins.spinning != 0) spins.look_again();
  const std::uint64_t turn = options.serial ? whose_turn() : ~std::uint64_t{0};
  const std::uint64_t able = threads.ready & turn;
  std::uint64_t can = able & ~spins.spinning;
  // What can be had at once does not run out of time.
  const std::uint64_t may_time_out = threads.timed & ~threads.ready & turn;
  if (can == 0 && may_time_out == 0 && able != 0) {
    const Spins::Idle idle = spins.note_idle_round(able);
    if (idle != Spins::Idle::again) end_idle(idle);
    can = able;
  }
  std::uint64_t willing = can & ~spins.yielded;
  if (willing == 0) {
    spins.yielded = 0;
    willing = can;
  }
  explore::Point point;
  point.enabled = willing | may_time_out << explore::kTimeout;
  if (point.enabled == 0) {
    if (threads.live == 0) give_up(ExecutionEnd::done);
    end_stuck(FindingKind::deadlock, "every thread waits for another");
  }
  int action = 0;
  const bool is_only = (point.enabled & (point.enabled - 1)) == 0;
  const bool no_choice =
      options.serial ? (willing & serial_.between) == 0 : is_only && threads.is_alone();
  if (no_choice) {
    action = __builtin_ctzll(point.enabled);
  } else {
    const bool goes_on = current >= 0 && (willing & thread_bit(current)) != 0;
    point.current = goes_on && !calling_ ? current : -1;
    point.next = threads.next_steps();
    action = strategy->choose(point);
    if (action == explore::kPrune) give_up(ExecutionEnd::pruned);
  }
  int to = action;
  if (action >= explore::kTimeout) {
    to = action - explore::kTimeout;
    threads[to].timed_out = true;
    threads.set_ready(to, true);
  }
  calling_ = false;
  if (to != threads.me) switch_to(to);
}

void Execution::give_way(const void* pc) {
  if (threads.live == 1) return;
  if (spins.note_yield(threads.me)) point({}, pc);
}

int Execution::choose(int count, int cost) {
  spins.forget_lone_reads();  // what it read may not be all that its loop depends on
  return count <= 1 ? 0 : strategy->choose_value(count, cost);
}

}  // namespace plumb::runtime
