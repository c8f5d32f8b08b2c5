// SPDX-License-Identifier: MIT
// Source-set dynamic partial-order reduction with sleep sets: Abdulla, Aronis, Jonsson, Sagonas,
// "Optimal dynamic partial order reduction" (POPL 2014), algorithm 1; names as there. Many
// schedules differ only in the order of steps that do not depend on each other. Such schedules are
// one Mazurkiewicz trace, and one of them is enough, if nothing that one looks for differs between
// them.
//
// Why no maximal history is lost. We look for histories: results, and which operation returned
// before which was called.
//   Lemma 1 (domination). Of two histories with the same results, if the order of one is contained
//   in the order of the other, and the other is linearizable, then so is the one. So only histories
//   with maximal order matter. Lemma 2 (gluing). A call touches no shared memory. Moved right, up
//   to the first access of its operation, it only adds to the order, and changes no result; a
//   return moved left, up to just after the last access, likewise. So the maximal histories are
//   among those in which a step is [call+] access [+return], which are all that the explorer ever
//   runs. Lemma 3 (dependence). Call two steps dependent if they are of one thread, if their
//   accesses conflict, or if one carries a return and the other a call. Exchanging two neighbours
//   that are not dependent changes no result, and no order of a return and a call. So all
//   executions of a trace have the same history, and one execution per trace shows every history of
//   glued steps, the maximal ones among them.
// With conflicts alone (memory_only), a trace has several histories, and bugs are missed.
//
// How. Each step gets a vector clock: which steps happen before it. Two dependent steps race if the
// one happens before the other, with no third one between them. To reverse the race of `first` and
// `second`, the search must begin, where it stood before `first`, with a thread that can come first
// in v = (all that came after `first` without happening after it), then `second`: an *initial* of
// v. If none of them is in the backtrack set there (by then a source set), one is put into it. When
// a thread has been explored from somewhere, it *sleeps* there until a step is taken that depends
// on its own: what it could do before that has been seen. If all that could run sleep, the
// execution is pruned.
//
// Threads of a backtrack set are explored in the order in which they came into it. Which one is
// next is then known while another one is explored, so that the two can be explored at the same
// time (dpor_split.cpp).
//
// A step is judged by what it was, not by what it might have been: a compare-and-swap that failed
// is a read. A sleeping thread's next step cannot have changed its nature as long as nothing
// dependent happened.
//
// Locks. Taking a lock after another thread gave it back is ordered after that, but to exchange the
// two is impossible: what can be reversed is which of the two took the lock first. So the clock of
// the release is set aside (`forced`) while races are looked for. Whatever it covers cannot come
// after the step either, whether it depends on it or not, except by way of the other acquire, which
// is the race. (To try a lock with success is a write, and takes it as well.) A thread that waits
// for a lock when all is over, or pruned, has a race with who took it; only with that one, since it
// has neither called nor returned.
//
// What else can be taken only at times (a semaphore, a lock for readers and writers), or can run
// out of time, is a step that `blocks`. Between it and the step that was in its way before lies the
// one that let it pass, which need not have been necessary: a semaphore may have been free, the
// time may have run out before. So all that it conflicts with are its races, whether something lies
// between or not; some of these reversals show nothing new. That a wait can run out needs no other
// care: where nothing ends it, nothing else is left in the end, and who ends it is a race.
//
// A step that comes before its race may do something else: a compare-and-swap that failed succeeds,
// an operation returns. Then it depends on steps with which it can be exchanged as it is. If such a
// step came before it, the reversal knows (`possible`). If it comes later, the race is reversed
// again (late_races), with that step in v: else `second` would be mistaken for an initial of all
// that is to be seen, and be asleep there, while in what is to be seen it comes after that step.
//
// Values, and a wait that may run out, are alternatives of one thread: all of them are explored,
// and a thread sleeps only after all of them, with the accesses of all.
//
// The stack keeps steps and clocks, so that a prefix that is run again is not looked at again. To
// find the races of a new step, and to reverse one, takes a pass over the execution if that is
// short; in longer ones an index finds the few steps that matter (dpor_index.cpp), so that a step
// costs about the same in an execution of a hundred steps and in one of ten thousand.
#include "explore/dpor.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "explore/dependent.hpp"
#include "explore/dpor_stack.hpp"

namespace plumb::explore {

namespace {

bool same_access(const Access& a, const Access& b) {
  return a.address == b.address && a.size == b.size && a.touch == b.touch;
}

bool same_step(const Step& a, const Step& b) {
  if (a.thread != b.thread || a.calls != b.calls || a.returns != b.returns ||
      a.everything != b.everything || a.count != b.count)
    return false;
  for (int i = 0; i < a.count; ++i)
    if (!same_access(a.accesses[i], b.accesses[i])) return false;
  return true;
}

// What one of the two does.
Step either(Step a, const Step& b) {
  a.calls |= b.calls;
  a.returns |= b.returns;
  a.everything |= b.everything;
  for (int k = 0; k < b.count; ++k) {
    const Access& access = b.accesses[k];
    bool known = false;
    for (int i = 0; i < a.count && !known; ++i) {
      known = a.accesses[i].address == access.address && a.accesses[i].size == access.size;
      if (known && access.touch != Touch::read) a.accesses[i].touch = access.touch;
    }
    if (known) continue;
    if (a.count < a.accesses.size()) a.accesses[a.count++] = access;
    else a.everything = true;
  }
  return a;
}

// Taking and releasing a lock gives no information to the thread that does it.
bool only_locks(const Step& step) {
  for (int i = 0; i < step.count; ++i)
    if (step.accesses[i].touch == Touch::read || step.accesses[i].touch == Touch::write)
      return false;
  return !step.everything;
}

}  // namespace

namespace {
std::size_t dpor_stack_at(std::uint32_t capacity) {
  return (sizeof(DporHead) + capacity + 7) / 8 * 8;
}
}  // namespace

std::size_t Dpor::room(const DporOptions& options) {
  return dpor_stack_at(options.depth) + sizeof(Action) + kMaxThreads * sizeof(Sleeper);
}

std::uint64_t Dpor::first_entry() const { return dpor_stack_at(head_->capacity); }

Dpor::Dpor(const DporOptions& options, std::span<std::byte> memory)
    : FlatStrategy(nullptr, nullptr), head_(new (memory.data()) DporHead) {
  head_->version = kStateVersion;
  head_->kind = Kind::dpor;
  head_->capacity = options.depth;
  head_->memory_only = options.memory_only;
  head_->index_from = options.index_from;
  head_->top = head_->cursor = dpor_stack_at(options.depth);
  head_->magic = kStateMagic;
  *this = Dpor(memory);
}

Dpor::Dpor(std::span<std::byte> memory)
    : FlatStrategy(reinterpret_cast<StateHead*>(memory.data()),
                   reinterpret_cast<std::uint8_t*>(memory.data()) + sizeof(DporHead)),
      head_(reinterpret_cast<DporHead*>(memory.data())),
      size_(std::min<std::size_t>(memory.size(), UINT32_MAX)), memory_(size_) {
  if (head_->reports > head_->top) size_ = std::min(size_, head_->reports);
}

template <class E>
E* Dpor::push(std::size_t bytes) {
  const std::size_t end = is_indexed_ ? head_->nodes : size_;
  if (head_->position >= head_->capacity || head_->top + bytes > end) {
    stop(Phase::overflow);
    return nullptr;
  }
  E* const made = new (reinterpret_cast<std::byte*>(head_) + head_->top) E;
  made->previous = head_->top_entry;
  made->size = static_cast<std::uint32_t>(bytes);
  head_->top_entry = head_->top;
  head_->cursor = head_->top += bytes;
  ++head_->depth;
  return made;
}

int Dpor::choose(const Point& point) {
  if (stopped()) return kPrune;
  if (head_->cursor == head_->top) return explore_new(point);
  const Entry& here = entry(head_->cursor);
  if (here.is_value)
    return diverge(Divergence::question, static_cast<const Value&>(here).count, point.enabled);
  const auto& node = static_cast<const Action&>(here);
  if (node.enabled != point.enabled)
    return diverge(Divergence::enabled, node.enabled, point.enabled);
  if (node.current != point.current)
    return diverge(Divergence::current, static_cast<std::uint64_t>(node.current),
                   static_cast<std::uint64_t>(point.current));
  const std::uint64_t offset = head_->cursor;
  head_->cursor += node.size;
  return begin_step(offset, point);
}

int Dpor::begin_step(std::uint64_t offset, const Point& point) {
  head_->running = offset;
  ++head_->position;
  Action& node = action(offset);
  if (offset != head_->last_action) return node.chosen;
  const int thread = node.thread();
  node.step = Step{};
  if (static_cast<std::size_t>(thread) < point.next.size()) node.step = point.next[thread];
  else node.step.everything = true;
  // The wait runs out because another thread has the lock, which might have come later.
  if (node.chosen >= kTimeout && !(point.enabled >> thread & 1))
    wait_for_locks(1u << thread, point.next, node.previous_action);
  return node.chosen;
}

int Dpor::explore_new(const Point& point) {
  // Who slept before the last step, and does not depend on it, sleeps on.
  Action* const before = head_->last_action ? &action(head_->last_action) : nullptr;
  const auto sleeps_on = [&](const Sleeper& sleeper) {
    return sleeper.action % kTimeout != before->thread() && !related(sleeper.step, before->step);
  };
  std::uint64_t asleep = 0;
  for (std::uint32_t i = 0; before && i < before->sleepers; ++i)
    if (sleeps_on(before->sleeper()[i])) asleep |= bit_of(before->sleeper()[i].action);
  const std::uint64_t awake = point.enabled & ~asleep;
  if (awake == 0) {
    // Whoever waits for a lock here need not come to it elsewhere, where the others are awake.
    wait_for_locks(~static_cast<std::uint32_t>(point.enabled), point.next, head_->last_action);
    return stop(Phase::pruned);
  }

  const int most = std::popcount(asleep) + std::popcount(awake);
  auto* const node =
      push<Action>(sizeof(Action) + static_cast<std::size_t>(most) * sizeof(Sleeper));
  if (!node) return kPrune;
  node->is_value = 0;
  node->previous_action = head_->last_action;
  node->enabled = point.enabled;
  node->current = point.current;
  node->chosen =
      point.current >= 0 && awake >> point.current & 1 ? point.current : std::countr_zero(awake);
  node->backtrack = actions_of_threads(bit_of(node->chosen)) & point.enabled;
  node->asleep = node->tried = node->outer = 0;
  node->sleepers = node->explored = node->queued = 0;
  for (std::uint32_t i = 0; before && i < before->sleepers; ++i)
    if (sleeps_on(before->sleeper()[i]))
      node->put_to_sleep(before->sleeper()[i].action, before->sleeper()[i].step);

  head_->last_action = head_->top_entry;
  choices_[head_->position] = static_cast<std::uint8_t>(node->chosen);
  return begin_step(head_->top_entry, point);
}

int Dpor::choose_value(int count, int) {
  if (stopped()) return 0;
  const auto values = static_cast<std::uint32_t>(std::min(count, kMaxValues));
  if (head_->cursor == head_->top) {
    head_->overflows += count > kMaxValues;
    auto* const node = push<Value>(sizeof(Value));
    if (!node) return 0;
    node->is_value = 1;
    node->count = values;
    choices_[head_->position++] = kValue;
    return 0;
  }
  const Entry& here = entry(head_->cursor);
  if (!here.is_value) {
    diverge(Divergence::question, static_cast<const Action&>(here).enabled, values);
    return 0;
  }
  if (static_cast<const Value&>(here).count != values) {
    diverge(Divergence::count, static_cast<const Value&>(here).count, values);
    return 0;
  }
  head_->cursor += here.size;
  return choices_[head_->position++] - kValue;
}

void Dpor::taken(const Step& step) {
  if (head_->running == 0) return;
  const std::uint64_t offset = head_->running;
  if (offset == head_->last_action) {  // it, or a value in it, is new
    executed(step);
  } else if (const Action& node = action(offset); same_step(node.step, step)) {
    head_->last[node.thread()] = offset;
  } else {
    const Access &recorded = node.step.accesses[0], &seen = step.accesses[0];
    diverge(Divergence::step, recorded.address, seen.address);
  }
  head_->running = 0;
}

void Dpor::executed(const Step& step) {
  Action& node = action(head_->last_action);
  const int thread = node.thread();
  const bool timed = node.enabled >> (thread + kTimeout) & 1;
  Step possible = either(node.step, step);
  const Step did = timed ? possible : step;
  possible.returns |= timed || step.blocks || !only_locks(step);
  node.step = step;
  node.possible = possible;
  node.any = node.explored++ == 0 ? did : either(node.any, did);
  head_->threads |= 1u << thread;
  node.previous_own = head_->last[thread];
  const Past past = races({step, possible, node.chosen, node.previous_own, node.previous_action});
  node.clock = past.clock;
  node.has_races = past.conflicts;
  if (++node.clock.at[thread] == INT16_MAX) stop(Phase::overflow);
  late_races(head_->last_action);
  head_->last[thread] = head_->last_action;
}

void Dpor::ended(std::uint32_t waiting, std::span<const Step> next) {
  if (stopped()) return;
  if (head_->cursor != head_->top) {
    diverge(Divergence::early, head_->depth, head_->position);
    return;
  }
  wait_for_locks(waiting, next, head_->last_action);
  stop(Phase::ended);
}

bool Dpor::advance() {
  // A crash in a step: the step counts as what was foreseen.
  if (!stopped() && head_->running != 0 && head_->running == head_->last_action)
    executed(Step(action(head_->running).step));
  account();
  restart();
  return find_next(false);
}

// Actions of the chosen thread that are still to be explored.
std::uint64_t Dpor::left_of_thread(const Action& node) {
  const std::uint64_t tried = node.tried | bit_of(node.chosen);
  return node.enabled & actions_of_threads(tried) & ~node.asleep & ~tried;
}

// Of the threads that wait to be explored, the one that came first.
std::uint64_t Dpor::next_of(const Action& node) {
  const std::uint64_t rest = node.backtrack & ~node.asleep & ~node.tried;
  for (std::uint32_t i = 0; i < node.queued; ++i)
    if (const std::uint64_t found = rest & actions_of_threads(bit_of(node.queue[i]))) return found;
  return rest;
}

// The chosen thread is explored.
void Dpor::sleep_all(Action& node) {
  if (node.explored == 0) node.any.everything = true;
  for (std::uint64_t rest = node.tried; rest != 0; rest &= rest - 1)
    node.put_to_sleep(std::countr_zero(rest), node.any);
  node.tried = 0;
  node.explored = 0;
}

// `is_explored`: of the last choice this is known, and noted.
bool Dpor::find_next(bool is_explored) {
  const auto pop = [&] {
    is_explored = false;
    const Entry& gone = entry(head_->top_entry);
    if (!gone.is_value) forget_action(head_->top_entry);
    head_->top = head_->top_entry;
    if (!gone.is_value) head_->last_action = static_cast<const Action&>(gone).previous_action;
    head_->top_entry = gone.previous;
    --head_->depth;
  };
  for (; head_->top_entry != 0; pop()) {
    Entry& here = entry(head_->top_entry);
    if (here.is_value) {
      std::uint8_t& value = choices_[head_->depth - 1];
      if (value - kValue + 1u == static_cast<const Value&>(here).count) continue;
      ++value;
    } else {
      auto& node = static_cast<Action&>(here);
      std::uint64_t rest = is_explored ? 0 : left_of_thread(node);
      if (!is_explored) node.tried |= bit_of(node.chosen);
      if (rest == 0) {
        if (!is_explored) sleep_all(node);
        if (!is_explored && head_->top_entry == head_->stop_at) return finish(), false;
        rest = next_of(node);
      }
      if (rest == 0) continue;
      node.chosen = std::countr_zero(rest);
      choices_[head_->depth - 1] = static_cast<std::uint8_t>(node.chosen);
    }
    forget_action(head_->last_action);  // it will be another step
    return true;
  }
  head_->phase = Phase::exhausted;
  return false;
}

void Dpor::restart() {
  head_->running = 0;
  std::fill(std::begin(head_->last), std::end(head_->last), 0);
  head_->cursor = first_entry();
}

// The whole execution so far stands in the stack. It is followed up to its last action, whose step
// is then judged again: to find the same races a second time adds nothing.
bool Dpor::rewind() {
  is_indexed_ = false;
  restart();
  return reopen();
}

}  // namespace plumb::explore
