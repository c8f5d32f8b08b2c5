// SPDX-License-Identifier: MIT
// The functions of glibc that the runtime takes the place of. Outside an execution calls are passed
// to them. Resolved once, when the library is loaded, because resolving allocates and may lock.
#pragma once

#include <cxxabi.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

extern "C" int __cxa_thread_atexit_impl(void (*)(void*), void*, void*);
using __cxxabiv1::__cxa_atexit;
using __cxxabiv1::__cxa_guard_abort;
using __cxxabiv1::__cxa_guard_acquire;
using __cxxabiv1::__cxa_guard_release;

/// <assert.h> hides it where assertions are off.
extern "C" void __assert_fail(const char* assertion, const char* file, unsigned line,
                              const char* function) noexcept __attribute__((noreturn));

namespace plumb::runtime {

struct Real {
#define PLUMB_REAL(name) decltype(&::name) name = nullptr;
#include "runtime/base/real_functions.hpp"
#undef PLUMB_REAL
  /// In C++ there are two of each.
  const void* (*memchr)(const void*, int, std::size_t) = nullptr;
  const char* (*strchr)(const char*, int) = nullptr;
};

const Real& real();
bool real_is_resolved();

}  // namespace plumb::runtime
