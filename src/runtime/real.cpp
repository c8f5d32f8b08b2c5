// SPDX-License-Identifier: MIT
#include "runtime/real.hpp"

#include <dlfcn.h>

#include <initializer_list>

namespace plumb::runtime {
namespace {

Real functions;
bool resolved = false;

// Some names of the C library have an old version for old programs; the newest one is meant.
void* newest(const char* name) {
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.3.2", "GLIBC_2.2.5"}) {
    if (void* const found = dlvsym(RTLD_NEXT, name, version)) return found;
  }
  return dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) void resolve() {
#define PLUMB_REAL(name) functions.name = reinterpret_cast<decltype(functions.name)>(newest(#name));
#include "runtime/real_functions.hpp"
#undef PLUMB_REAL
  resolved = true;
}

}  // namespace

bool real_is_resolved() { return resolved; }

const Real& real() {
  if (!resolved) resolve();
  return functions;
}

}  // namespace plumb::runtime
