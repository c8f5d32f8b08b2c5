// SPDX-License-Identifier: MIT
// Each family of hooks is checked twice: does its name lead to the runtime in the order in which
// the loader searches libraries, and does a call from instrumented code have the effect that it
// must?
#include "runtime/hooks/self_check.hpp"

#include <dlfcn.h>

#include <string_view>

#include "runtime/base/own_text.hpp"
#include "runtime/base/text.hpp"
#include "runtime/hooks/self_check_probe.hpp"
#include "runtime/schedule/execution.hpp"

namespace plumb::runtime {
namespace {

struct Name {
  const char* family;
  const char* symbol;
};
constexpr Name kNames[] = {
    {"instrumented accesses", "__tsan_read4"},
    {"instrumented accesses", "__tsan_write8"},
    {"instrumented atomics", "__tsan_atomic32_load"},
    {"instrumented atomics", "__tsan_atomic64_fetch_add"},
    {"allocation", "malloc"},
    {"allocation", "free"},
    {"allocation", "calloc"},
    {"allocation", "realloc"},
    {"allocation", "posix_memalign"},
    {"allocation", "aligned_alloc"},
    {"threads", "pthread_create"},
    {"threads", "pthread_join"},
    {"threads", "pthread_exit"},
    {"threads", "sched_yield"},
    {"thread-local variables", "__cxa_thread_atexit"},
    {"thread-local variables", "pthread_setspecific"},
    {"mutexes", "pthread_mutex_lock"},
    {"mutexes", "pthread_mutex_trylock"},
    {"mutexes", "pthread_mutex_unlock"},
    {"spin locks", "pthread_spin_lock"},
    {"conditions", "pthread_cond_wait"},
    {"conditions", "pthread_cond_signal"},
    {"rwlocks", "pthread_rwlock_rdlock"},
    {"rwlocks", "pthread_rwlock_unlock"},
    {"semaphores", "sem_wait"},
    {"semaphores", "sem_post"},
    {"barriers", "pthread_barrier_wait"},
    {"once", "pthread_once"},
    {"once", "__cxa_guard_acquire"},
    {"futexes", "syscall"},
    {"time", "clock_gettime"},
    {"time", "nanosleep"},
    {"random numbers", "rand"},
    {"random numbers", "getrandom"},
    {"memory ranges", "memcpy"},
    {"memory ranges", "memset"},
};

Text message;

const char* wrong_place(const Name& name, const void* found) {
  Dl_info info{};
  const bool known = found != nullptr && dladdr(found, &info) != 0 && info.dli_fname != nullptr;
  const std::string_view library = known ? info.dli_fname : "";
  message = {};
  message << "the explorer does not see " << name.family << ": " << name.symbol << " is that of "
          << (known ? info.dli_fname : "nobody") << ". ";
  if (library.find("tsan") != library.npos ||
      dlsym(RTLD_DEFAULT, "__interceptor_malloc") != nullptr) {
    message << "Compile with -fsanitize=thread, but link without it";
  } else if (std::string_view(name.family) == "allocation") {
    message << "Another allocator comes first: unset LD_PRELOAD, and link plumb_runtime before it";
  } else {
    message << "Link plumb_runtime before other libraries, and the C library dynamically";
  }
  return message.c_str();
}

// --- a small execution ---------------------------------------------------------------------------

class FirstChoice final : public explore::Strategy {
 public:
  int choose(const explore::Point& point) override {
    return point.current >= 0 ? point.current : __builtin_ctzll(point.enabled);
  }
  int choose_value(int, int) override {
    ++values;
    return 0;
  }
  void taken(const Step&) override {}
  void ended(std::uint32_t, std::span<const Step>) override {}
  bool advance() override { return false; }
  std::span<const std::uint8_t> schedule() const override { return {}; }

  int values = 0;
};
FirstChoice first_choice;
const char* silent_family = nullptr;

template <class Effect>
void must(const char* family, void (*probe)(), Effect effect) {
  const auto before = effect();
  probe();
  if (effect() == before && silent_family == nullptr) silent_family = family;
}

// A call that stops at a scheduling point leaves its place there.
void must_stop(const char* family, void (*probe)()) {
  execution.self().pc = nullptr;
  must(family, probe, [] { return execution.self().pc; });
}

// Not of memcpy: the runtime's own calls, and so the probe's, are not counted as the program's.
void* probe_all(void*) {
  must("instrumented accesses", probe::plain, [] { return execution.memory.accesses; });
  must("instrumented atomics", probe::atomic, [] { return execution.memory.accesses; });
  must_stop("instrumented atomics", probe::atomic);
  void* const block = probe::allocate();
  if (!Heap::contains(block) && silent_family == nullptr) silent_family = "allocation";
  must(
      "allocation", [] { probe::deallocate(probe::allocate()); },
      [] { return execution.memory.heap.used_bytes(); });
  must_stop("mutexes", probe::mutex);
  must_stop("spin locks", probe::spin);
  must_stop("conditions", probe::condition);
  must_stop("rwlocks", probe::rwlock);
  must_stop("semaphores", probe::semaphore);
  must_stop("barriers", probe::barrier);
  must_stop("once", probe::once);
  must_stop("futexes", probe::futex);
  must("time", probe::look_at_clock, [] { return execution.now; });
  must("time", probe::sleep, [] { return execution.now; });
  must("random numbers", probe::random, [] { return first_choice.values; });
  must("threads", probe::thread, [] { return execution.threads.made; });
  probe::thread_local_variable();
  return nullptr;
}

const char* run_probes() {
  Execution& e = execution;
  const Options options = e.options;
  explore::Strategy* const strategy = e.strategy;
  const std::uint64_t accesses = e.memory.accesses;
  e.options = {};
  e.strategy = &first_choice;
  silent_family = nullptr;
  const ExecutionEnd outcome = e.run(&probe_all, nullptr);
  if (silent_family == nullptr && !probe::thread_local_was_destroyed()) {
    silent_family = "thread-local variables";
  }
  e.options = options;
  e.strategy = strategy;
  e.memory.accesses = accesses;
  message = {};
  if (outcome != ExecutionEnd::done) {
    message << "the explorer's check of itself failed: " << e.finding.text;
    return message.c_str();
  }
  if (silent_family == nullptr) return nullptr;
  message << "the explorer does not see " << silent_family
          << ": calls do not reach it. Link plumb_runtime as a shared library, without -Bsymbolic";
  return message.c_str();
}

}  // namespace

const char* self_check() {
  for (const Name& name : kNames) {
    const void* const found = dlsym(RTLD_DEFAULT, name.symbol);
    if (found == nullptr || !in_own_text(found)) return wrong_place(name, found);
  }
  if (!execution.memory.heap.reserve() || !execution.memory.model.reserve() ||
      pooled_fiber(0) == nullptr) {
    if (thread_was_refused()) return kNoMoreThreads;
    return "the addresses that the explorer needs are taken: is there another sanitizer in the "
           "program?";
  }
  const char* const wrong = run_probes();
  return thread_was_refused() ? kNoMoreThreads : wrong;
}

}  // namespace plumb::runtime
