// SPDX-License-Identifier: MIT
#include "runtime/schedule/execution.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <tuple>

#include "runtime/base/text.hpp"
#include "runtime/schedule/thread_end.hpp"
#include "runtime/wire/board.hpp"

// Where a debugger stops at a finding.
extern "C" __attribute__((visibility("default"), noinline)) void plumb_finding() {
  asm volatile("");
}

namespace plumb::runtime {

constinit Execution execution;

namespace {

std::uint64_t bit(int thread) { return std::uint64_t{1} << thread; }

// Rounds in which every thread that could run only looked. Loops that give up after some tries
// (libstdc++'s atomic wait: sixteen) must come through.
constexpr std::uint64_t kIdleRounds = 20'000;
// If all of them are in states in which they were before, that is how it will go on.
constexpr std::uint64_t kRepeatedRounds = 3;

// A loop whose own state changes (a counter, a growing pause) is taken for one that waits after so
// many looks at the same value.
constexpr std::uint32_t kLooksAlike = 32;

// A thread that is alone may look so often before it is suspected to wait for ever.
constexpr std::uint64_t kLoneLooks = 1'000;

// So many times a thread may give way in vain and find that nobody has done anything: code that
// yields a few times and then goes to sleep (libstdc++'s atomic wait: four) must get there.
constexpr std::uint32_t kFreeYields = 4;

// Stands for a thread where steps are compared: making and ending it releases, its first step and
// who joins it acquire.
std::uint64_t address_of(const Thread& thread) { return reinterpret_cast<std::uint64_t>(&thread); }

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = (a ^ b) * 0x9e3779b97f4a7c15;
  return h ^ (h >> 29);
}

// The exception that is being handled: its type, and what it says.
Text name_exception() {
  execution.running = false;  // demangling allocates
  Text text;
  const std::type_info* const type = abi::__cxa_current_exception_type();
  int status = -1;
  char* const name =
      type == nullptr ? nullptr : abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  text << (name != nullptr ? name : "something that is no C++ exception") << " left its thread";
  std::free(name);
  try {
    throw;
  } catch (const std::exception& e) { text << ": " << e.what(); } catch (...) {
  }
  execution.running = true;
  return text;
}

}  // namespace

Outcome Execution::run(void* (*body)(void*), void* argument) {
  reset();
  explorer_ = this_thread_as_fiber();
  Thread& main = threads[0];
  main.fiber = pooled_fiber(0);
  main.function = body;
  main.argument = argument;
  main.state = State::ready;
  snapshot.restore_thread_locals(main.fiber->fs);
  prepare(*main.fiber, &Execution::fiber_main);
  ready = bit(0);
  made = live = 1;
  me = 0;
  running = true;
  switch_fiber(explorer_, *main.fiber);
  running = false;
  return outcome;
}

void Execution::reset() {
  ++number;
  snapshot.restore_globals();
  pages.restore();
  heap.reset(options.reuse);
  if (options.races) races.reset();
  if (options.compare) accessed.reset();
  raced = false;
  for (int t = 0; t < made; ++t) {
    Thread& thread = threads[t];
    thread.state = State::unborn;
    thread.timed = thread.timed_out = thread.starting = thread.detached = thread.joined = false;
    thread.exiting = false;
    thread.in_operation = thread.called = false;
    thread.waits_for = nullptr;
    thread.depth = 0;
    thread.looks = {};
    thread.next_look = 0;
    thread.yields = 0;
    thread.yield_version = 0;
    next[t] = {};
  }
  step_open = false;
  over = {};
  ready = timed = yielded = spinning = repeating = between = 0;
  made = live = unjoined = 0;
  version = steps = idle_rounds = lone_looks = lone_repeats = 0;
  now = 0;
  event_count = 0;
  outcome = Outcome::done;
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
  execution.end_thread(result);
}

// --- threads -------------------------------------------------------------------------------------

int Execution::make_thread(void* (*function)(void*), void* argument, int* group) {
  takes_effect(__builtin_return_address(0));
  if (made == kMaxThreads) {
    board->many_threads.store(true, std::memory_order_relaxed);
    give_up(Outcome::cut);
  }
  const int number = made;
  Thread& thread = threads[number];
  // Making a real thread allocates what must outlive this execution.
  running = false;
  thread.fiber = pooled_fiber(number);
  running = true;
  if (thread.fiber == nullptr) return -1;
  ++made;
  ++live;
  thread.number = static_cast<std::uint8_t>(number);
  thread.function = function;
  thread.argument = argument;
  thread.starting = true;
  thread.group = group;
  thread.maker = me;
  if (options.races) races.thread_made(me, number);
  also({address_of(thread), 1, Touch::release});
  snapshot.restore_thread_locals(thread.fiber->fs);
  prepare(*thread.fiber, &Execution::fiber_main);
  if (options.start_points) {
    thread.starting = false;
    next[number] = {};
    next[number].thread = static_cast<std::uint8_t>(number);
    set_ready(number, true);
  } else {
    // What it does before its first point nobody can see, so it may as well do it now; then its
    // first step is known.
    go_to(number);
  }
  return number;
}

void Execution::end_thread(void* result) {
  Thread& thread = self();
  thread.result = result;
  thread.state = State::ended;
  ready &= ~bit(me);
  --live;
  ++unjoined;
  changed();
  if (options.races) races.release(me, &thread);
  if (!thread.starting) also({address_of(thread), 1, Touch::release});
  refresh(&thread, [](Thread&) { return true; });
  if (thread.group != nullptr && --*thread.group == 0)
    refresh(thread.group, [](Thread&) { return true; });
  if (thread.starting) {
    thread.starting = false;
    go_to(thread.maker);
  }
  arrive();
  pass_on(-1);
  __builtin_unreachable();
}

void Execution::go_to(int thread) {
  Fiber& from = *self().fiber;
  me = static_cast<std::uint8_t>(thread);
  switch_fiber(from, *threads[thread].fiber);
}

// --- points --------------------------------------------------------------------------------------

void Execution::arrive() {
  if (!step_open) return;
  step_open = false;
  strategy->taken(step);
}

void Execution::granted() {
  Thread& thread = self();
  step = next[me];
  step.thread = me;
  step_open = true;
  lumped = false;
  yielded &= bit(me);
  if (thread.in_operation && !thread.called) {
    thread.called = true;
    step.calls = true;
    log({true, me, thread.operation, 0});
  }
  if (options.tracing) [[unlikely]]
    trace_point();
  if (options.compare) [[unlikely]] {
    accessed.begin_step();
    for (int i = 0; i < step.count; ++i) keep_access(step.accesses[i], false);
  }
  count_step();
}

void Execution::count_step() {
  if ((++steps & 1023) == 0) {
    board->heartbeat.store(board->heartbeat.load(std::memory_order_relaxed) + 1,
                           std::memory_order_relaxed);
  }
  if (steps > options.max_steps) give_up(Outcome::cut);
}

// Alone, there is nothing to choose, and nobody to see in which order. Serially, nobody interrupts
// an operation, unless it waits.
bool Execution::may_just_go_on(bool can) const {
  if (!can || threads[me].starting) return false;
  if (options.serial) return ((between | spinning | yielded) >> me & 1) == 0;
  return live == 1 && unjoined == 0;
}

void Execution::point(Access access, const void* pc) { stand(access, nullptr, 0, true, false, pc); }

void Execution::point(Access first, Access second, const void* pc) {
  point(first, pc);
  also(second);
}

bool Execution::stand(Access access, const void* what, std::uint8_t want, bool can, bool is_timed,
                      const void* pc) {
  Thread& thread = self();
  thread.pc = pc;
  if (may_just_go_on(can)) {
    lumped = true;
    if (live > 1) count_step();  // serially: it may go on for ever
    if (thread.in_operation && !thread.called) {
      thread.called = true;
      log({true, me, thread.operation, 0});
    }
    return true;
  }
  if (options.tracing && what != nullptr) [[unlikely]]
    thread.stands_at = unwound();
  if (!thread.starting) arrive();
  Step& mine = next[me];
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
  set_ready(me, can);
  if (is_timed) timed |= bit(me);
  if (thread.starting) {
    mine.accesses[mine.count++] = {address_of(thread), 1, Touch::acquire};
    thread.starting = false;
    go_to(thread.maker);
  } else {
    pass_on(can ? me : -1);
  }
  thread.waits_for = nullptr;
  timed &= ~bit(me);
  granted();
  return !thread.timed_out;
}

// What is done alone is before, or after, all that others do: no cycle goes through it.
void Execution::keep_access(Access access, bool is_new) {
  if (live == 1 && unjoined == 0) return;
  const Thread& thread = self();
  accessed.add({.access = access,
                .is_new = is_new,
                .thread = me,
                .operation = thread.in_operation ? thread.operation : -1,
                .line = options.tracing ? static_cast<std::int32_t>(board->trace_count) - 1 : -1});
}

void Execution::depends_on(Access access) {
  if (!step_open) return;
  if (step.count == step.accesses.size()) {
    step.everything = true;
  } else {
    step.accesses[step.count++] = access;
  }
}

void Execution::pass_on(int current) {
  const std::uint64_t turn = options.serial ? whose_turn() : ~std::uint64_t{0};
  const std::uint64_t able = ready & turn;
  std::uint64_t can = able & ~spinning;
  // What can be had at once does not run out of time.
  const std::uint64_t may_time_out = timed & ~ready & turn;
  if (can == 0 && may_time_out == 0 && able != 0) {
    // Everybody only looks. Let them go on for a while: a loop may give up by itself.
    const bool for_ever = (able & ~repeating) == 0;
    if (++idle_rounds > (for_ever ? kRepeatedRounds : kIdleRounds)) {
      // A loop that counts may end some day: that is not known.
      if (!for_ever) give_up(Outcome::cut);
      end_stuck(FindingKind::livelock,
                "every thread that can run goes round in a loop, and nothing changes");
    }
    spinning = 0;
    can = able;
  }
  std::uint64_t willing = can & ~yielded;
  if (willing == 0) {
    yielded = 0;
    willing = can;
  }
  explore::Point point;
  point.enabled = willing | may_time_out << explore::kTimeout;
  if (point.enabled == 0) {
    if (live == 0) give_up(Outcome::done);
    end_stuck(FindingKind::deadlock, "every thread waits for another");
  }
  int action = 0;
  const bool is_only = (point.enabled & (point.enabled - 1)) == 0;
  const bool no_choice =
      options.serial ? (willing & between) == 0 : is_only && live == 1 && unjoined == 0;
  if (no_choice) {
    action = __builtin_ctzll(point.enabled);
  } else {
    point.current = current >= 0 && (willing & bit(current)) != 0 ? current : -1;
    point.next = {next.data(), static_cast<std::size_t>(made)};
    action = strategy->choose(point);
    if (action == explore::kPrune) give_up(Outcome::pruned);
  }
  int to = action;
  if (action >= explore::kTimeout) {
    to = action - explore::kTimeout;
    threads[to].timed_out = true;
    set_ready(to, true);
  }
  if (to != me) go_to(to);
}

// Serially, threads that the object made run until they wait, then whoever is in an operation goes
// on, and only between operations another one begins.
std::uint64_t Execution::whose_turn() const {
  std::uint64_t made_by_object = 0;
  std::uint64_t in_operation = 0;
  for (int t = 0; t < made; ++t) {
    const Thread& thread = threads[t];
    if (thread.state == State::ended) continue;
    if (t != 0 && thread.group == nullptr) made_by_object |= bit(t);
    else if (thread.in_operation) in_operation |= bit(t);
  }
  const std::uint64_t active = made_by_object & ready & ~spinning & ~yielded;
  if (active != 0) return active & -active;
  if ((in_operation & ready & ~spinning) != 0) return in_operation;
  if (in_operation == 0) {
    in_operation = ~made_by_object;
    if ((in_operation & ready & ~spinning) != 0) return in_operation;
    // The constructor or the destructor waits.
  }
  // It waits; time may pass for the others.
  const std::uint64_t later = made_by_object & timed & ~ready;
  return in_operation | (later & -later) | (made_by_object & ready);
}

// Nobody will ever go on. Those that wait for something are told to the strategy.
void Execution::end_stuck(FindingKind kind, const char* text) {
  std::uint32_t waiting = 0;
  bool in_operation = false;
  for (int t = 0; t < made; ++t) {
    Thread& thread = threads[t];
    if (thread.state == State::ended || !thread.in_operation) continue;
    in_operation = true;
    if (!thread.called) log({true, static_cast<std::uint8_t>(t), thread.operation, 0});
    thread.called = true;
  }
  for (int t = 0; t < made; ++t) {
    if (threads[t].state == State::waiting) waiting |= 1U << t;
  }
  waiting &= ~static_cast<std::uint32_t>(between);  // it is not the object that they wait for
  strategy->ended(waiting, {next.data(), static_cast<std::size_t>(made)});
  if (options.tracing) trace_waiting(waiting);
  if (options.stuck_is_bad && !(options.judges_stuck && in_operation)) fail(kind, text);
  give_up(Outcome::stuck);
}

void Execution::give_way(const void* pc) {
  if (live == 1) return;
  Thread& thread = self();
  if (thread.yield_version != version) thread.yields = 0;
  thread.yield_version = version;
  if (++thread.yields <= kFreeYields) return;
  yielded |= bit(me);
  guessed = true;
  point({}, pc);
}

// A loop that waits: the thread looks at the same place and sees the same as before, and between
// nothing in shared memory has changed; if its own state (stack and registers) is also the same,
// going on would only repeat it for ever. It is then left alone until somebody writes. Comparing
// with the state at the *first* look matters: a write after it, but before the second, must wake.
__attribute__((noinline)) void Execution::looked(const void* address, std::uint64_t value,
                                                 const void* pc) {
  // Alone it mostly prepares or compares: only who looks long is looked at.
  const bool alone = live == 1;
  if (alone && ++lone_looks < kLoneLooks) return;
  Thread& thread = self();
  const std::uint64_t key =
      mix(mix(reinterpret_cast<std::uint64_t>(pc), reinterpret_cast<std::uint64_t>(address)),
          mix(value, thread.call_hash[thread.depth])) |
      1;
  for (Thread::Look& look : thread.looks) {
    if (look.key != key) continue;
    if (look.version != version) {
      look.version = version;
      look.times = 0;
      look.stack = 0;
      return;
    }
    __builtin_unwind_init();  // registers onto the stack
    std::uint64_t stack = 0;
    const auto* const top =
        reinterpret_cast<const std::uint64_t*>(thread.fiber->stack + kStackBytes);
    for (auto* word = static_cast<const std::uint64_t*>(__builtin_frame_address(0)); word < top;
         ++word) {
      stack = mix(stack, *word);
    }
    const bool same = look.stack == stack;
    look.stack = stack;
    if (alone) return looked_alone(same);
    if (same) repeating |= bit(me);
    if (same || ++look.times >= kLooksAlike) {
      spinning |= bit(me);
      guessed |= !same;
    }
    return;
  }
  thread.looks[thread.next_look++ % Thread::kLooks] = {key, version, 0, 0};
}

// Nobody is left who could change what it looks at.
void Execution::looked_alone(bool same) {
  if (!same) lone_repeats = 0;
  else if (++lone_repeats > kRepeatedRounds) {
    arrive();
    end_stuck(FindingKind::livelock, "the only thread left goes round in a loop for ever");
  }
  // A loop that counts may end some day: that is not known.
  if (lone_looks > kIdleRounds * kLooksAlike) give_up(Outcome::cut);
}

bool Execution::join(int number, bool is_timed, const void* pc) {
  Thread& thread = threads[number];
  const bool ended = stand({address_of(thread), 1, Touch::acquire}, &thread, 0,
                           thread.state == State::ended, is_timed, pc);
  if (ended) --unjoined;
  note("join");
  if (ended && options.races) races.acquire(me, &thread);
  return ended;
}

void Execution::join_group(const int* group, const void* pc) {
  stand({}, group, 0, *group == 0, false, pc);
  for (int t = 0; t < made; ++t) {
    if (threads[t].group != group) continue;
    --unjoined;
    if (options.races) races.thread_joined(t, me);
  }
}

int Execution::choose(int count, int cost) {
  lone_looks = 0;  // what it looked at may not be all that its loop depends on
  return count <= 1 ? 0 : strategy->choose_value(count, cost);
}

// --- operations ----------------------------------------------------------------------------------

void Execution::log(Event event) {
  if (!options.record) return;
  if (event_count == kEvents) give_up(Outcome::cut);
  events[event_count++] = event;
}

// Whether all that has to be over before is.
bool Execution::may_call(std::uint16_t operation) const {
  static_assert(Matrix::kCells <= 64 * std::tuple_size_v<decltype(over)>);
  const Matrix& matrix = board->matrix;
  for (int i = 0; i < matrix.pairs; ++i) {
    const auto [cell, after] = matrix.order[static_cast<std::size_t>(i)];
    if (cell == operation && (over[after / 64] & bit(after % 64)) == 0) return false;
  }
  return true;
}

void Execution::call(std::uint16_t operation) {
  Thread& thread = self();
  thread.operation = operation;
  if (options.serial) {
    between |= bit(me);
    const bool can = may_call(operation);
    stand({}, can ? nullptr : &board->matrix, 0, can, false, __builtin_return_address(0));
    between &= ~bit(me);
  }
  thread.in_operation = true;
  thread.called = false;
}

void Execution::takes_effect(const void* pc) {
  if (self().in_operation && !self().called) point({}, pc);
}

void Execution::returned(std::uint64_t value) {
  Thread& thread = self();
  // An operation that touched nothing still happens at some time.
  takes_effect(__builtin_return_address(0));
  thread.in_operation = false;
  log({false, me, thread.operation, value});
  if (options.serial && board->matrix.pairs > 0) {
    over[thread.operation / 64] |= bit(thread.operation % 64);
    refresh(&board->matrix, [this](const Thread& other) { return may_call(other.operation); });
  }
  if (step_open && step.thread == me) step.returns = true;
}

// --- ends ----------------------------------------------------------------------------------------

void Execution::give_up(Outcome why) {
  if (why == Outcome::done && options.leaks && heap.live() > 0) {
    Text text;
    text << heap.live() << (heap.live() == 1 ? " block is" : " blocks are") << " never freed";
    fail(FindingKind::leak, text.c_str());
  }
  outcome = why;
  if (why == Outcome::done) strategy->ended(0, {next.data(), static_cast<std::size_t>(made)});
  switch_fiber(*self().fiber, explorer_);
  __builtin_unreachable();
}

void Execution::find(FindingKind kind, const char* text, const void* address, std::uint32_t size,
                     const void* pc, const Place* there) {
  finding = {};
  finding.kind = kind;
  for (std::size_t i = 0; i + 1 < sizeof finding.text && text[i] != 0; ++i)
    finding.text[i] = text[i];
  finding.address = address;
  finding.size = size;
  finding.here = options.tracing ? unwound() : place(me, pc);
  if (there != nullptr) finding.there = *there;
}

void Execution::fail(FindingKind kind, const char* text, const void* address, std::uint32_t size,
                     const void* pc, const Place* there) {
  find(kind, text, address, size, pc, there);
  plumb_finding();
  give_up(Outcome::finding);
}

Place Execution::place(int number, const void* pc) const {
  Place result;
  const Thread& thread = threads[number];
  result.thread = number;
  if (pc != nullptr) result.pc[result.depth++] = pc;
  for (int i = thread.depth; i-- > 0 && result.depth < Place::kMost;)
    result.pc[result.depth++] = thread.calls[i];
  return result;
}

}  // namespace plumb::runtime
