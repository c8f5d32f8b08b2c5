// SPDX-License-Identifier: MIT
#include "base/resident.hpp"

#if defined(__unix__)
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "base/processes.hpp"

namespace plumb {

#if defined(__linux__)
namespace {

std::size_t resident_in(int statm) {
  // Read without allocating: this is asked when memory is short.
  char text[128];
  const auto n = statm < 0 ? -1 : ::pread(statm, text, sizeof text - 1, 0);
  if (n <= 0) return 0;
  text[n] = 0;
  char* pages = nullptr;
  std::strtoull(text, &pages, 10);  // the first field is the virtual size
  return std::strtoull(pages, nullptr, 10) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void add_descendants(int pid, std::size_t& bytes) {
  visit_children(pid, [&bytes](int child) {
    bytes += resident_bytes(child);
    add_descendants(child, bytes);
  });
}

}  // namespace
#endif

std::size_t resident_bytes() {
#if defined(__linux__)
  static const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  return resident_in(file);
#else
  return 0;
#endif
}

std::size_t resident_bytes(int pid) {
#if defined(__linux__)
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/statm", pid);
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  const std::size_t bytes = resident_in(file);
  if (file >= 0) ::close(file);
  return bytes;
#else
  return pid * 0;
#endif
}

std::size_t descendants_resident_bytes() {
  std::size_t bytes = 0;
#if defined(__linux__)
  add_descendants(::getpid(), bytes);
#endif
  return bytes;
}

std::size_t peak_resident_bytes() {
#if defined(__linux__)
  // Not getrusage: that remembers what the parent held when it forked.
  const int file = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[4096];
  const auto n = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (n <= 0) return 0;
  text[n] = 0;
  const char* line = std::strstr(text, "VmHWM:");
  return line ? std::strtoull(line + 6, nullptr, 10) * 1024 : 0;
#else
  return 0;
#endif
}

void release_free_memory() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

}  // namespace plumb
