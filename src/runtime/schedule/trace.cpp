// SPDX-License-Identifier: MIT
#include "runtime/schedule/trace.hpp"

#include <unwind.h>

#include "runtime/base/bytes.hpp"
#include "runtime/base/own_code.hpp"
#include "runtime/schedule/execution.hpp"
#include "runtime/schedule/holders.hpp"

namespace plumb::runtime {
namespace {

constinit Holders holders;

TraceStep* last_line() {
  const std::uint32_t count = execution.board->result.trace_count;
  return count == 0 ? nullptr : execution.board->trace() + count - 1;
}

std::uint64_t block_of(std::uint64_t address) {
  return reinterpret_cast<std::uint64_t>(
      execution.memory.heap.block_around(reinterpret_cast<const void*>(address)));
}

std::uint64_t value_at(const void* address, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size && i < sizeof value; ++i) {
    value |= std::uint64_t{static_cast<const std::uint8_t*>(address)[i]} << (8 * i);
  }
  return value;
}

// Will it still be mapped?
bool stays(const void* address) {
  if (Heap::contains(address) || execution.memory.snapshot.covers(address)) return true;
  for (int t = 0; t < execution.threads.made; ++t) {
    const Fiber* const fiber = execution.threads[t].fiber;
    if (fiber != nullptr && static_cast<std::size_t>(static_cast<const std::byte*>(address) -
                                                     fiber->stack) < kStackBytes)
      return true;
  }
  return false;
}

// What a plain write wrote is there when the next step is noted: no other thread ran in between.
void complete_write() {
  TraceStep* const line = last_line();
  if (line == nullptr || !line->is_open) return;
  line->is_open = false;
  const auto* const address = reinterpret_cast<const void*>(line->address);
  if (!stays(address)) return;
  line->has_values = true;
  line->after = value_at(address, line->size);
  line->after_block = block_of(line->after);
}

TraceStep* next_line() {
  complete_write();
  SearchResult& result = execution.board->result;
  if (result.trace_count == Board::kTraceSteps) {
    ++result.trace_dropped;
    return nullptr;
  }
  TraceStep* const line = execution.board->trace() + result.trace_count++;
  *line = {};
  line->thread = execution.threads.me;
  line->events = execution.events.count();
  return line;
}

void name(TraceStep& line, const char* what) {
  std::size_t i = 0;
  for (; i + 1 < sizeof line.what && what[i] != 0; ++i) line.what[i] = what[i];
  line.what[i] = 0;
}

void find_blocks(TraceStep& line) {
  const std::uint64_t in_threads =
      line.address - reinterpret_cast<std::uint64_t>(&execution.threads[0]);
  if (in_threads < kMaxThreads * sizeof(Thread))
    line.other_thread = static_cast<std::int8_t>(in_threads / sizeof(Thread));
  line.block = block_of(line.address);
  const auto* const block = reinterpret_cast<const void*>(line.block);
  line.is_freed = block != nullptr && execution.memory.heap.shadow(block) == Heap::freed;
  line.block_bytes = block == nullptr ? 0 : Heap::size(block);
  line.before_block = block_of(line.before);
  line.after_block = block_of(line.after);
}

// A futex's queue has the address of its word, but for this (futex_hooks.cpp).
std::uint64_t of_object(std::uint64_t address) { return address & ~(std::uint64_t{1} << 63); }

// Where a signal handler returns to: `mov $15, %rax; syscall`.
bool ends_handler(const void* pc) {
  constexpr unsigned char kCode[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
  return equal_bytes(pc, kCode, sizeof kCode);
}

struct Unwound {
  Place place;
  std::uint64_t* stack;  // null: not wanted
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) {
  auto& [result, stack] = *static_cast<Unwound*>(argument);
  int is_interrupted = 0;
  const std::uintptr_t at = _Unwind_GetIPInfo(context, &is_interrupted);
  if (at == 0 || result.depth == Place::kMost) return _URC_END_OF_STACK;
  // A return address, also of a breakpoint (unseen/unseen.cpp), which is no call.
  const auto* const pc = reinterpret_cast<const void*>(at + (is_interrupted != 0 ? 1 : 0));
  if (result.depth == 0 && (is_own_code(pc) || ends_handler(reinterpret_cast<const void*>(at))))
    return _URC_NO_REASON;
  // At this moment, the canonical frame address is still that of the function that was called.
  if (stack != nullptr) stack[result.depth] = _Unwind_GetCFA(context);
  result.pc[result.depth++] = pc;
  return _URC_NO_REASON;
}

Place unwound(std::uint64_t* stack) {
  Unwound result{{}, stack};
  result.place.thread = execution.threads.me;
  execution.running = false;  // the unwinder locks and allocates
  _Unwind_Backtrace(&add_frame, &result);
  execution.running = true;
  return result.place;
}

}  // namespace

Place unwound() { return unwound(nullptr); }

void Tracer::add_point(const Step& step) {
  TraceStep* const line = next_line();
  if (line == nullptr) return;
  line->is_point = true;
  line->place = unwound(line->stack.data());
  // That a thread was made before it runs is not worth a word.
  if (step.count > 0 &&
      step.accesses[0].address != reinterpret_cast<std::uint64_t>(&execution.self())) {
    line->address = of_object(step.accesses[0].address);
    line->size = step.accesses[0].size;
    switch (step.accesses[0].touch) {
      case Touch::read: name(*line, "read"); break;
      case Touch::write: name(*line, "write"); break;
      case Touch::acquire: name(*line, "acquire"); break;
      case Touch::release: name(*line, "release"); break;
    }
    find_blocks(*line);
  }
}

Place Tracer::note_stack() {
  TraceStep line{};
  line.place = unwound(line.stack.data());
  if (execution.threads.me == 0) {
    TraceStep* const kept = next_line();
    if (kept != nullptr) kept->place = line.place, kept->stack = line.stack;
  }
  return line.place;
}

void Tracer::add_object(const void* object, const void* maker) {
  SearchResult& result = execution.board->result;
  result.object = {object, maker, result.trace_count};
}

void Tracer::forget_holders() { holders.reset(); }

void Tracer::add_holder(const void* lock, bool shared) {
  holders.add(lock, execution.threads.me, shared);
}

void Tracer::remove_holder(const void* lock) { holders.remove(lock, execution.threads.me); }

// Which threads wait forever, and for what. They are not running, so what the hooks know of their
// calls must do.
void Tracer::add_waiting(std::uint32_t waiting) {
  const ThreadTable& threads = execution.threads;
  for (int t = 0; t < threads.made; ++t) {
    if (threads[t].state == ThreadState::ready)
      execution.board->result.spinning |= std::uint32_t{1} << t;
    if ((waiting >> t & 1) == 0) continue;
    TraceStep* const line = next_line();
    if (line == nullptr) return;
    line->thread = static_cast<std::uint8_t>(t);
    line->is_point = true;
    line->place = threads[t].stands_at;
    const Step& next = threads.next[static_cast<std::size_t>(t)];
    line->address = next.count > 0 ? of_object(next.accesses[0].address) : 0;
    name(*line, "waits for");
    line->kind = TraceStep::Kind::waits;
    line->waits_for = threads[t].want;
    const Holders::Of held = holders.of(threads[t].waits_for);
    line->held_by = held.threads;
    line->held_shared = held.shared;
    find_blocks(*line);
  }
}

void Tracer::add_name(const char* what) {
  TraceStep* const line = last_line();
  if (line != nullptr && line->is_point && line->thread == execution.threads.me &&
      !line->has_values)
    name(*line, what);
}

void Tracer::add_values(const char* what, TraceStep::Kind kind, const void* address,
                        std::uint32_t size, int order, std::uint64_t before, std::uint64_t after,
                        bool failed) {
  complete_write();
  TraceStep* line = last_line();
  // Alone, a thread has passed its point without a choice.
  if (line == nullptr || !line->is_point || line->thread != execution.threads.me ||
      line->has_values || line->address != reinterpret_cast<std::uint64_t>(address)) {
    line = next_line();
  }
  if (line == nullptr) return;
  name(*line, what);
  line->kind = kind;
  line->address = reinterpret_cast<std::uint64_t>(address);
  line->size = size;
  line->order = static_cast<std::int8_t>(order);
  line->before = before;
  line->after = after;
  line->failed = failed;
  line->has_values = true;
  line->place = unwound(line->stack.data());
  find_blocks(*line);
}

// The hook comes before the access, so what a write will write is not known yet.
void Tracer::add_plain(const void* address, std::size_t size, bool write) {
  complete_write();
  TraceStep* line = last_line();
  const bool is_its_point = line != nullptr && line->is_point &&
                            line->thread == execution.threads.me && !line->has_values &&
                            line->address == reinterpret_cast<std::uint64_t>(address) &&
                            (line->what[0] == 'r' || line->what[0] == 'w') && line->what[3] != 'e';
  if (!is_its_point) { line = next_line(); }
  if (line == nullptr) return;
  name(*line, write ? "write" : "read");
  line->kind = write ? TraceStep::Kind::writes : TraceStep::Kind::reads;
  line->address = reinterpret_cast<std::uint64_t>(address);
  line->size = static_cast<std::uint32_t>(size);
  line->has_values = !write && size <= 8;
  line->is_open = write && size <= 8;
  line->before = line->after = line->has_values ? value_at(address, size) : 0;
  line->place = unwound(line->stack.data());
  find_blocks(*line);
}

// The other side of a race, perhaps; who frees is mostly the C++ library, so its calls matter.
void Tracer::add_free(const void* block, std::size_t size) {
  TraceStep* const line = next_line();
  if (line == nullptr) return;
  name(*line, "free");
  line->address = reinterpret_cast<std::uint64_t>(block);
  line->size = static_cast<std::uint32_t>(size);
  line->place = unwound(line->stack.data());
  find_blocks(*line);
}

}  // namespace plumb::runtime
