// SPDX-License-Identifier: MIT
// Memory that the program maps itself, if it is no file and shared with nobody.
#include "runtime/hooks/map_hooks.hpp"

#include <errno.h>
#include <sys/mman.h>

#include "runtime/base/own_code.hpp"
#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/execution.hpp"

using namespace plumb::runtime;

namespace {

bool is_plain_memory(const void* address, int flags) {
  return address == nullptr && (flags & MAP_ANONYMOUS) != 0 && (flags & MAP_PRIVATE) != 0;
}

}  // namespace

void* plumb::runtime::map_memory(void* address, std::size_t bytes, int protection, int flags,
                                 int file, off_t offset, const void* caller) {
  Mappings& mappings = execution.memory.mappings;
  const bool is_plain = is_plain_memory(address, flags) && !is_own_code(caller);
  if (inside() && is_plain) {
    if (void* const memory = mappings.map(bytes, protection); memory != nullptr) return memory;
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void* const memory = real().mmap(address, bytes, protection, flags, file, offset);
  if (is_plain && memory != MAP_FAILED && (protection & PROT_WRITE) != 0)
    mappings.add_prior(memory, bytes);
  return memory;
}

PLUMB_HOOK void* mmap(void* address, std::size_t bytes, int protection, int flags, int file,
                      off_t offset) noexcept {
  return map_memory(address, bytes, protection, flags, file, offset, PLUMB_PC);
}

PLUMB_HOOK void* mmap64(void* address, std::size_t bytes, int protection, int flags, int file,
                        off64_t offset) noexcept {
  return map_memory(address, bytes, protection, flags, file, offset, PLUMB_PC);
}

PLUMB_HOOK int munmap(void* address, std::size_t bytes) noexcept {
  if (inside() && execution.memory.mappings.unmap(address, bytes)) return 0;
  execution.memory.mappings.remove_prior(address);
  return real().munmap(address, bytes);
}
