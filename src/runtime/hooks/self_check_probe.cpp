// SPDX-License-Identifier: MIT
#include "runtime/hooks/self_check_probe.hpp"

#include <cxxabi.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace plumb::runtime::probe {
namespace {

int number;
std::atomic<int> atomic_number;
bool destroyed;

void* do_nothing(void*) { return nullptr; }
void initialise() {}
void destroy(void*) { destroyed = true; }

}  // namespace

void plain() { ++number; }
void atomic() { ++atomic_number; }
void* allocate() { return malloc(1); }
void deallocate(void* p) { free(p); }

void thread() {
  pthread_t id;
  if (pthread_create(&id, nullptr, do_nothing, nullptr) == 0) pthread_join(id, nullptr);
}

void yield() { sched_yield(); }

void mutex() {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
}

void spin() {
  pthread_spinlock_t s;
  pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&s);
  pthread_spin_unlock(&s);
}

void condition() {
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  pthread_cond_signal(&c);
}

void rwlock() {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_rdlock(&l);
  pthread_rwlock_unlock(&l);
}

void semaphore() {
  sem_t s;
  sem_init(&s, 0, 0);
  sem_post(&s);
}

void barrier() {
  pthread_barrier_t b;
  pthread_barrier_init(&b, nullptr, 1);
  pthread_barrier_wait(&b);
}

void once() {
  pthread_once_t o = PTHREAD_ONCE_INIT;
  pthread_once(&o, initialise);  // NOLINT(clang-analyzer-unix.API): once is all that it is used
}

void futex() { syscall(SYS_futex, &number, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }

void look_at_clock() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
}

void sleep() { usleep(1); }
void random() { number = rand(); }

void thread_local_variable() {
  destroyed = false;
  __cxxabiv1::__cxa_thread_atexit(destroy, nullptr, nullptr);
}
bool thread_local_was_destroyed() { return destroyed; }

}  // namespace plumb::runtime::probe
