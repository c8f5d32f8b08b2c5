// SPDX-License-Identifier: MIT
// What explore.hpp is made of: C functions, so that a program can be compiled with another C++
// library than the runtime was.
#pragma once

#include <cstdint>

extern "C" {
struct plumb_exploration;
plumb_exploration* plumb_explore(void (*body)(void*), void* argument, const char* options,
                                 const char* test);
int plumb_explore_main(int argc, char** argv, void (*body)(void*), void* argument);
int plumb_exploration_status(const plumb_exploration*);
const char* plumb_exploration_text(const plumb_exploration*);
const char* plumb_exploration_json(const plumb_exploration*);
std::uint64_t plumb_exploration_executions(const plumb_exploration*);
void plumb_exploration_free(plumb_exploration*);
int plumb_choose(int count);
void plumb_block();  // outside an execution it returns
void plumb_parallel(int count, void (*function)(int thread, void* argument), void* argument);
void plumb_call(int operation);
void plumb_return(std::uint64_t value);
}
