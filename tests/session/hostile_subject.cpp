// SPDX-License-Identifier: MIT
// What hostile_test.py runs: a lost update, and code around it that would hide it. The variable
// MODE says how.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <plumb/explore.hpp>

namespace {

std::string_view mode() {
  const char* const given = std::getenv("MODE");
  return given == nullptr ? "" : given;
}

struct Global {
  Global() {
    if (mode() == "constructor leaves") _exit(0);
    if (mode() == "constructor throws") throw std::runtime_error("no configuration");
  }
  ~Global() {
    if (mode() == "destructor leaves") _exit(0);
  }
} global;

// A process that outlives its parent and has left its session.
void fork_twice() {
  if (fork() != 0) return;
  if (fork() == 0) {
    setsid();
    execlp("sleep", "sleep", std::getenv("SECONDS_LEFT"), nullptr);
  }
  _exit(0);
}

void many_steps() {
  std::atomic<int> hits{0};
  const auto visit = [&hits] {
    for (int i = 0; i < 8; ++i) ++hits;
  };
  plumb::parallel(visit, visit, visit);
}

// In the first execution only. Who waits for the folder ONCE sees that it has begun.
void once() {
  const char* const folder = std::getenv("ONCE");
  if (folder != nullptr && mkdir(folder, 0700) == 0 && mode() == "forks, then many") fork_twice();
}

void lost_update() {
  once();
  if (mode().ends_with("many") && mode() != "found, then many") return many_steps();
  if (mode() == "found, then many" && plumb::choose(2) == 1) return many_steps();
  std::atomic<int> hits{0};
  const auto visit = [&hits] {
    hits = hits + 1;
    if (mode() == "execs") execl("/bin/true", "true", nullptr);
    if (mode() == "leaves") _exit(0);
  };
  std::thread other(visit);
  visit();
  other.join();
  if (mode() == "forks") fork_twice();
  assert(hits == 2);
}

}  // namespace

int main(int argc, char** argv) {
  if (mode() == "handler leaves") std::atexit([] { _exit(0); });
  if (mode() == "main leaves") _exit(0);
  if (mode() == "main execs") execl("/bin/true", "true", nullptr);
  if (mode().starts_with("explore")) {
    if (mode() == "explore, handler leaves") std::atexit([] { _exit(0); });
    return plumb::explore(lost_update).status();
  }
  return plumb::explore_main(argc, argv, lost_update);
}
