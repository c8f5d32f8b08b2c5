// SPDX-License-Identifier: MIT
// What an execution would leave behind in the C library: the environment, and functions to be
// called at exit.
//
// In an execution, the environment is a list on the heap, rebuilt at each change; the pointer to
// the current list is restored with the globals (snapshot.hpp). glibc's own list would keep
// pointers to freed memory.
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/bytes.hpp"
#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/accesses.hpp"
#include "runtime/schedule/execution.hpp"

using namespace plumb::runtime;

namespace {

// "NAME=value" has a name of so many characters; with none it is no variable.
std::size_t name_length(const char* variable) {
  std::size_t n = 0;
  while (variable[n] != 0 && variable[n] != '=') ++n;
  return n;
}

bool is_name(const char* name) {
  return name != nullptr && *name != 0 && name[name_length(name)] == 0;
}

bool has_name(const char* variable, const char* name, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) {
    if (variable[i] != name[i]) return false;
  }
  return variable[length] == '=';
}

const char* find_variable(const char* name, std::size_t length) {
  for (char** v = environ; v != nullptr && *v != nullptr; ++v) {
    if (has_name(*v, name, length)) return *v;
  }
  return nullptr;
}

// A block that nobody frees, and that is no leak.
void* allocate(std::size_t bytes) {
  void* const block = execution.memory.heap.allocate(bytes);
  if (block == nullptr) errno = ENOMEM;
  else execution.memory.heap.not_counted();
  return block;
}

// The list without that name, and with `variable` if it is given.
int replace(const char* name, std::size_t length, char* variable) {
  std::size_t count = 0;
  while (environ != nullptr && environ[count] != nullptr) ++count;
  auto** const list = static_cast<char**>(allocate((count + 2) * sizeof(char*)));
  if (list == nullptr) return -1;
  std::size_t used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!has_name(environ[i], name, length)) list[used++] = environ[i];
  }
  if (variable != nullptr) list[used++] = variable;
  list[used] = nullptr;
  environ = list;
  return 0;
}

std::size_t length_of(const char* s) {
  std::size_t n = 0;
  while (s[n] != 0) ++n;
  return n;
}

void touch_files(const char* what, const void* pc) {
  static char files;
  execution.point({address_of(&files), 1, Touch::write}, pc);
  execution.trace.note(what);
}

int refuse() {
  errno = EINVAL;
  return -1;
}

}  // namespace

PLUMB_HOOK int setenv(const char* name, const char* value, int overwrite) noexcept {
  if (!inside()) return real().setenv(name, value, overwrite);
  if (!is_name(name)) return refuse();
  const std::size_t length = name_length(name);
  if (overwrite == 0 && find_variable(name, length) != nullptr) return 0;
  const std::size_t value_bytes = length_of(value) + 1;
  auto* const variable = static_cast<char*>(allocate(length + 1 + value_bytes));
  if (variable == nullptr) return -1;
  copy_bytes(variable, name, length);
  variable[length] = '=';
  copy_bytes(variable + length + 1, value, value_bytes);
  return replace(name, length, variable);
}

PLUMB_HOOK int unsetenv(const char* name) noexcept {
  if (!inside()) return real().unsetenv(name);
  return is_name(name) ? replace(name, name_length(name), nullptr) : refuse();
}

PLUMB_HOOK int putenv(char* variable) noexcept {
  if (!inside()) return real().putenv(variable);
  const std::size_t length = name_length(variable);
  return replace(variable, length, variable[length] == '=' ? variable : nullptr);
}

PLUMB_HOOK int clearenv() noexcept {
  if (!inside()) return real().clearenv();
  environ = nullptr;
  return 0;
}

// Of a static variable that is made in each execution, again and again. The process never comes to
// its exit.
namespace __cxxabiv1 {
PLUMB_HOOK int __cxa_atexit(void (*function)(void*), void* argument, void* library) noexcept {
  return inside() ? 0 : real().__cxa_atexit(function, argument, library);
}
}  // namespace __cxxabiv1

// Who reads from a file or a pipe sees what was written there, through whichever descriptor.
PLUMB_HOOK ssize_t read(int file, void* buffer, std::size_t bytes) {
  if (inside()) {
    touch_files("read", PLUMB_PC);
    execution.memory.pages.will_be_written(buffer, bytes);
  }
  return real().read(file, buffer, bytes);
}

PLUMB_HOOK ssize_t write(int file, const void* buffer, std::size_t bytes) {
  if (inside()) touch_files("write", PLUMB_PC);
  return real().write(file, buffer, bytes);
}
