// SPDX-License-Identifier: MIT
#include "cli/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>

#include "cli/watchdog.hpp"

namespace plumb::cli {
namespace {

constexpr int kLookEvery = 50;  // milliseconds

// A terminal sends Ctrl-C to both processes, and the second signal would end the child without an
// answer: so it listens to its parent only, which hands every interrupt on as SIGTERM, and it ends
// with it.
[[noreturn]] void answer(int fd, const std::function<std::string()>& work) {
  std::signal(SIGINT, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string text = work();
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t n = write(fd, text.data() + sent, text.size() - sent);
    if (n <= 0) _exit(1);
    sent += static_cast<std::size_t>(n);
  }
  _exit(0);  // not exit(): what is buffered belongs to the parent
}

}  // namespace

std::optional<std::string> in_child(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    answer(ends[1], work);
  }
  close(ends[1]);
  std::string text;
  bool told = false;
  for (bool open = child > 0; open;) {
    if (interrupted() && !told) {
      kill(child, SIGTERM);
      told = true;
    }
    pollfd ready = {ends[0], POLLIN, 0};
    if (poll(&ready, 1, kLookEvery) <= 0) continue;
    std::array<char, 65536> block;
    const ssize_t n = read(ends[0], block.data(), block.size());
    if (n > 0) text.append(block.data(), static_cast<std::size_t>(n));
    else open = false;
  }
  close(ends[0]);
  int status = 1;
  if (child > 0) waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return {};
  return text;
}

}  // namespace plumb::cli
