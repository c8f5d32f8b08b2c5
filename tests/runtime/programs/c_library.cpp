// SPDX-License-Identifier: MIT
// What the C library keeps is not lost with an execution, and what it keeps for the program is put
// back.
#include "program.hpp"

#include <atomic>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <locale>
#include <sstream>
#include <thread>

namespace {

std::atomic<int> shared{0};

// So that there is more than one execution.
void some_schedules() {
  std::thread other([] { ++shared; });
  ++shared;
  other.join();
}

struct WithDestructor {
  std::atomic<int> value{1};
  ~WithDestructor() { value = 0; }
};

volatile std::size_t eight = 8;  // so that the compiler must make a call

}  // namespace

PLUMB_HOLDS(environment) {
  assert(std::getenv("PLUMB_TESTED") == nullptr);
  setenv("PLUMB_TESTED", "1", 1);
  some_schedules();
  setenv("PLUMB_TESTED", "2", 0);
  assert(std::strcmp(std::getenv("PLUMB_TESTED"), "1") == 0);
  setenv("PLUMB_TESTED", "a value that is much longer", 1);
  assert(std::strlen(std::getenv("PLUMB_TESTED")) == 27);
  assert(setenv("A=B", "", 1) == -1 && setenv("", "", 1) == -1);
  static char variable[] = "PLUMB_TESTED=3";
  putenv(variable);
  assert(std::getenv("PLUMB_TESTED") == variable + 13);
  unsetenv("PLUMB_TESTED");
  assert(std::getenv("PLUMB_TESTED") == nullptr && std::getenv("PATH") != nullptr);
}

PLUMB_CASE(nullptr, "--leaks --strategy dfs --preemptions 2", environment_is_no_leak) {
  setenv("PLUMB_TESTED", "1", 1);
  some_schedules();
}

PLUMB_HOLDS(output) {
  std::printf("%d %s\n", 1, "two");
  std::fprintf(stderr, "three\n");
  some_schedules();
  std::cout << "four " << 5 << '\n' << std::hex << 255 << std::endl;
  std::cerr << 1.5;
  std::clog << "six";
}

PLUMB_HOLDS(output_by_itself) {
  std::ios::sync_with_stdio(false);
  std::cout << "text";
  some_schedules();
  std::cout << "more text" << std::endl;
}

PLUMB_HOLDS(state_of_a_stream) {
  assert(std::cout.width() == 0 && (std::cout.flags() & std::ios::hex) == 0);
  std::cout << std::hex;
  std::cout.width(5);
  some_schedules();
}

PLUMB_HOLDS(files) {
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  assert(file != nullptr);
  some_schedules();
  char* line = nullptr;
  std::size_t room = 0;
  assert(getline(&line, &room, file) > 0 && std::strncmp(line, "Name:", 5) == 0);
  std::free(line);
  std::fclose(file);
  std::ifstream stream("/proc/self/status");
  std::string word;
  assert(stream >> word && word == "Name:");
}

// Left open: the C library has it in a list.
PLUMB_HOLDS(file_is_left_open) {
  static std::FILE* file;
  file = std::fopen("/dev/null", "w");
  assert(file != nullptr && std::fputs("text", file) >= 0);
  some_schedules();
  std::fflush(nullptr);
}

PLUMB_HOLDS(locales) {
  std::setlocale(LC_ALL, "C.UTF-8");
  std::locale::global(std::locale("C"));
  std::ostringstream stream;
  stream.imbue(std::locale(std::locale(), new std::numpunct<char>));
  stream << 1234.5;
  some_schedules();
  assert(stream.str() == "1234.5");
}

PLUMB_HOLDS(memory_of_the_c_library) {
  char* text = nullptr;
  assert(asprintf(&text, "%d and a text that is long enough", 12) > 0);
  some_schedules();
  text = static_cast<char*>(std::realloc(text, 100));
  assert(std::strncmp(text, "12 and", 6) == 0);
  std::free(text);
  std::free(std::malloc(0));
}

PLUMB_CASE(nullptr, "--strategy random --max-executions 2000", static_with_destructor) {
  static WithDestructor local;
  std::thread other([] { ++local.value; });
  ++local.value;
  other.join();
  assert(local.value == 3);
}

// --- accesses inside functions on strings --------------------------------------------------------

PLUMB_FINDS("race", length_of_what_is_written) {
  static char text[16] = "text";
  std::thread other([] { text[2] = 'x'; });
  assert(strlen(text) == 4);
  other.join();
}

PLUMB_FINDS("race", compares_what_is_written) {
  static char text[16] = "text", same[16] = "text";
  std::thread other([] { text[2] = 'x'; });
  assert(memcmp(text, same, eight) != 5);
  other.join();
}

PLUMB_FINDS("race", compares_strings) {
  static char text[16] = "text", same[16] = "text";
  std::thread other([] { text[2] = 'x'; });
  assert(strcmp(text, same) != 500);
  other.join();
}

PLUMB_FINDS("race", finds_a_byte) {
  static char text[16] = "text";
  std::thread other([] { text[2] = 'y'; });
  assert(memchr(text, 't', eight) != nullptr);
  assert(memchr(text, 'z', eight) == nullptr);
  other.join();
}

PLUMB_FINDS("race", copies_a_string) {
  static char text[16] = "text", to[16];
  std::thread other([] { to[1] = 'x'; });
  strcpy(to, text + eight - 8);
  other.join();
}

PLUMB_FINDS("race", copies_a_part) {
  static char text[16] = "text", to[16];
  std::thread other([] { to[7] = 'x'; });
  strncpy(to, text, eight);
  other.join();
}

PLUMB_HOLDS(strings_apart) {
  static char text[16] = "text", to[16], rest[16];
  std::thread other([] { text[5] = 'x'; });
  assert(strlen(text) == 4 && memchr(text, 'x', 3) != nullptr);
  strcpy(to, text);
  strncpy(rest, text, eight - 4);
  other.join();
  assert(strcmp(to, "text") == 0 && memcmp(rest, "text", eight - 4) == 0);
}

PLUMB_FINDS("use-after-free", length_of_what_was_freed) {
  char* const text = strdup("text");
  std::thread other([text] { std::free(text); });
  other.join();
  assert(strlen(text) < 100);
}

PLUMB_FINDS("out-of-bounds", string_does_not_fit) {
  static const char* const text = "four";
  char* const to = static_cast<char*>(std::malloc(eight - 4));
  std::thread other([to] { strcpy(to, text + eight - 8); });
  other.join();
}
