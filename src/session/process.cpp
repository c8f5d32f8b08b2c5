// SPDX-License-Identifier: MIT
#include "session/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <new>

#include "base/exit_status.hpp"
#include "base/processes.hpp"
#include "runtime/search.hpp"
#include "session/closing.hpp"

extern char** environ;

namespace plumb::session {

using runtime::Board;

namespace {

constexpr const char* kBoardVariable = "PLUMB_BOARD";  // the board's file descriptor
constexpr const char* kCallVariable = "PLUMB_CALL";    // which call of explore() is meant
constexpr const char* kTestVariable = "PLUMB_TEST";    // in which test
constexpr const char* kPipeVariable = "PLUMB_PIPE";    // where histories go
constexpr const char* kCommandsVariable =
    "PLUMB_COMMANDS";  // where the command to search again comes from
constexpr const char* kParentVariable = "PLUMB_PARENT";  // who watches

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

// Numbers have a fixed width: the stack of main() begins below these texts, and must not move from
// one process to the next.
std::string environment_variable(const char* name, int value) {
  char text[64];
  std::snprintf(text, sizeof text, "%s=%010d", name, value);
  return text;
}

int number_in(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? -1 : std::atoi(text);
}

// Before anything of the program runs. Whoever watches may be killed at any moment, and then nobody
// wants to know. An interrupt from the terminal goes to both processes; it is for who watches.
__attribute__((constructor)) void end_with_parent() {
  if (!is_child()) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != number_in(kParentVariable)) _exit(0);  // it was gone before that
  signal(SIGINT, SIG_IGN);
}

}  // namespace

bool is_child() { return std::getenv(kBoardVariable) != nullptr; }

int call_meant() { return std::max(1, number_in(kCallVariable)); }

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all(std::istreambuf_iterator<char>(file), {});
  std::vector<std::string> words;
  for (std::size_t at = 0; at < all.size();) {
    words.emplace_back(all.c_str() + at);
    at += words.back().size() + 1;
  }
  return words;
}

int next_call(const std::string& test) {
  static std::map<std::string, int> calls;
  return ++calls[test];
}

// What the code under test forked and left behind has the environment of its process: all but these
// two variables may be those of others that this program has started.
static bool is_stray(int pid, int board) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  const std::string all(std::istreambuf_iterator<char>(file), {});
  return all.find(environment_variable(kBoardVariable, board)) != all.npos &&
         all.find(environment_variable(kParentVariable, getpid())) != all.npos;
}

void run_if_child(const std::string& test, void* (*body)(void*), void* argument) {
  const char* const meant = std::getenv(kTestVariable);
  if (!is_child() || test != (meant == nullptr ? "" : meant)) return;
  if (next_call(test) != call_meant()) return;
  void* const memory = mmap(nullptr, Board::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                            number_in(kBoardVariable), 0);
  auto* const board = static_cast<Board*>(memory);
  if (memory == MAP_FAILED || board->magic != Board::kMagic) _exit(to_int(ExitStatus::internal));
  runtime::search(*board, number_in(kPipeVariable), number_in(kCommandsVariable), body, argument);
  _exit(0);
}

Status Process::open() {
  fd_ = memfd_create("plumb", MFD_CLOEXEC);
  const bool is_sized = fd_ >= 0 && ftruncate(fd_, Board::kBytes) == 0;
  void* const memory =
      is_sized ? mmap(nullptr, Board::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0)
               : MAP_FAILED;
  if (memory == MAP_FAILED)
    return Error{ErrorKind::internal, std::string("cannot be used: ") + std::strerror(errno),
                 errno == EFBIG ? "ulimit -f allows only smaller files" : "",
                 "memory for the process under test"};
  board_ = new (memory) Board;
  return {};
}

Process::~Process() {
  kill();
  if (board_ != nullptr) munmap(board_, Board::kBytes);
  if (fd_ >= 0) close(fd_);
}

// It becomes a child of ours when the process under test is gone.
void Process::end_strays() {
  pid_ = 0;
  end_children([this](int pid) { return is_stray(pid, fd_); });
}

// All calls of libraries are bound at once: a table of addresses that is filled on demand would be
// reset with the globals, again and again.
std::vector<std::string> Process::environment(const How& how, int pipe, int commands) const {
  std::vector<std::string> variables = {
      environment_variable(kBoardVariable, fd_),
      environment_variable(kCallVariable, how.call),
      environment_variable(kParentVariable, getpid()),
      environment_variable(kPipeVariable, pipe),
      environment_variable(kCommandsVariable, commands),
      std::string(kTestVariable) + "=" + how.gtest,
      "LD_BIND_NOW=1",
  };
  const std::size_t own = variables.size();
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string text = *e;
    const std::string name = text.substr(0, text.find('=') + 1);
    bool ours = name.starts_with("GTEST_") || name == "PLUMB_REPLAY=";
    for (std::size_t i = 0; i < own; ++i) ours = ours || variables[i].starts_with(name);
    if (!ours) variables.push_back(text);
  }
  return variables;
}

// Addresses must not change from one process to the next: schedules are compared and replayed.
std::string Process::start(const How& how) {
  how_ = how;
  if (is_idle_ && how.stays) {
    const char go = 1;
    if (write(commands_, &go, 1) == 1) {
      is_idle_ = false;
      return {};
    }
  }
  kill();
  std::vector<std::string> words = own_arguments();
  if (!how.gtest.empty()) words.push_back("--gtest_filter=" + how.gtest);
  // Of what other threads open for their processes, this one gets nothing.
  static std::mutex starting;
  const std::lock_guard lock(starting);
  int ends[2] = {-1, -1};
  int commands[2] = {-1, -1};
  received_.clear();
  if (how.on_history != nullptr && pipe2(ends, O_CLOEXEC) == 0) {
    fcntl(ends[1], F_SETFD, 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pipe_ = ends[0];
  }
  if (how.stays && pipe2(commands, O_CLOEXEC) == 0) {
    fcntl(commands[0], F_SETFD, 0);
    commands_ = commands[1];
  }
  std::vector<std::string> variables = environment(how, ends[1], commands[0]);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(variables);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (how.loud) {
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  } else {
    // What the code prints a million times over is for nobody.
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  fcntl(fd_, F_SETFD, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const int old = personality(0xffffffff);
  personality(static_cast<unsigned long>(old) | ADDR_NO_RANDOMIZE);
  const int error =
      posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, argv.data(), envp.data());
  personality(static_cast<unsigned long>(old));
  posix_spawn_file_actions_destroy(&actions);
  fcntl(fd_, F_SETFD, FD_CLOEXEC);
  if (ends[1] >= 0) close(ends[1]);
  if (commands[0] >= 0) close(commands[0]);
  if (error == 0) return {};
  pid_ = 0;
  if (error == EAGAIN) return "the system starts no more processes (raise ulimit -u)";
  return std::string("the program could not be started again: ") + std::strerror(error);
}

bool Process::poll() {
  if (!is_running()) return false;
  const pid_t done = waitpid(pid_, &status_, WNOHANG);
  const bool runs = done == 0 || (done < 0 && errno == EINTR);
  drain();
  if (runs) return !is_idle_;
  if (done < 0) status_ = 0;  // the program lets nobody wait for its children (SIGCHLD is ignored)
  end_strays();
  drain();
  close_pipes();
  return false;
}

void Process::wait(const std::vector<const Process*>& any, long nanoseconds) {
  const timespec pause{0, nanoseconds};
  std::vector<pollfd> pipes;
  for (const Process* const process : any)
    if (process->pipe_ >= 0) pipes.push_back({process->pipe_, POLLIN, 0});
  ppoll(pipes.data(), pipes.size(), &pause, nullptr);
}

void Process::close_pipes() {
  for (int* const end : {&pipe_, &commands_}) {
    if (*end >= 0) close(*end);
    *end = -1;
  }
  is_idle_ = false;
}

double Process::cpu_seconds() const {
  clockid_t clock{};
  timespec used{};
  if (pid_ <= 0 || clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0)
    return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

char Process::state() const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t after = text.rfind(')');  // the name before it may hold anything
  return after == text.npos || after + 2 >= text.size() ? '?' : text[after + 2];
}

void Process::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  waitpid(pid_, &status_, 0);
  end_strays();
  drain();
  close_pipes();
}

// Records, each with a head (runtime::search writes them).
void Process::drain() {
  if (pipe_ < 0) return;
  std::byte buffer[65536];
  for (ssize_t n = 0; (n = read(pipe_, buffer, sizeof buffer)) > 0;) {
    received_.insert(received_.end(), buffer, buffer + n);
    if (received_.size() > (1U << 22)) break;
  }
  std::size_t at = 0;
  for (;;) {
    runtime::RecordHead head;
    if (received_.size() - at < sizeof head) break;
    std::memcpy(&head, received_.data() + at, sizeof head);
    const std::size_t events = head.events * sizeof(runtime::OperationEvent);
    if (received_.size() - at - sizeof head < events + head.choices + head.length) break;
    if (head.kind == runtime::RecordHead::Kind::end) is_idle_ = true;
    if (head.kind == runtime::RecordHead::Kind::name) {
      const auto* const text = reinterpret_cast<const char*>(received_.data() + at + sizeof head);
      if (how_.on_name) how_.on_name(head.number, {text, head.length});
    }
    if (head.kind != runtime::RecordHead::Kind::history) {
      at += sizeof head + head.length;
      continue;
    }
    HistoryRecord record;
    record.stuck = head.stuck != 0;
    record.hash = head.hash;
    record.executions = head.number;
    record.compared = head.compared;
    record.events.resize(head.events);
    if (head.events > 0)
      std::memcpy(record.events.data(), received_.data() + at + sizeof head, events);
    const auto* const choices =
        reinterpret_cast<const std::uint8_t*>(received_.data() + at + sizeof head + events);
    record.schedule.assign(choices, choices + head.choices);
    at += sizeof head + events + head.choices;
    how_.on_history(record);
  }
  received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(at));
}

std::string Process::become_debugger(const How& how) {
  fcntl(fd_, F_SETFD, 0);
  for (const std::string& text : environment(how, -1, -1)) {
    const std::size_t equals = text.find('=');
    setenv(text.substr(0, equals).c_str(), text.c_str() + equals + 1, 1);
  }
  std::vector<std::string> words = {
      "gdb", "-q", "-ex", "set startup-with-shell off", "-ex", "set breakpoint pending on",
      // In code without hooks (runtime/unseen) it is ours.
      "-ex", "handle SIGILL nostop noprint pass", "-ex", "break plumb_finding", "-ex", "run", "-ex",
      "up", "--args", "/proc/self/exe"};
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length > 0) words.back() = std::string(path, static_cast<std::size_t>(length));
  const std::vector<std::string> own = own_arguments();
  for (std::size_t i = 1; i < own.size(); ++i) words.push_back(own[i]);
  if (!how.gtest.empty()) words.push_back("--gtest_filter=" + how.gtest);
  write_closing_record(to_int(ExitStatus::holds));  // gdb writes none
  execvp("gdb", pointers(words).data());
  return std::string("gdb could not be started: ") + std::strerror(errno);
}

}  // namespace plumb::session
