// SPDX-License-Identifier: MIT
#include "cli/tested_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/closing_record.hpp"
#include "base/processes.hpp"

extern char** environ;

namespace plumb::cli {
namespace fs = std::filesystem;
namespace {

// Signals that ask for an end. The terminal sends its own to all processes; those of a process go
// to us alone, so they are handed on.
constexpr int kEnds[] = {SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t program_pid = 0;
volatile std::sig_atomic_t was_asked_to_end = 0;

void hand_on(int signal, siginfo_t* about, void*) {
  const int before = errno;
  was_asked_to_end = 1;
  if (about->si_code != SI_KERNEL && program_pid > 0) kill(program_pid, signal);
  errno = before;
}

void set_hands_on() {
  struct sigaction action = {};
  action.sa_sigaction = hand_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int signal : kEnds) {
    struct sigaction old = {};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup
  }
}

// While it is blocked, a signal waits until it is known to whom it goes.
sigset_t block_ends(int how, const sigset_t* set) {
  sigset_t ends, old;
  sigemptyset(&ends);
  for (const int signal : kEnds) sigaddset(&ends, signal);
  sigprocmask(how, set == nullptr ? &ends : set, &old);
  return old;
}

// Returns: an error number.
int start(const fs::path& program, const std::vector<std::string>& words, const sigset_t& signals,
          int closing_pipe) {
  setenv(kClosingVariable, std::to_string(closing_pipe).c_str(), 1);
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.c_str(), nullptr, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  unsetenv(kClosingVariable);
  if (error == 0) program_pid = pid;
  return error;
}

// Several if the program starts others that explore: then the first that is not 0.
std::optional<int> closing_status(int pipe) {
  std::optional<int> status;
  for (int one = 0; read(pipe, &one, sizeof one) == sizeof one;)
    if (!status || *status == 0) status = one;
  return status;
}

Result<ExitStatus> judge(int status, std::optional<int> closed, const std::string& file) {
  const auto bad = [&file](std::string message) {
    return Error{ErrorKind::bad_input, std::move(message), "", file, 0};
  };
  if (WIFEXITED(status) && closed)
    return static_cast<ExitStatus>(WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : *closed);
  if (closed && *closed != 0) return static_cast<ExitStatus>(*closed);
  if (was_asked_to_end) return ExitStatus::interrupted;
  if (WIFEXITED(status)) {
    return bad(
        fmt::format("the program ended itself, with status {}, before it came to its end: it "
                    "calls _exit or replaces itself outside of the code under test",
                    WEXITSTATUS(status)));
  }
  const int signal = WTERMSIG(status);
  if (signal == SIGKILL) {
    return Error{ErrorKind::internal, "the program was killed (signal 9)",
                 "perhaps the system ran out of memory", file, 0};
  }
  return bad(
      fmt::format("signal {} ({}) ended the program outside of the code under test, perhaps "
                  "in the constructor of a global object",
                  signal, strsignal(signal)));
}

}  // namespace

Result<ExitStatus> run_tested(const fs::path& program, const std::vector<std::string>& words,
                              const std::string& file) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Error{ErrorKind::internal, fmt::format("no pipe: {}", std::strerror(errno))};
  fcntl(ends[1], F_SETFD, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what the program leaves behind comes to us
  const sigset_t signals = block_ends(SIG_BLOCK, nullptr);
  set_hands_on();
  const int error = start(program, words, signals, ends[1]);
  block_ends(SIG_SETMASK, &signals);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    if (error == EAGAIN || error == ENOMEM)
      return Error{ErrorKind::internal, "the system starts no more processes", "raise ulimit -u",
                   file, 0};
    return Error{ErrorKind::bad_input,
                 fmt::format("the program could not be run: {}", std::strerror(error)), "", file,
                 0};
  }
  int status = 0;
  while (waitpid(program_pid, &status, 0) < 0 && errno == EINTR) {}
  program_pid = 0;
  end_children([](int) { return true; });
  const std::optional<int> closed = closing_status(ends[0]);
  close(ends[0]);
  return judge(status, closed, file);
}

}  // namespace plumb::cli
