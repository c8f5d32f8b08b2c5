// SPDX-License-Identifier: MIT
// What belongs to a thread and is destroyed at its end: thread_local variables with destructors,
// and values of pthread keys. glibc would do this where a thread of its own ends, and fibers never
// end there.
#include <errno.h>
#include <pthread.h>

#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/sync_object.hpp"
#include "runtime/schedule/thread_end.hpp"

namespace plumb::runtime {
namespace {

// --- destructors of thread_local variables -------------------------------------------------------

struct Destructor {
  void (*function)(void*);
  void* argument;
  int next;  // of the same thread, earlier; -1: none
};
constexpr int kDestructors = 4096;

struct {
  std::uint64_t execution = 0;
  int used = 0;
  std::array<int, kMaxThreads> last;
  std::array<Destructor, kDestructors> all;
} destructors;

void begin_execution() {
  if (destructors.execution == execution.number) return;
  destructors.execution = execution.number;
  destructors.used = 0;
  destructors.last.fill(-1);
}

int add_destructor(void (*function)(void*), void* argument) {
  begin_execution();
  if (destructors.used == kDestructors) execution.give_up(ExecutionEnd::cut);
  int& last = destructors.last[execution.threads.me];
  destructors.all[destructors.used] = {function, argument, last};
  last = destructors.used++;
  return 0;
}

void run_destructors() {
  begin_execution();
  int& last = destructors.last[execution.threads.me];
  while (last >= 0) {
    const Destructor destructor = destructors.all[last];
    last = destructor.next;
    destructor.function(destructor.argument);
  }
}

// --- keys ----------------------------------------------------------------------------------------

// Numbers come from glibc, so that keys made outside executions and inside do not collide. A key
// that was made inside is given back before the next execution if the variable that holds its
// number is put back; a system library that made one in its own once-initialisation keeps it.
constexpr int kKeys = PTHREAD_KEYS_MAX;

struct Key {
  void (*destructor)(void*) = nullptr;
  bool is_temporary = false;
};
struct Value {
  std::uint64_t execution = 0;  // of another: null
  const void* value = nullptr;
};
Key keys[kKeys];
Value values[kMaxThreads][kKeys];

struct {
  std::uint64_t execution = 0;
  int temporary = 0;
  unsigned end = 0;  // above all keys that have a value
} used_keys;

void begin_keys() {
  if (used_keys.execution == execution.number) return;
  for (unsigned k = 0; used_keys.temporary > 0 && k < kKeys; ++k) {
    if (!keys[k].is_temporary) continue;
    keys[k] = {};
    --used_keys.temporary;
    real().pthread_key_delete(k);
  }
  used_keys = {execution.number, 0, 0};
}

void run_key_destructors() {
  begin_keys();
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    bool any = false;
    for (unsigned k = 0; k < used_keys.end; ++k) {
      Value& value = values[execution.threads.me][k];
      if (value.execution != execution.number || value.value == nullptr) continue;
      void* const old = const_cast<void*>(value.value);
      value.value = nullptr;
      if (keys[k].destructor == nullptr) continue;
      any = true;
      keys[k].destructor(old);
    }
    if (!any) return;
  }
}

}  // namespace

void run_thread_end() {
  run_destructors();
  run_key_destructors();
}

}  // namespace plumb::runtime

using namespace plumb::runtime;

PLUMB_HOOK int __cxa_thread_atexit_impl(void (*function)(void*), void* argument, void* library) {
  return inside() ? add_destructor(function, argument)
                  : real().__cxa_thread_atexit_impl(function, argument, library);
}

namespace __cxxabiv1 {
PLUMB_HOOK int __cxa_thread_atexit(void (*function)(void*), void* argument,
                                   void* library) noexcept {
  return __cxa_thread_atexit_impl(function, argument, library);
}
}  // namespace __cxxabiv1

PLUMB_HOOK int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  if (!inside()) {
    const int error = real().pthread_key_create(key, destructor);
    if (error == 0) keys[*key] = {destructor, false};
    return error;
  }
  begin_keys();
  pthread_key_t made = 0;
  const int error = real().pthread_key_create(&made, nullptr);
  if (error != 0) return error;
  const bool is_temporary = is_reset(key);
  keys[made] = {destructor, is_temporary};
  if (is_temporary) ++used_keys.temporary;
  *key = made;
  return 0;
}

PLUMB_HOOK int pthread_key_delete(pthread_key_t key) {
  if (!inside()) return real().pthread_key_delete(key);
  begin_keys();
  if (key >= kKeys) return EINVAL;
  for (int t = 0; t < execution.threads.made; ++t) values[t][key].value = nullptr;
  keys[key].destructor = nullptr;
  if (!keys[key].is_temporary) return 0;  // it must still be there in the next execution
  keys[key].is_temporary = false;
  --used_keys.temporary;
  return real().pthread_key_delete(key);
}

PLUMB_HOOK int pthread_setspecific(pthread_key_t key, const void* value) {
  if (!inside()) return real().pthread_setspecific(key, value);
  begin_keys();
  if (key >= kKeys) return EINVAL;
  values[execution.threads.me][key] = {execution.number, value};
  if (key >= used_keys.end) used_keys.end = key + 1;
  return 0;
}

PLUMB_HOOK void* pthread_getspecific(pthread_key_t key) {
  if (!inside()) return real().pthread_getspecific(key);
  if (key >= kKeys) return nullptr;
  const Value& value = values[execution.threads.me][key];
  return value.execution == execution.number ? const_cast<void*>(value.value) : nullptr;
}
