// SPDX-License-Identifier: MIT
// One call of each family of hooks, compiled as the program under test is. Nothing of the runtime
// may be included there: its inline functions would be instrumented too, and the linker might keep
// those.
#pragma once

#include <cstdint>

namespace plumb::runtime::probe {

void plain();
void atomic();
void* allocate();
void deallocate(void* p);
void thread();
void yield();
void mutex();
void spin();
void condition();
void rwlock();
void semaphore();
void barrier();
void once();
void futex();
void look_at_clock();
void sleep();
void random();
void thread_local_variable();
bool thread_local_was_destroyed();

}  // namespace plumb::runtime::probe
