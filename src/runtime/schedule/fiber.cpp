// SPDX-License-Identifier: MIT
#include "runtime/schedule/fiber.hpp"

#include <asm/prctl.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "explore/strategy.hpp"
#include "runtime/base/real.hpp"

#if !defined(__x86_64__) || !defined(__GLIBC__)
#error "the explorer needs x86-64 Linux with glibc"
#endif

namespace plumb::runtime {
namespace {

// Stacks lie here, so that addresses of locals repeat: each at the end of its place, of which the
// rest is not mapped. A frame that is larger than the stack must not end in the stack of another.
constexpr std::uintptr_t kStacks = 0x7d0000000000;
constexpr unsigned long kHasFsgsbase = 2;  // of AT_HWCAP2

Fiber fibers[explore::kMaxThreads];
bool fsgsbase = false;
bool refused_thread = false;

// What the C library prepares in a thread it prepares when that runs: a fiber must not use it
// before.
std::atomic<int> asleep{0};

void* sleep_for_ever(void*) {
  ++asleep;
  for (;;) pause();
  return nullptr;
}

// Keeps the callee-saved registers on the stack. It leaves by a jump and not by `ret`: the
// processor would predict the return address of the wrong fiber (4.5 ns instead of 16.6).
extern "C" void plumb_switch_stack(void** from, void* to);
extern "C" void plumb_switch_stack_fs(void** from, void* to, std::uint64_t fs);
#define PLUMB_SWITCH(name, set_fs)                                                           \
  ".p2align 4\n.type " name ", @function\n" name                                             \
  ":\n"                                                                                      \
  "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"                 \
  "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n" set_fs                                              \
  "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\npopq %rcx\njmp *%rcx\n" \
  ".size " name ", . - " name "\n"
asm(".text\n"  //
    PLUMB_SWITCH("plumb_switch_stack", "")
        PLUMB_SWITCH("plumb_switch_stack_fs", "wrfsbase %rdx\n"));
#undef PLUMB_SWITCH

}  // namespace

Fiber* pooled_fiber(int number) {
  Fiber& fiber = fibers[number];
  if (fiber.stack != nullptr) return &fiber;
  fsgsbase = (getauxval(AT_HWCAP2) & kHasFsgsbase) != 0;
  void* const place = reinterpret_cast<void*>(kStacks + kStackPlace * number + kBelowStack);
  void* const memory =
      mmap(place, kStackBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory != place) return nullptr;
  pthread_t sleeper;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  const int before = asleep;
  if (real().pthread_create(&sleeper, &attributes, sleep_for_ever, nullptr) != 0) {
    refused_thread = true;
    return nullptr;
  }
  while (asleep == before) usleep(10);
  fiber.fs = sleeper;
  fiber.stack = static_cast<std::byte*>(memory);
  return &fiber;
}

bool thread_was_refused() { return refused_thread; }

void prepare(Fiber& fiber, void (*entry)()) {
  // Six registers and where to go. At a function's first instruction the stack is 8 short of a
  // multiple of 16.
  auto* top = reinterpret_cast<std::uint64_t*>(fiber.stack + kStackBytes);
  *--top = 0;  // nobody to return to: unwinding ends here
  *--top = reinterpret_cast<std::uint64_t>(entry);
  for (int i = 0; i < 6; ++i) *--top = 0;
  fiber.sp = top;
}

void switch_fiber(Fiber& from, const Fiber& to) {
  if (from.fs == to.fs) {
    plumb_switch_stack(&from.sp, to.sp);
  } else if (fsgsbase) {
    plumb_switch_stack_fs(&from.sp, to.sp, to.fs);
  } else {
    // Not by syscall(), which is a hook.
    long result = SYS_arch_prctl;
    asm volatile("syscall" : "+a"(result) : "D"(ARCH_SET_FS), "S"(to.fs) : "rcx", "r11", "memory");
    plumb_switch_stack(&from.sp, to.sp);
  }
}

Fiber this_thread_as_fiber() {
  Fiber fiber;
  fiber.fs = real().pthread_self();
  return fiber;
}

}  // namespace plumb::runtime
