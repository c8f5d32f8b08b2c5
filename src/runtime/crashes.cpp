// SPDX-License-Identifier: MIT
#include "runtime/crashes.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/base/libraries.hpp"
#include "runtime/base/own_code.hpp"
#include "runtime/base/text.hpp"
#include "runtime/schedule/execution.hpp"
#include "runtime/schedule/trace.hpp"
#include "runtime/wire/board.hpp"

namespace plumb::runtime {
namespace {

// The instruction that a signal interrupted, as a place has it. A hook and the C library work for
// who called them last; of a call of what is no code, the place of the call is known.
const void* interrupted_at(const siginfo_t* info, const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  const auto at = static_cast<std::uintptr_t>(registers[REG_RIP]);
  const auto* const pc = reinterpret_cast<const void*>(at + 1);
  const auto modules = execution.board->modules.all();
  const auto in = std::ranges::find_if(
      modules, [at](const Module& module) { return at >= module.base && at < module.end; });
  const bool is_shown = in != modules.end() && !is_own_code(pc) && !is_c_library(in->path);
  if (is_shown) return pc;
  const auto* const top = reinterpret_cast<const std::byte*>(registers[REG_RSP]);
  const auto offset = static_cast<std::size_t>(top - execution.self().fiber->stack);
  const bool is_call = in == modules.end() && reinterpret_cast<std::uintptr_t>(info->si_addr) == at;
  if (is_call && offset <= kStackBytes - sizeof pc) return *reinterpret_cast<void* const*>(top);
  return execution.self().pc;
}

const char* words_of(int signal) {
  switch (signal) {
    case SIGSEGV: return "segmentation fault";
    case SIGBUS: return "bus error";
    case SIGFPE: return "arithmetic exception";
    case SIGILL: return "illegal instruction";
    default: return "signal";
  }
}

// A signal that the program under test earned is a finding. The process cannot be trusted after it:
// what was found is on the board, and the watcher starts another.
void crashed(int signal, siginfo_t* info, void* context) {
  if (signal == SIGSEGV && execution.memory.pages.wrote(info->si_addr)) return;
  if (inside()) {
    Finding finding;
    finding.kind = FindingKind::crash;
    finding.signal = signal;
    Text text;
    text << words_of(signal);
    finding.address = info->si_addr;
    // Below a fiber's stack nothing is mapped.
    const auto* const stack = execution.self().fiber->stack;
    const auto* const address = static_cast<const std::byte*>(info->si_addr);
    if (signal == SIGSEGV && address < stack && address >= stack - kBelowStack)
      text << ": the stack overflowed";
    finding.set_text(text.c_str());
    finding.here = execution.place(execution.threads.me, interrupted_at(info, context));
    FindingList& findings = execution.board->result.findings;
    findings.add(finding, execution.strategy->schedule());
    // The calls of what is not instrumented, too; if that crashes as well, the finding is kept.
    if (execution.options.tracing && findings.count > 0) {
      const Place place = unwound();
      if (place.depth > 0) findings.all[0].finding.here = place;
    }
    _exit(kCrashed);
  }
  ::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

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

}  // namespace plumb::runtime
