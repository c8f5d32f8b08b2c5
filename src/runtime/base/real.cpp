// SPDX-License-Identifier: MIT
#include "runtime/base/real.hpp"

#include <dlfcn.h>

namespace plumb::runtime {
namespace {

Real functions;
bool resolved = false;

// dlsym gives the newest of the versions of a name. It must find all of them: it allocates only to
// say that it did not, and an allocator that comes before us would call hooks from there.
__attribute__((constructor)) void resolve() {
#define PLUMB_REAL(name) \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(RTLD_NEXT, #name));
#include "runtime/base/real_functions.hpp"
#undef PLUMB_REAL
  functions.memchr = reinterpret_cast<decltype(functions.memchr)>(dlsym(RTLD_NEXT, "memchr"));
  functions.strchr = reinterpret_cast<decltype(functions.strchr)>(dlsym(RTLD_NEXT, "strchr"));
  resolved = true;
}

}  // namespace

bool real_is_resolved() { return resolved; }

const Real& real() {
  if (!resolved) resolve();
  return functions;
}

}  // namespace plumb::runtime
