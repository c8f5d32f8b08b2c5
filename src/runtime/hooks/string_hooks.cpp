// SPDX-License-Identifier: MIT
// Functions on strings, and on memory that is only read: they read up to where they find what they
// look for, and so are accesses like others. Those that the compilers call by themselves, and their
// nearest relatives. How long a string is can change before the access is made, if that is a
// scheduling point; so it is looked at again.
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bytes.hpp"
#include "runtime/base/own_text.hpp"
#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/accesses.hpp"

using namespace plumb::runtime;

namespace {

void reads(const void* from, std::size_t bytes, const void* pc) {
  if (bytes != 0 && inside() && !in_own_text(pc)) plain_access(from, bytes, false, pc);
}
void writes(const void* to, std::size_t bytes, const void* pc) {
  if (bytes != 0 && inside() && !in_own_text(pc)) plain_access(to, bytes, true, pc);
}

std::size_t length(const char* s) { return real().strlen(s); }
std::size_t length(const char* s, std::size_t most) { return real().strnlen(s, most); }

// How many characters a comparison reads of each.
std::size_t compared(const char* a, const char* b, std::size_t most) {
  std::size_t n = 0;
  while (n < most && a[n] == b[n] && a[n] != 0) ++n;
  return n < most ? n + 1 : n;
}

char* copy_string(char* to, const char* from, const void* pc) {
  reads(from, length(from) + 1, pc);
  const std::size_t bytes = length(from) + 1;
  writes(to, bytes, pc);
  copy_bytes(to, from, bytes);
  return to + bytes - 1;
}

char* copy_part(char* to, const char* from, std::size_t bytes, const void* pc) {
  const std::size_t known = length(from, bytes);
  reads(from, known < bytes ? known + 1 : bytes, pc);
  writes(to, bytes, pc);
  const std::size_t used = length(from, bytes);
  copy_bytes(to, from, used);
  fill_bytes(to + used, 0, bytes - used);
  return to;
}

char* append(char* to, const char* from, const void* pc) {
  reads(to, length(to) + 1, pc);
  copy_string(to + length(to), from, pc);
  return to;
}

char* duplicate(const char* from, std::size_t bytes) {
  auto* const copy = static_cast<char*>(malloc(bytes + 1));
  if (copy == nullptr) return nullptr;
  copy_bytes(copy, from, bytes);
  copy[bytes] = 0;
  return copy;
}

}  // namespace

PLUMB_HOOK std::size_t strlen(const char* s) noexcept {
  if (inside()) reads(s, length(s) + 1, PLUMB_PC);
  return length(s);
}
PLUMB_HOOK std::size_t strnlen(const char* s, std::size_t most) noexcept {
  if (inside()) {
    const std::size_t n = length(s, most);
    reads(s, n < most ? n + 1 : n, PLUMB_PC);
  }
  return length(s, most);
}

PLUMB_HOOK int memcmp(const void* a, const void* b, std::size_t bytes) noexcept {
  reads(a, bytes, PLUMB_PC);
  reads(b, bytes, PLUMB_PC);
  return real().memcmp(a, b, bytes);
}
PLUMB_HOOK int bcmp(const void* a, const void* b, std::size_t bytes) noexcept {
  reads(a, bytes, PLUMB_PC);
  reads(b, bytes, PLUMB_PC);
  return real().memcmp(a, b, bytes);
}
PLUMB_HOOK int strcmp(const char* a, const char* b) noexcept {
  if (inside()) {
    const std::size_t n = compared(a, b, SIZE_MAX);
    reads(a, n, PLUMB_PC);
    reads(b, n, PLUMB_PC);
  }
  return real().strcmp(a, b);
}
PLUMB_HOOK int strncmp(const char* a, const char* b, std::size_t most) noexcept {
  if (inside()) {
    const std::size_t n = compared(a, b, most);
    reads(a, n, PLUMB_PC);
    reads(b, n, PLUMB_PC);
  }
  return real().strncmp(a, b, most);
}

// <string.h> has two of each of these, for what is const and what is not.
PLUMB_HOOK const void* plumb_memchr(const void* s, int value, std::size_t bytes) asm("memchr");
const void* plumb_memchr(const void* s, int value, std::size_t bytes) {
  if (inside()) {
    const auto* const at = static_cast<const std::byte*>(real().memchr(s, value, bytes));
    reads(
        s,
        at == nullptr ? bytes : static_cast<std::size_t>(at - static_cast<const std::byte*>(s)) + 1,
        PLUMB_PC);
  }
  return real().memchr(s, value, bytes);
}
PLUMB_HOOK const char* plumb_strchr(const char* s, int value) asm("strchr");
const char* plumb_strchr(const char* s, int value) {
  if (inside()) {
    const char* const at = real().strchr(s, value);
    reads(s, (at == nullptr ? length(s) : static_cast<std::size_t>(at - s)) + 1, PLUMB_PC);
  }
  return real().strchr(s, value);
}

PLUMB_HOOK char* strcpy(char* to, const char* from) noexcept {
  copy_string(to, from, PLUMB_PC);
  return to;
}
PLUMB_HOOK char* stpcpy(char* to, const char* from) noexcept {
  return copy_string(to, from, PLUMB_PC);
}
PLUMB_HOOK char* strncpy(char* to, const char* from, std::size_t bytes) noexcept {
  return copy_part(to, from, bytes, PLUMB_PC);
}
PLUMB_HOOK char* strcat(char* to, const char* from) noexcept { return append(to, from, PLUMB_PC); }

PLUMB_HOOK char* __strcpy_chk(char* to, const char* from, std::size_t room) {
  check_room(length(from) + 1, room, to, PLUMB_PC);
  copy_string(to, from, PLUMB_PC);
  return to;
}
PLUMB_HOOK char* __stpcpy_chk(char* to, const char* from, std::size_t room) {
  check_room(length(from) + 1, room, to, PLUMB_PC);
  return copy_string(to, from, PLUMB_PC);
}
PLUMB_HOOK char* __strncpy_chk(char* to, const char* from, std::size_t bytes, std::size_t room) {
  check_room(bytes, room, to, PLUMB_PC);
  return copy_part(to, from, bytes, PLUMB_PC);
}
PLUMB_HOOK char* __strcat_chk(char* to, const char* from, std::size_t room) {
  check_room(length(to) + length(from) + 1, room, to, PLUMB_PC);
  return append(to, from, PLUMB_PC);
}

// The block is the program's, although glibc's own would be allocated by glibc.
PLUMB_HOOK char* strdup(const char* s) noexcept {
  if (inside()) reads(s, length(s) + 1, PLUMB_PC);
  return duplicate(s, length(s));
}
PLUMB_HOOK char* strndup(const char* s, std::size_t most) noexcept {
  if (inside()) {
    const std::size_t n = length(s, most);
    reads(s, n < most ? n + 1 : n, PLUMB_PC);
  }
  return duplicate(s, length(s, most));
}
