// SPDX-License-Identifier: MIT
// The side of the process under test: execution after execution, until nothing is left or something
// is found.
#include "runtime/search.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "explore/make.hpp"
#include "explore/replay.hpp"
#include "runtime/base/hashes.hpp"
#include "runtime/base/text.hpp"
#include "runtime/crashes.hpp"
#include "runtime/hooks/self_check.hpp"
#include "runtime/object_body.hpp"
#include "runtime/schedule/execution.hpp"
#include "runtime/unseen/unseen.hpp"

namespace plumb::runtime {
namespace {

Board* current_board = nullptr;
int current_pipe = -1;

void explain(const std::string& message) { current_board->result.set_broken(message.c_str()); }

int note_module(dl_phdr_info* info, std::size_t, void* argument) {
  auto& list = *static_cast<ModuleList*>(argument);
  if (list.count == ModuleList::kMost) return 1;
  std::uintptr_t end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD) end = info->dlpi_addr + segment.p_vaddr + segment.p_memsz;
  }
  Module& module = list.modules[list.count++];
  module.base = info->dlpi_addr;
  module.end = end;
  // The program itself has no name here.
  if (info->dlpi_name == nullptr || info->dlpi_name[0] == 0) {
    const ssize_t length = readlink("/proc/self/exe", module.path, sizeof module.path - 1);
    module.path[length < 0 ? 0 : length] = 0;
  } else {
    std::strncpy(module.path, info->dlpi_name, sizeof module.path - 1);
  }
  return 0;
}

// Sites as a replay command has them: the addresses of modules may be others than they were.
void add_points(const Board& board) {
  const std::string_view all = board.command.points;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t comma = std::min(all.find(',', at), all.size());
    const std::string_view point = all.substr(at, comma - at);
    at = comma + 1;
    const std::size_t plus = point.find_last_of('+');
    if (plus == point.npos) continue;
    const std::uintptr_t offset =
        std::strtoull(std::string(point.substr(plus + 1)).c_str(), nullptr, 16);
    for (const Module& module : board.modules.all()) {
      const std::string_view path = module.path;
      const bool is_program = &module == board.modules.all().data();
      if (plus == 0 ? is_program
                    : path.substr(path.find_last_of('/') + 1) == point.substr(0, plus)) {
        execution.sites.add(reinterpret_cast<const void*>(module.base + offset));
      }
    }
  }
}

// Of a history as it is, or, of a test of an object, of what matters in it: which operations come
// before which. Calls that follow each other may as well be exchanged, and so may returns.
std::uint64_t history_hash(bool stuck, bool only_order) {
  std::uint64_t hash = stuck ? 0x13198a2e03707344 : 0x243f6a8885a308d3;
  std::uint64_t run = 0;
  const std::span<const OperationEvent> events = execution.events.all();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const OperationEvent& event = events[i];
    std::uint64_t one = (std::uint64_t{event.operation} << 16 | event.thread << 1 | event.is_call) +
                        event.value * 0xd6e8feb86659fd93;
    one *= 0x9e3779b97f4a7c15;
    run += one ^ one >> 32;
    const bool ends =
        i + 1 == events.size() || !only_order || events[i + 1].is_call != event.is_call;
    if (!ends) continue;
    hash = (hash ^ run) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
    run = 0;
  }
  return hash;
}

void write_all(int pipe, const void* data, std::size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = write(pipe, at, size);
    if (n <= 0) _exit(0);  // nobody watches any more
    at += n;
    size -= static_cast<std::size_t>(n);
  }
}

void send(int pipe, bool stuck, std::uint64_t hash, std::span<const std::uint8_t> schedule) {
  RecordHead head;
  head.hash = hash;
  head.events = static_cast<std::uint32_t>(execution.events.count());
  head.choices = static_cast<std::uint32_t>(schedule.size());
  head.stuck = stuck ? 1 : 0;
  head.number = current_board->result.progress.executions.load(std::memory_order_relaxed);
  head.compared = current_board->result.compared;
  // Together, since most histories are short and a call takes longer than they do.
  const std::span<const OperationEvent> events = execution.events.all();
  const iovec parts[] = {{&head, sizeof head},
                         {const_cast<OperationEvent*>(events.data()), events.size_bytes()},
                         {const_cast<std::uint8_t*>(schedule.data()), schedule.size()}};
  const ssize_t written = writev(pipe, parts, 3);
  if (written < 0) _exit(0);  // nobody watches any more
  auto done = static_cast<std::size_t>(written);
  for (const iovec& part : parts) {
    const std::size_t skipped = std::min(done, part.iov_len);
    write_all(pipe, static_cast<const char*>(part.iov_base) + skipped, part.iov_len - skipped);
    done -= skipped;
  }
}

void publish_sites(Board& board) {
  board.sites.clear();
  execution.sites.for_each([&board](const void* pc) { board.sites.add(pc); });
}

void wait_while_paused(Board& board) {
  board.result.progress.paused = true;
  while (board.command.pause) usleep(20);
  board.result.progress.paused = false;
}

// The code did not do again what it did under the same choices. Where it was noticed is the first
// step that differs, or soon after it.
void explain_divergence(const explore::FlatStrategy& strategy) {
  using explore::Divergence;
  const Divergence& divergence = strategy.divergence();
  Text text;
  text << "under the same schedule, at choice " << divergence.position << ", ";
  switch (divergence.what) {
    case Divergence::enabled: text << "other threads could run"; break;
    case Divergence::current: text << "another thread had run"; break;
    case Divergence::question: text << "another kind of choice was needed"; break;
    case Divergence::count: text << "a choice had another number of values"; break;
    case Divergence::step: text << "the step touched other memory"; break;
    case Divergence::early: text << "the execution was already over"; break;
    case Divergence::choice: text << "what the schedule says was impossible"; break;
    case Divergence::nothing: break;
  }
  Finding& finding = execution.finding;
  finding = {};
  finding.kind = FindingKind::divergence;
  finding.here = execution.place(execution.threads.me, execution.self().pc);
  finding.set_text(text.c_str());
}

// What libraries do only once in a process shall not be part of the first execution.
void warm_up() {
  // A buffer that the C library allocates at the first output would lie on a heap that is emptied.
  static char buffers[2][1 << 16];
  std::setvbuf(stdout, buffers[0], _IOFBF, sizeof buffers[0]);
  std::setvbuf(stdin, buffers[1], _IOFBF, sizeof buffers[1]);
  try {
    throw 0;
  } catch (int) {}
}

bool is_debugged() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("TracerPid:")) return line.find_first_of("123456789") != line.npos;
  }
  return false;
}

// The stack of who asked for the exploration, from a place in it to its end: what the body uses of
// it by reference is put back. Only of the first thread: those of others hold what the system
// writes to.
void watch_stack(const void* from) {
  std::ifstream maps("/proc/self/maps");
  const auto begin = reinterpret_cast<std::uintptr_t>(from);
  for (std::string line; std::getline(maps, line);) {
    char* at = nullptr;
    const std::uintptr_t low = std::strtoull(line.c_str(), &at, 16);
    const std::uintptr_t high = std::strtoull(at + 1, nullptr, 16);
    if (begin >= low && begin < high && line.ends_with("[stack]"))
      execution.memory.pages.watch(begin, high);
  }
}

// All that an execution finds, and that must be as it was before.
void keep_all(const void* stack) {
  execution.memory.pages.begin(is_debugged());
  execution.memory.snapshot.take(execution.memory.pages);
  execution.memory.heap.watch(execution.memory.pages);
  execution.memory.mappings.watch_prior(execution.memory.pages);
  watch_stack(stack);
}

void find_older_heap() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with("[heap]")) continue;
    char* end = nullptr;
    execution.memory.prior_heap.begin = std::strtoull(line.c_str(), &end, 16);
    execution.memory.prior_heap.end = std::strtoull(end + 1, nullptr, 16);
  }
}

// Beside the history: what would other checkers say of this execution?
void compare(SearchResult& result, std::span<const std::uint8_t> schedule) {
  Compared& compared = result.compared;
  const AccessLog& log = execution.memory.log;
  ++compared.executions;
  if (execution.raced) ++compared.racy;
  if (!log.is_whole()) ++compared.cut;
  const explore::ConflictGraph graph(log.accesses());
  if (!graph.has_cycle()) return;
  if (compared.cyclic++ == 0) result.first_cycle.keep(schedule);
  if (!execution.options.tracing) return;
  const std::vector<explore::Conflict> cycle = graph.shortest_cycle();
  if (cycle.size() > result.cycle.all.size()) return;
  result.cycle.count = static_cast<std::uint32_t>(cycle.size());
  std::ranges::copy(cycle, result.cycle.all.begin());
}

// What the search needs; false: it cannot begin, and the board says why.
bool prepare_search(Board& board, const explore::FlatStrategy* strategy, const std::string& error) {
  execution.options = board.command.options;
  execution.sites = {};
  execution.sites_added = execution.read_thread_id = false;
  execution.unseen = board.unseen.any();
  using CallPoints = Options::CallPoints;
  CallPoints& calls = execution.options.call_points;
  if (execution.unseen && calls == CallPoints::none) calls = CallPoints::counted;
  execution.memory.prior_heap.written = execution.spins.guessed = false;
  for (const void* const pc : board.sites.all()) execution.sites.add(pc);
  add_points(board);
  if (strategy == nullptr) return explain(error), false;
  if (execution.options.compare && !execution.memory.log.reserve())
    return explain("there is no memory to keep the accesses of an execution"), false;
  // An access that is part of a suppressed race may be part of another one as well.
  const bool goes_on = board.command.keep_going || board.suppressed.count > 0;
  execution.memory.model.want_all_races(goes_on && execution.options.race_is_bad);
  execution.shown_after = 0;
  if (strategy->head().kind == explore::Kind::replay) {
    execution.shown_after = static_cast<const explore::ReplayHead&>(strategy->head()).given;
  }
  return true;
}

// Only this process writes these.
void add_to(std::atomic<std::uint64_t>& counter, std::uint64_t n) {
  counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}

void note_remarks(Remarks& remarks) {
  if (execution.memory.prior_heap.written)
    remarks.wrote_prior_heap.store(true, std::memory_order_relaxed);
  if (execution.spins.guessed) remarks.guessed.store(true, std::memory_order_relaxed);
  if (execution.memory.heap.could_reuse())
    remarks.could_reuse.store(true, std::memory_order_relaxed);
  if (execution.read_thread_id) remarks.read_thread_id.store(true, std::memory_order_relaxed);
}

// An operation took most of the steps that an execution may have, or more choices than the strategy
// keeps. It hardly ever returns, and more executions like this one would only take time.
bool is_endless(ExecutionEnd end, const explore::FlatStrategy& strategy) {
  constexpr std::uint64_t kMany = 10'000;
  const Thread& thread = execution.self();
  if (!thread.in_operation || thread.steps < kMany || thread.steps <= execution.steps / 2)
    return false;
  return (end == ExecutionEnd::cut && execution.steps > execution.options.max_steps) ||
         strategy.head().phase == explore::Phase::overflow;
}

// Counts an execution and notes what was wrong with it. Whether the search ends with it.
bool ends_with(ExecutionEnd end, Board& board, explore::FlatStrategy& strategy) {
  SearchResult& result = board.result;
  add_to(result.progress.executions, end != ExecutionEnd::pruned);
  add_to(result.progress.steps, execution.steps);
  note_remarks(board.remarks);
  if (execution.sites_added) {
    publish_sites(board);
    result.end = SearchEnd::more_sites;
    return true;
  }
  // That a loop only waits may be known some rounds earlier where the steps are kept as well.
  const bool is_sooner = end == ExecutionEnd::finding && execution.options.tracing &&
                         strategy.divergence().what == explore::Divergence::early;
  const bool diverged = strategy.diverged() && !is_sooner;
  if (diverged) explain_divergence(strategy);
  if (diverged || end == ExecutionEnd::finding) {
    result.findings.add(execution.finding, strategy.schedule());
    if (diverged || !board.command.keep_going) {
      result.end = SearchEnd::finding;
      return true;
    }
  }
  if (end == ExecutionEnd::cut) add_to(result.progress.cut, 1);
  if (is_endless(end, strategy)) {
    Text text;
    text << text_of_operation(execution.self().operation) << " took " << execution.self().steps
         << " steps and did not return";
    result.set_end(SearchEnd::endless, text.c_str());
    result.endless = execution.place(execution.threads.me, execution.self().pc);
    return true;
  }
  if (end == ExecutionEnd::stuck) add_to(result.progress.stuck, 1);
  return false;
}

// Of an execution that came to its end: sends its history if it is new.
void note_history(Board& board, int pipe, bool stuck, Hashes& seen,
                  std::span<const std::uint8_t> schedule) {
  if (execution.options.compare) compare(board.result, schedule);
  if (execution.events.count() == 0) return;
  const bool only_order = board.command.matrix.columns > 0;
  const std::uint64_t hash = history_hash(stuck, only_order);
  const bool is_new = seen.add(hash);
  if (!is_new && !execution.options.every_history) return;
  add_to(board.result.progress.histories, 1);
  if (pipe >= 0) send(pipe, stuck, hash, schedule);
}

void search_once(Board& board, int pipe, void* (*body)(void*), void* argument) {
  std::string error;
  const std::unique_ptr<explore::FlatStrategy> strategy =
      explore::attach(board.strategy_memory(), error);
  if (!prepare_search(board, strategy.get(), error)) return;
  execution.strategy = strategy.get();
  static Hashes seen;  // histories
  if (board.command.forget) seen = {};
  const pid_t parent = getppid();
  std::uint64_t count = 0;
  // After a crash its execution is skipped. After an end from outside it is run again.
  bool more = true;
  if (board.command.resume) more = board.command.crashed ? strategy->advance() : strategy->rewind();
  while (more) {
    const ExecutionEnd end = execution.run(body, argument);
    if (ends_with(end, board, *strategy)) return;
    if (end == ExecutionEnd::done || end == ExecutionEnd::stuck)
      note_history(board, pipe, end == ExecutionEnd::stuck, seen, strategy->schedule());
    more = strategy->advance();
    if (board.command.pause.load(std::memory_order_relaxed)) wait_while_paused(board);
    // The watcher is gone: there is no reason to continue.
    if ((++count & 4095) == 0 && getppid() != parent) _exit(0);
    if (more && board.result.progress.executions.load(std::memory_order_relaxed) >=
                    board.command.max_executions.load(std::memory_order_relaxed)) {
      board.result.end = SearchEnd::limit;
      return;
    }
  }
  board.result.end = execution.memory.accesses == 0 ? SearchEnd::unhooked : SearchEnd::exhausted;
}

// Whether there is another search.
bool next_search(int pipe, int commands) {
  if (commands < 0) return false;
  RecordHead end;
  end.kind = RecordHead::Kind::end;
  write_all(pipe, &end, sizeof end);
  char go = 0;
  return read(commands, &go, 1) == 1;
}

// Apart from search(), so that what is written here is not on the pages that are put back.
__attribute__((noinline)) void search_from(const void* stack, Board& board, int pipe, int commands,
                                           void* (*body)(void*), void* argument) {
  current_board = &board;
  current_pipe = pipe;
  execution.memory.heap.begin();
  board.modules.count = 0;
  dl_iterate_phdr(&note_module, &board.modules);
  if (const char* const wrong = self_check()) return explain(wrong);
  execution.memory.heap.begin();  // the check frees, too
  execution.board = &board;
  catch_signals();
  warm_up();
  find_older_heap();
  watch_unseen_code(board.unseen.watch_all, is_debugged());
  keep_all(stack);
  do search_once(board, pipe, body, argument);
  while (next_search(pipe, commands));
}

}  // namespace

void send_name(std::uint64_t number, std::string_view text) {
  if (current_pipe < 0) return;
  RecordHead head;
  head.kind = RecordHead::Kind::name;
  head.number = number;
  head.length = static_cast<std::uint32_t>(text.size());
  write_all(current_pipe, &head, sizeof head);
  write_all(current_pipe, text.data(), text.size());
}

void search(Board& board, int pipe, int commands, void* (*body)(void*), void* argument) {
  // What follows lies on other pages than what was before.
  auto* const gap = static_cast<volatile std::byte*>(__builtin_alloca(2 * 4096));
  *gap = std::byte{};
  search_from(__builtin_frame_address(0), board, pipe, commands, body, argument);
  *gap = std::byte{1};  // so that this is no jump, but a call
}

}  // namespace plumb::runtime
