// SPDX-License-Identifier: MIT
#include "session/closing.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/closing_record.hpp"

namespace plumb::session {
namespace {

int closing_pipe = -1;

// Before anything of the program runs. Only this process is to write to the pipe, and it is asked
// to end when its parent does: while it explores, it takes with it what the code under test forked.
__attribute__((constructor)) void find_closing_pipe() {
  const char* const number = std::getenv(kClosingVariable);
  if (number == nullptr) return;
  closing_pipe = std::atoi(number);
  fcntl(closing_pipe, F_SETFD, FD_CLOEXEC);
  unsetenv(kClosingVariable);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
}

}  // namespace

void write_closing_record(int status) {
  if (closing_pipe < 0) return;
  // If this fails, the parent has ended.
  [[maybe_unused]] const ssize_t n = write(closing_pipe, &status, sizeof status);
}

void leave(int status) {
  std::fflush(nullptr);
  write_closing_record(status);
  _exit(status);
}

}  // namespace plumb::session
