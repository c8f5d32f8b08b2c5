// SPDX-License-Identifier: MIT
#include "resident.hpp"

#if defined(__unix__)
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
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
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::size_t>(usage.ru_maxrss) * 1024
                                               : 0;
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
