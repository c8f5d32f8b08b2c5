// SPDX-License-Identifier: MIT
#include "base/resident.hpp"

#if defined(__unix__)
#include <fcntl.h>

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace plumb {

std::size_t resident_bytes() {
#if defined(__linux__)
  // Read without allocating: this is asked when memory is short.
  static const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  char text[128];
  const auto n = file < 0 ? -1 : ::pread(file, text, sizeof text - 1, 0);
  if (n <= 0) return 0;
  text[n] = 0;
  char* pages = nullptr;
  std::strtoull(text, &pages, 10);  // the first field is the virtual size
  return std::strtoull(pages, nullptr, 10) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
#else
  return 0;
#endif
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
