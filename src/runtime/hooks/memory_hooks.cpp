// SPDX-License-Identifier: MIT
// memcpy, memmove and memset read and write ranges. The compilers call them for large objects, also
// in the runtime itself, whose calls are not the program's.
#include <string.h>

#include "runtime/base/bytes.hpp"
#include "runtime/base/own_text.hpp"
#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/accesses.hpp"

using namespace plumb::runtime;

namespace {

void move_bytes(void* to, const void* from, std::size_t bytes) {
  auto* const end_to = static_cast<std::byte*>(to);
  const auto* const end_from = static_cast<const std::byte*>(from);
  if (static_cast<std::size_t>(end_to - end_from) >= bytes) return copy_bytes(to, from, bytes);
  for (std::size_t i = bytes; i-- > 0;) {
    asm volatile("" ::: "memory");  // or the compiler makes a call of memmove of it
    end_to[i] = end_from[i];
  }
}

bool of_the_program(const void* pc) { return inside() && !in_own_text(pc); }

void copied(const void* to, const void* from, std::size_t bytes, const void* pc) {
  if (bytes == 0 || !of_the_program(pc)) return;
  plain_access(from, bytes, false, pc);
  plain_access(to, bytes, true, pc);
}

void* copy(void* to, const void* from, std::size_t bytes, const void* pc) {
  copied(to, from, bytes, pc);
  copy_bytes(to, from, bytes);
  return to;
}

void* move(void* to, const void* from, std::size_t bytes, const void* pc) {
  copied(to, from, bytes, pc);
  move_bytes(to, from, bytes);
  return to;
}

void* fill(void* to, int value, std::size_t bytes, const void* pc) {
  if (bytes != 0 && of_the_program(pc)) plain_access(to, bytes, true, pc);
  fill_bytes(to, static_cast<unsigned char>(value), bytes);
  return to;
}

}  // namespace

// Outside executions glibc's are faster; they are not there yet while the libraries are being
// loaded.
PLUMB_HOOK void* memcpy(void* to, const void* from, std::size_t bytes) noexcept {
  if (inside() || !real_is_resolved()) return copy(to, from, bytes, PLUMB_PC);
  return real().memcpy(to, from, bytes);
}
PLUMB_HOOK void* memmove(void* to, const void* from, std::size_t bytes) noexcept {
  if (inside() || !real_is_resolved()) return move(to, from, bytes, PLUMB_PC);
  return real().memmove(to, from, bytes);
}
PLUMB_HOOK void* memset(void* to, int value, std::size_t bytes) noexcept {
  if (inside() || !real_is_resolved()) return fill(to, value, bytes, PLUMB_PC);
  return real().memset(to, value, bytes);
}

PLUMB_HOOK void* __memcpy_chk(void* to, const void* from, std::size_t bytes, std::size_t room) {
  check_room(bytes, room, to, PLUMB_PC);
  return copy(to, from, bytes, PLUMB_PC);
}
PLUMB_HOOK void* __memmove_chk(void* to, const void* from, std::size_t bytes, std::size_t room) {
  check_room(bytes, room, to, PLUMB_PC);
  return move(to, from, bytes, PLUMB_PC);
}
PLUMB_HOOK void* __memset_chk(void* to, int value, std::size_t bytes, std::size_t room) {
  check_room(bytes, room, to, PLUMB_PC);
  return fill(to, value, bytes, PLUMB_PC);
}

// Newer versions of clang.
PLUMB_HOOK void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  return copy(to, from, bytes, PLUMB_PC);
}
PLUMB_HOOK void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  return move(to, from, bytes, PLUMB_PC);
}
PLUMB_HOOK void* __tsan_memset(void* to, int value, std::size_t bytes) {
  return fill(to, value, bytes, PLUMB_PC);
}
