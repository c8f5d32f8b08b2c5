// SPDX-License-Identifier: MIT
#include "cli/stacks.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>

namespace plumb::cli {
namespace {

constexpr rlim_t kUsual = 8 << 20, kLeast = 128 << 10;

// Other than that of the first thread, these do not grow: the limit only says how large they are.
void enlarge_stacks_of_threads() {
#ifdef __GLIBC__
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  if (pthread_attr_setstacksize(&attributes, kUsual) == 0) pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
#endif
}

}  // namespace

Status enlarge_stacks() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kUsual) return {};
  limit.rlim_cur = std::min(limit.rlim_max, kUsual);
  if (limit.rlim_cur < kLeast || setrlimit(RLIMIT_STACK, &limit) != 0)
    return Error{ErrorKind::internal,
                 fmt::format("the system allows stacks of only {} KiB", limit.rlim_cur >> 10),
                 fmt::format("raise ulimit -s to {}", kUsual >> 10)};
  enlarge_stacks_of_threads();
  return {};
}

}  // namespace plumb::cli
