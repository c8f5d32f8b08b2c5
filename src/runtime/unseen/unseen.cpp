// SPDX-License-Identifier: MIT
// A stub or a breakpoint stops the thread before its instruction: in a call, or in a signal handler
// on its own stack. There it comes to a scheduling point like any hook; then the instruction is
// done, by a copy, and the thread continues after it.
#include "runtime/unseen/unseen.hpp"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include <array>
#include <cstring>

#include "runtime/base/random.hpp"
#include "runtime/base/real.hpp"
#include "runtime/schedule/accesses.hpp"
#include "runtime/schedule/virtual_time.hpp"
#include "runtime/unseen/kept_vectors.hpp"
#include "runtime/unseen/patches.hpp"
#include "runtime/unseen/run_copy.hpp"
#include "runtime/unseen/stub.hpp"
#include "runtime/unseen/survey.hpp"

namespace plumb::runtime {

namespace {

Patches& patches() {
  static Patches all;
  return all;
}

constexpr std::uint64_t kZero = 0x40, kCarry = 0x01, kArithmetic = 0x8d5, kTrap = 0x100;  // flags

// By the processor's number.
constexpr std::array<int, 16> kRegister = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                           REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                           REG_R12, REG_R13, REG_R14, REG_R15};

// The thread before an instruction.
class Stopped {
 public:
  explicit Stopped(Registers& registers) : registers_(registers) {}

  std::uint64_t& operator[](int number) {
    return registers_.general[static_cast<std::size_t>(number)];
  }
  std::uint64_t& flags() { return registers_.flags; }

  void* address(const Operand& operand) {
    std::uint64_t sum = static_cast<std::uint64_t>(operand.displacement);
    if (operand.base != Operand::kNone) sum += (*this)[operand.base];
    if (operand.index != Operand::kNone) sum += (*this)[operand.index] * operand.scale;
    return reinterpret_cast<void*>(sum);
  }
  void run(const void* copy) {
    registers_.flags &= ~kTrap;
    plumb_run_copy(&registers_, copy);
  }

 private:
  Registers& registers_;
};

std::uint64_t value_at(const void* address, std::size_t size) {
  std::uint64_t words[2] = {};
  copy_bytes(words, address, size < sizeof words ? size : sizeof words);
  return words[0] ^ words[1] * 31;
}

struct Kept {
  std::byte bytes[64];
};

// What hooks/tsan_hooks.cpp does for an update, for one that a processor does.
const void* update(const Hidden& hidden, Stopped& stopped) {
  if (!inside() || hidden.operand.of_thread) return hidden.copy;
  Execution& e = execution;
  void* const address = stopped.address(hidden.operand);
  const std::size_t size = hidden.operand.size;
  const void* const pc = hidden.next();
  ++e.memory.accesses;
  e.point({address_of(address), static_cast<std::uint32_t>(size), Touch::write}, pc);
  check_memory(address, size, true, pc);
  const std::uint64_t before = value_at(address, size);
  const bool raced = e.memory.model.update(accessor(pc), address, size, std::memory_order_seq_cst,
                                           [&](void*) { stopped.run(hidden.alone); });
  const std::uint64_t after = value_at(address, size);
  const bool failed =
      std::strncmp(hidden.name, "cmpxchg", 7) == 0 && (stopped.flags() & kZero) == 0;
  e.trace.note(hidden.name, TraceStep::Kind::other, address, static_cast<std::uint32_t>(size),
               static_cast<int>(std::memory_order_seq_cst), before, after, failed);
  if (raced) plumb::runtime::raced(address, size, Races::Kind::atomic_write, pc);
  if (after == before) {
    e.was(Touch::read);
    e.spins.note_spin_read(address, before, pc);
  } else {
    e.spins.changed();
  }
  return hidden.after;
}

// Whether a read is part of a race. What is there is of no interest.
bool load_all(const void* address, std::size_t size, const void* pc) {
  bool races = false;
  for (std::size_t at = 0; at < size; at += sizeof(Kept)) {
    Kept seen;
    const std::size_t part = size - at < sizeof seen ? size - at : sizeof seen;
    races |= execution.memory.model.load(accessor(pc), static_cast<const std::byte*>(address) + at,
                                         seen.bytes, part, std::memory_order_seq_cst);
  }
  return races;
}

// A plain access. Those that race become scheduling points, as in code with hooks; whether they are
// meant as atomics is not known, so they order threads as such, and their races are no findings.
void look(const Hidden& hidden, const void* address, std::size_t size, bool write) {
  const void* const pc = hidden.next();
  Execution& e = execution;
  if (hidden.is_plain || !e.sites.contains(pc)) return plain_access(address, size, write, pc);
  ++e.memory.accesses;
  const Access access{address_of(address), static_cast<std::uint32_t>(size),
                      write ? Touch::write : Touch::read};
  e.point(access, pc);
  check_memory(address, size, write, pc);
  e.trace.note_plain(address, size, write);
  auto* const memory = const_cast<void*>(address);
  const bool races = write ? e.memory.model.update(accessor(pc), memory, size,
                                                   std::memory_order_seq_cst, [](void*) {})
                           : load_all(address, size, pc);
  if (races) raced(address, size, write ? Races::Kind::atomic_write : Races::Kind::atomic_read, pc);
  if (write) e.spins.changed();
  else e.spins.note_spin_read(address, value_at(address, size), pc);
}

// An instruction that reads and writes without a lock does so in two steps: in between, another
// thread may write. What it computes from is what it read.
const void* access(const Hidden& hidden, Stopped& stopped) {
  if (!inside() || hidden.operand.of_thread) return hidden.copy;
  void* const address = stopped.address(hidden.operand);
  const std::size_t size = hidden.operand.size;
  if (hidden.reads) look(hidden, address, size, false);
  if (!hidden.writes) return hidden.copy;
  Kept read;
  if (hidden.reads) copy_bytes(read.bytes, address, size);
  look(hidden, address, size, true);
  if (!hidden.reads) return hidden.copy;
  copy_bytes(address, read.bytes, size);
  stopped.run(hidden.alone);
  return hidden.after;
}

const void* access_string(const Hidden& hidden, Stopped& stopped) {
  const std::size_t count = hidden.repeats ? stopped[1] : 1;
  const std::size_t size = count * hidden.operand.size;
  if (inside() && size > 0) {
    if (hidden.reads) look(hidden, reinterpret_cast<const void*>(stopped[6]), size, false);
    look(hidden, reinterpret_cast<const void*>(stopped[7]), size, true);
  }
  return hidden.copy;
}

// The counter of the processor, in nanoseconds of the execution's own time.
void read_clock(const Hidden& hidden, Stopped& stopped) {
  std::uint64_t ticks = __rdtsc();
  if (inside()) {
    const timespec now = look_at_clock(CLOCK_MONOTONIC);
    ticks = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
            static_cast<std::uint64_t>(now.tv_nsec);
  }
  stopped[0] = ticks & 0xffffffff;
  stopped[2] = ticks >> 32;
  if (std::strcmp(hidden.name, "rdtscp") == 0) stopped[1] = 0;
}

void draw(const Hidden& hidden, Stopped& stopped) {
  std::uint64_t drawn = 0;
  if (inside()) drawn = explored_random();
  else (void)real().getrandom(&drawn, sizeof drawn, 0);
  std::uint64_t& to = stopped[hidden.target];
  to = hidden.target_bytes == 8   ? drawn
       : hidden.target_bytes == 4 ? drawn & 0xffffffff
                                  : (to & ~std::uint64_t{0xffff}) | (drawn & 0xffff);
  stopped.flags() = (stopped.flags() & ~kArithmetic) | kCarry;
}

// By the function of that name, which is a hook.
void call_system(Stopped& stopped) {
  const int kept = errno;
  const long result = ::syscall(static_cast<long>(stopped[0]), stopped[7], stopped[6], stopped[2],
                                stopped[10], stopped[8], stopped[9]);
  stopped[0] = static_cast<std::uint64_t>(result == -1 ? -errno : result);
  errno = kept;
}

// A function without hooks begins: its accesses are watched from now on. If not all can be, the
// calls of operations must come early (Execution::call): the execution is of no use any more.
void enter(Hidden& hidden) {
  Execution& e = execution;
  auto* const begin = hidden.at;
  if (patches().enter(hidden)) return;
  e.board->unseen.add(begin);
  if (e.unseen) return;
  if (e.board->command.matrix.columns == 0) {
    e.unseen = true;
    return;
  }
  e.sites_added = true;
  e.give_up(ExecutionEnd::pruned);
}

// What one thread does alone no other can notice, so it need not be watched. One instruction is run
// without the breakpoint, unless that happens so often that it costs more.
Hidden* passed_over = nullptr;
int passes = 0;
bool may_step = true;

bool is_alone() {
  return !inside() || (execution.threads.live == 1 && !execution.self().in_operation);
}

bool may_pass_over(const Hidden& hidden) {
  constexpr int kMost = 1000;
  return may_step && is_alone() && hidden.kind == Hidden::Kind::entry &&
         (hidden.is_blind || passes < kMost);
}

// Does what the instruction does, unless its copy shall; returns where the thread continues.
const void* take(const Hidden& hidden, Stopped& stopped) {
  switch (hidden.kind) {
    case Hidden::Kind::entry: return hidden.at;
    case Hidden::Kind::update: return update(hidden, stopped);
    case Hidden::Kind::access: return access(hidden, stopped);
    case Hidden::Kind::string: return access_string(hidden, stopped);
    case Hidden::Kind::clock: read_clock(hidden, stopped); break;
    case Hidden::Kind::random: draw(hidden, stopped); break;
    case Hidden::Kind::system_call: call_system(stopped); break;
    case Hidden::Kind::pause:
      if (inside()) execution.give_way(hidden.next());
      break;
  }
  return hidden.after != nullptr ? hidden.after : hidden.next();
}

// The instruction that was passed over has run.
void on_step(int, siginfo_t*, void* context) {
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (passed_over == nullptr) {  // the program's own
    signal(SIGTRAP, SIG_DFL);
    raise(SIGTRAP);
    return;
  }
  registers[REG_EFL] &= ~static_cast<greg_t>(kTrap);
  Patches::arm(*passed_over);
  passed_over = nullptr;
}

struct sigaction before_us;

// Before the instruction of a breakpoint, on the thread's own stack.
void on_breakpoint(int, siginfo_t*, void* context) {
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto go_to = [registers](const void* code) {
    registers[REG_RIP] = reinterpret_cast<greg_t>(code);
  };
  Hidden* const hidden = patches().at(reinterpret_cast<const void*>(registers[REG_RIP]));
  if (hidden == nullptr) {  // the program's own: it happens again
    sigaction(SIGILL, &before_us, nullptr);
    return;
  }
  if (hidden->enters) {
    go_to(hidden->at);
    if (!may_pass_over(*hidden)) return enter(*hidden);
    ++passes;
    Patches::disarm(*hidden);
    passed_over = hidden;
    registers[REG_EFL] |= static_cast<greg_t>(kTrap);
    return;
  }
  Registers copy;
  for (std::size_t i = 0; i < kRegister.size(); ++i)
    copy.general[i] = static_cast<std::uint64_t>(registers[kRegister[i]]);
  copy.flags = static_cast<std::uint64_t>(registers[REG_EFL]);
  Stopped stopped(copy);
  go_to(take(*hidden, stopped));
  for (std::size_t i = 0; i < kRegister.size(); ++i)
    registers[kRegister[i]] = static_cast<greg_t>(copy.general[i]);
  registers[REG_EFL] = static_cast<greg_t>(copy.flags);
}

}  // namespace

// An access that is no scheduling point is only noted, which uses few registers.
const void* plumb_on_stub(Registers* registers, Hidden* hidden) {
  Stopped stopped(*registers);
  const bool is_plain =
      hidden->kind == Hidden::Kind::access || hidden->kind == Hidden::Kind::string;
  const Execution& e = execution;
  const bool is_only_noted = is_plain && !e.trace.on && e.options.plain != PlainPoints::all &&
                             !e.sites.contains(hidden->next());
  if (is_only_noted || !inside()) return take(*hidden, stopped);
  const KeptVectors kept;
  return take(*hidden, stopped);
}

void watch_unseen_code(bool all, bool is_debugged) {
  std::vector<Hidden> hidden = survey_code(all);
  if (hidden.empty()) return;
  struct sigaction action {};
  action.sa_sigaction = &on_breakpoint;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;  // on the stack of the fiber
  sigaction(SIGILL, &action, &before_us);
  may_step = !is_debugged;
  if (may_step) {
    action.sa_sigaction = &on_step;
    sigaction(SIGTRAP, &action, nullptr);
  }
  patches().set(std::move(hidden));
  execution.is_unseen = [](const void* pc) {
    const Hidden* const hidden = patches().before(pc);
    return hidden != nullptr && !hidden->is_plain;
  };
}

}  // namespace plumb::runtime
