// SPDX-License-Identifier: MIT
#include "child.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>

namespace plumb::bench {

ChildResult run_child(const std::vector<std::string>& command, double kill_after_seconds) {
  ChildResult result;
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  if (pipe(ends) != 0) return result;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  if (child > 0) {
    result.started = true;
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::duration<double>(kill_after_seconds);
    char buffer[4096];
    while (true) {
      const std::chrono::duration<double, std::milli> left = deadline - Clock::now();
      pollfd waiting{ends[0], POLLIN, 0};
      const int ready = poll(&waiting, 1, static_cast<int>(std::clamp(left.count(), 0.0, 1e9)));
      if (ready < 0) continue;  // interrupted
      if (ready == 0) {
        kill(child, SIGKILL);
        result.killed = true;
        break;
      }
      const ssize_t got = read(ends[0], buffer, sizeof buffer);
      if (got <= 0) break;
      result.output.append(buffer, static_cast<std::size_t>(got));
    }
    int status = 0;
    rusage used{};
    wait4(child, &status, 0, &used);
    if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
    result.peak_mib = static_cast<double>(used.ru_maxrss) / 1024;
  }
  close(ends[0]);
  return result;
}

}  // namespace plumb::bench
