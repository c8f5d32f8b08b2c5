// SPDX-License-Identifier: MIT
#include <string.h>

#include <string>
#include <thread>

#include "program.hpp"

namespace {
volatile std::size_t all = 64;  // so that the compiler must make a call
}

PLUMB_FINDS("race", copies_while_another_writes) {
  char from[64] = {}, to[64] = {};
  std::thread other([&] { from[63] = 1; });
  memcpy(to, from, all);
  other.join();
  assert(to[0] == 0);
}

PLUMB_HOLDS(copies_apart) {
  char from[64] = {}, to[128] = {};
  std::thread other([&] { memcpy(to + 64, from, all); });
  memcpy(to, from, all);
  memmove(to + 1, to, all - 1);
  memset(from + 64, 0, all - 64);
  other.join();
}

PLUMB_FINDS("race", fills_while_another_moves) {
  char text[128] = {};
  std::thread other([&] { memset(text, 1, all); });
  memmove(text + 32, text, all);
  other.join();
}

PLUMB_FINDS("use-after-free", fills_what_was_freed) {
  char* const text = new char[64];
  std::thread other([=] { delete[] text; });
  other.join();
  memset(text, 0, all);
}

// Inside the C++ library, which is not instrumented.
PLUMB_FINDS("race", string_is_assigned) {
  std::string text(100, 'a'), other_text(100, 'b');
  std::thread other([&] { text.replace(10, 50, other_text.data(), 50); });
  text.replace(0, 50, other_text.data(), 50);
  other.join();
}
