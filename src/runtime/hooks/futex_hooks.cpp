// SPDX-License-Identifier: MIT
// System calls that are made by hand: futexes, on which libstdc++ builds std::atomic::wait,
// semaphores, latches and barriers, and a few more whose answer must not depend on the machine.
// Others are passed to the kernel.
//
// A futex has its word, which is read when a thread goes to sleep, and its queue, which is not in
// memory that the program sees: it is named by the word's address with the highest bit set, so that
// waking depends on falling asleep, but not on reading the word.
#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstdarg>

#include "runtime/base/random.hpp"
#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/hooks/map_hooks.hpp"
#include "runtime/schedule/sync_object.hpp"
#include "runtime/schedule/virtual_time.hpp"

using namespace plumb::runtime;

namespace {

using Word = std::uint32_t;

std::array<std::uint32_t, kMaxThreads> bits_of;  // by thread that sleeps: who may wake it

Access queue(const Word* word, Touch touch) {
  return {address_of(word) | std::uint64_t{1} << 63, 1, touch};
}

long failed(int error) {
  errno = error;
  return -1;
}

bool sleeps_on(const Thread& thread, const Word* word) {
  return thread.waits_for == word && thread.state == ThreadState::waiting;
}

long sleep_on(Word* word, Word expected, const Deadline& deadline, std::uint32_t bits,
              const void* pc) {
  Execution& e = execution;
  if (!deadline.is_valid() || bits == 0) return failed(EINVAL);
  e.point({address_of(word), sizeof *word, Touch::read}, queue(word, Touch::write), pc);
  e.trace.note("futex wait");
  check_memory(word, sizeof *word, false, pc);
  if (*word != expected) {
    e.spins.note_spin_read(word, *word, pc);
    return failed(EAGAIN);
  }
  if (e.options.spurious && e.choose(2, 1) == 1) return failed(EINTR);
  bits_of[e.threads.me] = bits;
  if (!e.block_until(queue(word, Touch::write), word, WaitsFor::waking, false, deadline.exists(),
                     pc)) {
    e.trace.note("futex wait: timeout");
    deadline.pass();
    return failed(ETIMEDOUT);
  }
  e.trace.note("futex woken");
  e.was(Touch::read);
  return 0;
}

// Which of those that sleep are woken, if not all are, is explored.
int wake(Word* word, int most, std::uint32_t bits) {
  Execution& e = execution;
  std::array<std::uint8_t, kMaxThreads> who;
  int count = 0;
  for (int t = 0; t < e.threads.made; ++t) {
    if (sleeps_on(e.threads[t], word) && (bits_of[t] & bits) != 0) {
      who[count++] = static_cast<std::uint8_t>(t);
    }
  }
  int woken = 0;
  while (woken < most && count > 0) {
    const int chosen = most - woken >= count ? 0 : e.choose(count, 0);
    e.threads.timed &= ~(std::uint64_t{1} << who[chosen]);
    e.threads.set_ready(who[chosen], true);
    for (int i = chosen; i + 1 < count; ++i) who[i] = who[i + 1];
    --count;
    ++woken;
  }
  if (woken > 0) e.spins.changed();
  return woken;
}

int requeue(Word* from, Word* to, int most) {
  Execution& e = execution;
  int moved = 0;
  for (int t = 0; t < e.threads.made && moved < most; ++t) {
    if (!sleeps_on(e.threads[t], from)) continue;
    e.threads[t].waits_for = to;
    e.threads.next[t].accesses[0] = queue(to, Touch::write);
    ++moved;
  }
  return moved;
}

struct Arguments {
  long a[6];
};

long futex(const Arguments& arguments, const void* pc) {
  Execution& e = execution;
  auto* const word = reinterpret_cast<Word*>(arguments.a[0]);
  const auto operation = static_cast<int>(arguments.a[1]);
  const auto value = static_cast<Word>(arguments.a[2]);
  const auto* const time = reinterpret_cast<const timespec*>(arguments.a[3]);
  auto* const other_word = reinterpret_cast<Word*>(arguments.a[4]);
  const auto last = static_cast<std::uint32_t>(arguments.a[5]);
  const clockid_t clock =
      (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT: {
      // For so long, where the others say until when.
      if (time == nullptr) return sleep_on(word, value, {}, FUTEX_BITSET_MATCH_ANY, pc);
      if (!is_time(*time)) return failed(EINVAL);
      timespec until = look_at_clock(CLOCK_MONOTONIC);
      until.tv_sec += time->tv_sec;
      until.tv_nsec += time->tv_nsec;
      if (until.tv_nsec >= 1'000'000'000) {
        ++until.tv_sec;
        until.tv_nsec -= 1'000'000'000;
      }
      return sleep_on(word, value, {CLOCK_MONOTONIC, &until}, FUTEX_BITSET_MATCH_ANY, pc);
    }
    case FUTEX_WAIT_BITSET: return sleep_on(word, value, {clock, time}, last, pc);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: {
      const bool any = (operation & FUTEX_CMD_MASK) == FUTEX_WAKE;
      e.point(queue(word, Touch::write), pc);
      e.trace.note("futex wake");
      const int woken = wake(word, static_cast<int>(value), any ? FUTEX_BITSET_MATCH_ANY : last);
      if (woken == 0) e.was(Touch::read);
      return woken;
    }
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE: {
      const bool compares = (operation & FUTEX_CMD_MASK) == FUTEX_CMP_REQUEUE;
      e.point(queue(word, Touch::write), queue(other_word, Touch::write), pc);
      e.trace.note("futex requeue");
      if (compares) e.also({address_of(word), sizeof *word, Touch::read});
      if (compares && *word != last) return failed(EAGAIN);
      const int woken = wake(word, static_cast<int>(value), FUTEX_BITSET_MATCH_ANY);
      return woken + requeue(word, other_word, static_cast<int>(arguments.a[3]));
    }
    default:
      e.fail(FindingKind::misuse,
             "a futex operation that the explorer does not know (priority inheritance, wake_op)",
             word, 4, pc);
  }
}

}  // namespace

PLUMB_HOOK long syscall(long number, ...) noexcept {
  Arguments arguments;
  std::va_list list;
  va_start(list, number);
  for (long& a : arguments.a) a = va_arg(list, long);  // more than there are does no harm
  va_end(list);
  const auto& a = arguments.a;
  if (number == SYS_mmap) {
    void* const memory = map_memory(reinterpret_cast<void*>(a[0]), static_cast<std::size_t>(a[1]),
                                    static_cast<int>(a[2]), static_cast<int>(a[3]),
                                    static_cast<int>(a[4]), a[5], PLUMB_PC);
    return memory == MAP_FAILED ? -1 : reinterpret_cast<long>(memory);
  }
  if (number == SYS_munmap)
    return munmap(reinterpret_cast<void*>(a[0]), static_cast<std::size_t>(a[1]));
  if (inside()) {
    switch (number) {
      case SYS_futex: return futex(arguments, PLUMB_PC);
      case SYS_gettid: return gettid();
      case SYS_sched_yield: execution.give_way(PLUMB_PC); return 0;
      case SYS_getrandom:
        fill_random(reinterpret_cast<void*>(a[0]), static_cast<std::size_t>(a[1]));
        return a[1];
      case SYS_clock_gettime:
        return clock_gettime(static_cast<clockid_t>(a[0]), reinterpret_cast<timespec*>(a[1]));
      case SYS_nanosleep:
        return nanosleep(reinterpret_cast<const timespec*>(a[0]),
                         reinterpret_cast<timespec*>(a[1]));
      case SYS_getcpu:
        if (a[0] != 0) *reinterpret_cast<unsigned*>(a[0]) = 0;
        if (a[1] != 0) *reinterpret_cast<unsigned*>(a[1]) = 0;
        return 0;
      // Without it code falls back to what works everywhere.
      case SYS_membarrier: return failed(ENOSYS);
      default: break;
    }
  }
  return real().syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
