// SPDX-License-Identifier: MIT
// The side of the process under test: execution after execution, until nothing is left or something
// is found.
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
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
#include "runtime/hooks/self_check.hpp"
#include "runtime/wire/board.hpp"

namespace plumb::runtime {
namespace {

Board* current_board = nullptr;
int current_pipe = -1;

void explain(const std::string& message) {
  std::strncpy(current_board->message, message.c_str(), sizeof current_board->message - 1);
  current_board->result = Result::broken;
}

int note_module(dl_phdr_info* info, std::size_t, void* argument) {
  auto& board = *static_cast<Board*>(argument);
  if (board.module_count == Board::kModules) return 1;
  std::uintptr_t end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD) end = info->dlpi_addr + segment.p_vaddr + segment.p_memsz;
  }
  Module& module = board.modules[board.module_count++];
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
  const std::string_view all = board.points;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t comma = std::min(all.find(',', at), all.size());
    const std::string_view point = all.substr(at, comma - at);
    at = comma + 1;
    const std::size_t plus = point.find_last_of('+');
    if (plus == point.npos) continue;
    const std::uintptr_t offset =
        std::strtoull(std::string(point.substr(plus + 1)).c_str(), nullptr, 16);
    for (std::uint32_t i = 0; i < board.module_count; ++i) {
      const std::string_view path = board.modules[i].path;
      if (plus == 0 ? i == 0 : path.substr(path.find_last_of('/') + 1) == point.substr(0, plus)) {
        execution.sites.add(reinterpret_cast<const void*>(board.modules[i].base + offset));
      }
    }
  }
}

// A signal that the program under test earned is a finding. The process cannot be trusted after it:
// what was found is on the board, and the watcher starts another.
void crashed(int signal, siginfo_t* info, void*) {
  if (signal == SIGSEGV && execution.pages.wrote(info->si_addr)) return;
  if (inside()) {
    Finding finding;
    finding.kind = FindingKind::crash;
    Text text;
    text << (signal == SIGSEGV  ? "segmentation fault"
             : signal == SIGBUS ? "bus error"
             : signal == SIGFPE ? "arithmetic exception"
             : signal == SIGILL ? "illegal instruction"
                                : "signal");
    finding.address = info->si_addr;
    // The guard page below a fiber's stack.
    const auto* const stack = execution.self().fiber->stack;
    const auto* const address = static_cast<const std::byte*>(info->si_addr);
    if (signal == SIGSEGV && address < stack && address >= stack - 4096)
      text << ": the stack overflowed";
    for (std::size_t i = 0; i + 1 < sizeof finding.text && text.c_str()[i] != 0; ++i) {
      finding.text[i] = text.c_str()[i];
    }
    finding.here = execution.place(execution.me, execution.self().pc);
    current_board->add(finding, execution.strategy->schedule());
    _exit(kCrashed);
  }
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void catch_signals() {
  constexpr std::size_t kBytes = 64 * 1024;
  stack_t stack{};
  stack.ss_sp = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack.ss_size = kBytes;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = &crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
}

// Of a history as it is, or, of a test of an object, of what matters in it: which operations come
// before which. Calls that follow each other may as well be exchanged, and so may returns.
std::uint64_t history_hash(bool stuck, bool only_order) {
  std::uint64_t hash = stuck ? 0x13198a2e03707344 : 0x243f6a8885a308d3;
  std::uint64_t run = 0;
  for (int i = 0; i < execution.event_count; ++i) {
    const Event& event = execution.events[i];
    std::uint64_t one = (std::uint64_t{event.operation} << 16 | event.thread << 1 | event.is_call) +
                        event.value * 0xd6e8feb86659fd93;
    one *= 0x9e3779b97f4a7c15;
    run += one ^ one >> 32;
    const bool ends = i + 1 == execution.event_count || !only_order ||
                      execution.events[i + 1].is_call != event.is_call;
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

void send(int pipe, bool stuck, std::span<const std::uint8_t> schedule) {
  RecordHead head;
  head.events = static_cast<std::uint32_t>(execution.event_count);
  head.choices = static_cast<std::uint32_t>(schedule.size());
  head.stuck = stuck ? 1 : 0;
  head.number = current_board->executions.load(std::memory_order_relaxed);
  head.compared = current_board->compared;
  write_all(pipe, &head, sizeof head);
  write_all(pipe, execution.events.data(), head.events * sizeof(Event));
  write_all(pipe, schedule.data(), schedule.size());
}

void publish_sites(Board& board) {
  board.site_count = 0;
  execution.sites.for_each([&board](const void* pc) {
    if (board.site_count < Board::kSites) board.sites[board.site_count++] = pc;
  });
}

void wait_while_paused(Board& board) {
  board.paused = true;
  while (board.pause) usleep(20);
  board.paused = false;
}

// The code did not do again what it did under the same choices. Where it was noticed is the first
// step that differs, or soon after it.
void explain_divergence(const explore::FlatStrategy& strategy) {
  using explore::Divergence;
  const Divergence& divergence = strategy.divergence();
  Text text;
  text << "under the same schedule, at choice " << divergence.position << ", ";
  switch (divergence.what) {
    case Divergence::enabled: text << "other threads could go on"; break;
    case Divergence::current: text << "another thread had run"; break;
    case Divergence::question: text << "another kind of choice was asked for"; break;
    case Divergence::count: text << "a choice had another number of values"; break;
    case Divergence::step: text << "the step touched other memory"; break;
    case Divergence::early: text << "the execution was already over"; break;
    case Divergence::choice: text << "what the schedule says was impossible"; break;
    case Divergence::nothing: break;
  }
  text << ": the code depends on something else, such as time, addresses, or what an earlier "
          "execution left in a "
          "library or a file";
  Finding& finding = execution.finding;
  finding = {};
  finding.kind = FindingKind::divergence;
  finding.here = execution.place(execution.me, execution.self().pc);
  for (std::size_t i = 0; i + 1 < sizeof finding.text && text.c_str()[i] != 0; ++i)
    finding.text[i] = text.c_str()[i];
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
      execution.pages.watch(begin, high);
  }
}

// All that an execution finds, and that must be as it was before.
void keep_all(const void* stack) {
  execution.pages.begin(is_debugged());
  execution.snapshot.take(execution.pages);
  execution.heap.watch(execution.pages);
  watch_stack(stack);
}

void find_older_heap() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with("[heap]")) continue;
    char* end = nullptr;
    execution.older_begin = std::strtoull(line.c_str(), &end, 16);
    execution.older_end = std::strtoull(end + 1, nullptr, 16);
  }
}

}  // namespace

void Found::keep(std::span<const std::uint8_t> all) {
  too_long = all.size() > kChoices;
  choices = 0;
  if (too_long) return;
  for (const std::uint8_t choice : all) schedule[choices++] = choice;
}

void Board::add(const Finding& finding, std::span<const std::uint8_t> schedule) {
  for (std::uint32_t i = 0; i < found_count; ++i) {
    const Finding& known = found[i].finding;
    if (known.kind == finding.kind && known.here.pc[0] == finding.here.pc[0] &&
        known.there.pc[0] == finding.there.pc[0]) {
      return;
    }
  }
  if (finding.kind == FindingKind::race && knows_race(finding.here.pc[0], finding.there.pc[0]))
    return;
  if (found_count == kFound) return;
  Found& entry = found[found_count++];
  entry.finding = finding;
  entry.keep(schedule);
}

bool Board::knows_race(const void* here, const void* there) const {
  for (std::uint32_t i = 0; i < found_count; ++i) {
    const Finding& known = found[i].finding;
    if (known.kind != FindingKind::race) continue;
    const void* const a = known.here.pc[0];
    const void* const b = known.there.pc[0];
    if ((a == here && b == there) || (a == there && b == here)) return true;
  }
  return found_count == kFound;
}

namespace {

// Beside the history: what would other checkers say of this execution?
void compare(Board& board, std::span<const std::uint8_t> schedule) {
  Compared& compared = board.compared;
  ++compared.executions;
  if (execution.raced) ++compared.racy;
  if (!execution.accessed.is_whole()) ++compared.cut;
  const explore::ConflictGraph graph(execution.accessed.accesses());
  if (!graph.has_cycle()) return;
  if (compared.cyclic++ == 0) board.first_cycle.keep(schedule);
  if (!board.options.tracing) return;
  const std::vector<explore::Conflict> cycle = graph.shortest_cycle();
  if (cycle.size() > board.cycle.size()) return;
  board.cycle_count = static_cast<std::uint32_t>(cycle.size());
  std::ranges::copy(cycle, board.cycle.begin());
}

void search_once(Board& board, int pipe, void* (*body)(void*), void* argument) {
  execution.options = board.options;
  execution.sites = {};
  execution.sites_added = execution.wrote_older = execution.guessed = execution.asked_who = false;
  for (std::uint32_t i = 0; i < board.site_count; ++i) execution.sites.add(board.sites[i]);
  add_points(board);
  std::string error;
  const std::unique_ptr<explore::FlatStrategy> strategy =
      explore::attach(board.strategy_memory(), error);
  if (strategy == nullptr) return explain(error);
  execution.strategy = strategy.get();
  if (board.options.compare && !execution.accessed.reserve())
    return explain("there is no memory to keep the accesses of an execution");
  execution.races.want_all(board.keep_going && board.options.race_is_bad);
  execution.shown_after = 0;
  if (strategy->head().kind == explore::Kind::replay) {
    execution.shown_after = static_cast<const explore::ReplayHead&>(strategy->head()).given;
  }
  static Hashes seen;  // histories
  if (board.forget) seen = {};
  const bool only_order = board.matrix.columns > 0;
  const pid_t parent = getppid();
  std::uint64_t count = 0;
  // After a crash its execution is skipped. After an end from outside it is run again.
  bool more = true;
  if (board.resume) more = board.crashed ? strategy->advance() : strategy->rewind();
  while (more) {
    const Outcome outcome = execution.run(body, argument);
    board.executions.store(
        board.executions.load(std::memory_order_relaxed) + (outcome != Outcome::pruned),
        std::memory_order_relaxed);
    board.steps.store(board.steps.load(std::memory_order_relaxed) + execution.steps,
                      std::memory_order_relaxed);
    if (execution.wrote_older) board.wrote_older.store(true, std::memory_order_relaxed);
    if (execution.guessed) board.guessed.store(true, std::memory_order_relaxed);
    if (execution.heap.could_reuse()) board.could_reuse.store(true, std::memory_order_relaxed);
    if (execution.asked_who) board.asked_who.store(true, std::memory_order_relaxed);
    if (execution.sites_added) {
      publish_sites(board);
      board.result = Result::more_sites;
      return;
    }
    const bool diverged = strategy->diverged();
    if (diverged) explain_divergence(*strategy);
    if (diverged || outcome == Outcome::finding) {
      board.add(execution.finding, strategy->schedule());
      if (diverged || !board.keep_going) {
        board.result = Result::finding;
        return;
      }
    }
    if (outcome == Outcome::cut) board.cut.fetch_add(1, std::memory_order_relaxed);
    if (outcome == Outcome::stuck) board.stuck.fetch_add(1, std::memory_order_relaxed);
    const bool whole = outcome == Outcome::done || outcome == Outcome::stuck;
    if (whole && board.options.compare) compare(board, strategy->schedule());
    if (execution.event_count > 0 && whole &&
        (seen.add(history_hash(outcome == Outcome::stuck, only_order)) ||
         board.options.every_history)) {
      board.histories.fetch_add(1, std::memory_order_relaxed);
      if (pipe >= 0) send(pipe, outcome == Outcome::stuck, strategy->schedule());
    }
    more = strategy->advance();
    if (board.pause.load(std::memory_order_relaxed)) wait_while_paused(board);
    // Who watched is gone: so is the sense of going on.
    if ((++count & 4095) == 0 && getppid() != parent) _exit(0);
    if (more && board.executions.load(std::memory_order_relaxed) >= board.max_executions) {
      board.accesses = execution.accesses;
      board.result = Result::limit;
      return;
    }
  }
  board.accesses = execution.accesses;
  board.result = execution.accesses == 0 ? Result::unhooked : Result::exhausted;
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
  execution.heap.begin();
  board.module_count = 0;
  dl_iterate_phdr(&note_module, &board);
  if (const char* const wrong = self_check()) return explain(wrong);
  execution.heap.begin();  // the check frees, too
  execution.board = &board;
  catch_signals();
  warm_up();
  find_older_heap();
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
