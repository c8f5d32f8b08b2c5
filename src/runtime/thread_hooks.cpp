// SPDX-License-Identifier: MIT
// Threads that the program under test makes itself become fibers like those of the harness.
#include <errno.h>
#include <pthread.h>

#include "runtime/execution.hpp"
#include "runtime/real.hpp"

using namespace plumb::runtime;

#define PLUMB_HOOK extern "C" __attribute__((visibility("default")))
#define PLUMB_PC __builtin_return_address(0)

namespace {

// pthread_t is the address in FS, for fibers too.
int number_of(pthread_t id) {
  for (int t = 0; t < execution.made; ++t) {
    if (execution.threads[t].fiber->fs == id) return t;
  }
  return -1;
}

}  // namespace

PLUMB_HOOK int pthread_create(pthread_t* id, const pthread_attr_t* attributes,
                              void* (*function)(void*), void* argument) {
  if (!inside()) return real().pthread_create(id, attributes, function, argument);
  const int number = execution.make_thread(function, argument);
  if (number < 0) return EAGAIN;
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &detached);
  execution.threads[number].detached = detached == PTHREAD_CREATE_DETACHED;
  *id = execution.threads[number].fiber->fs;
  return 0;
}

PLUMB_HOOK int pthread_join(pthread_t id, void** result) {
  if (!inside()) return real().pthread_join(id, result);
  const int number = number_of(id);
  if (number < 0) return ESRCH;
  Thread& thread = execution.threads[number];
  if (number == execution.me) return EDEADLK;
  if (thread.detached || thread.joined) return EINVAL;
  execution.join(number, false, PLUMB_PC);
  thread.joined = true;
  if (result != nullptr) *result = thread.result;
  return 0;
}

PLUMB_HOOK int pthread_detach(pthread_t id) {
  if (!inside()) return real().pthread_detach(id);
  const int number = number_of(id);
  if (number < 0) return ESRCH;
  execution.threads[number].detached = true;
  return 0;
}
