// SPDX-License-Identifier: MIT
// What session_test.py runs. The variable MODE says what happens.
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include <plumb/explore.hpp>

namespace {

std::string_view mode() {
  const char* const given = std::getenv("MODE");
  return given == nullptr ? "" : given;
}

// Two threads; what happens if both see the same is up to the mode.
void lost_update(const char* what) {
  std::atomic<int> hits{0};
  const auto visit = [&hits] { hits = hits + 1; };
  std::thread other(visit);
  visit();
  other.join();
  if (hits == 2) return;
  switch (*what) {
    case 'k': raise(SIGKILL); break;
    case 's': raise(SIGSTOP); break;
    case 'h':
      for (;;) asm volatile("");
    default: assert(hits == 2);
  }
}

// With 8 steps there are more schedules than anybody waits for.
void many_steps(int each) {
  std::atomic<int> hits{0};
  const auto visit = [&hits, each] {
    for (int i = 0; i < each; ++i) ++hits;
  };
  plumb::parallel(visit, visit, visit);
  assert(hits == 3 * each);
}

// Many schedules are wrong, here and there.
void scattered() {
  std::atomic<int> order{0};
  const auto visit = [&order](int who) {
    for (int i = 0; i < 3; ++i) order = (order * 7 + who) % 9973;
  };
  plumb::parallel([&] { visit(1); }, [&] { visit(2); }, [&] { visit(3); });
  assert(order % 331 != 5);
}

void long_executions() {
  std::atomic<int> hits{0};
  const auto visit = [&hits] {
    for (int i = 0; i < 3000; ++i) ++hits;
  };
  plumb::parallel(visit, visit);
}

int two_calls(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  const plumb::Exploration first = plumb::explore([] { many_steps(8); }, "--max-executions 10");
  const plumb::Exploration second = plumb::explore([&word] {
    if (word == "it's wrong") lost_update("");
    else std::atomic<int>().fetch_add(1);
  });
  std::fputs(std::string(second.text()).c_str(), stdout);
  return second.status();
}

}  // namespace

int main(int argc, char** argv) {
  if (mode() == "nothing") return 0;
  // In this process and in those that run schedules.
  if (mode().starts_with("hungry"))
    mmap(nullptr, 200u << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
         -1, 0);
  if (mode() == "no children") signal(SIGCHLD, SIG_IGN);
  if (mode() == "two calls") return two_calls(argc, argv);
  return plumb::explore_main(argc, argv, [] {
    if (mode() == "many" || mode() == "hungry, for long") many_steps(8);
    else if (mode() == "some" || mode() == "hungry") many_steps(4);
    else if (mode() == "long") long_executions();
    else if (mode() == "scattered") scattered();
    else if (mode() == "nested") plumb::explore([] {});
    else lost_update(mode().data());
  });
}
