// SPDX-License-Identifier: MIT
#include "session/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <new>

extern char** environ;

namespace plumb::session {

using runtime::Board;

namespace {

constexpr const char* kBoardVariable = "PLUMB_BOARD";  // the board's file descriptor
constexpr const char* kCallVariable = "PLUMB_CALL";    // which call of explore() is meant
constexpr const char* kTestVariable = "PLUMB_TEST";    // in which test
constexpr const char* kPipeVariable = "PLUMB_PIPE";    // where histories go

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

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? -1 : std::atoi(text);
}

}  // namespace

bool is_child() { return std::getenv(kBoardVariable) != nullptr; }

int next_call(const std::string& test) {
  static std::map<std::string, int> calls;
  return ++calls[test];
}

void run_if_child(const std::string& test, void* (*body)(void*), void* argument) {
  const char* const meant = std::getenv(kTestVariable);
  if (!is_child() || test != (meant == nullptr ? "" : meant)) return;
  if (next_call(test) != number_in(kCallVariable)) return;
  void* const memory = mmap(nullptr, Board::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                            number_in(kBoardVariable), 0);
  auto* const board = static_cast<Board*>(memory);
  if (memory == MAP_FAILED || board->magic != Board::kMagic) _exit(70);
  runtime::search(*board, number_in(kPipeVariable), body, argument);
  _exit(0);
}

std::string Process::open(const std::string& file, bool& kept) {
  file_ = file;
  fd_ = file.empty() ? memfd_create("plumb", 0) : ::open(file.c_str(), O_RDWR | O_CREAT, 0600);
  struct stat before {};
  const std::string trouble = file.empty() ? "no memory to share with the process under test"
                                           : file + " cannot be used to keep the search";
  if (fd_ < 0 || fstat(fd_, &before) != 0) return trouble + ": " + std::strerror(errno);
  kept = before.st_size == static_cast<off_t>(Board::kBytes);
  if (before.st_size != 0 && !kept) return trouble + ": it is something else";
  if (ftruncate(fd_, Board::kBytes) != 0) return trouble + ": " + std::strerror(errno);
  void* const memory = mmap(nullptr, Board::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (memory == MAP_FAILED) return trouble + ": " + std::strerror(errno);
  board_ = static_cast<Board*>(memory);
  if (kept && board_->magic != Board::kMagic) return trouble + ": it is something else";
  if (!kept) new (memory) Board;
  return {};
}

void Process::remove_file() {
  if (!file_.empty()) unlink(file_.c_str());
}

Process::~Process() {
  kill();
  if (board_ != nullptr) munmap(board_, Board::kBytes);
  if (fd_ >= 0) close(fd_);
}

// All calls of libraries are bound at once: a table of addresses that is filled on demand would be
// reset with the globals, again and again.
std::vector<std::string> Process::environment(const How& how) const {
  std::vector<std::string> variables;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string variable = *e;
    if (!variable.starts_with("PLUMB_BOARD=") && !variable.starts_with("PLUMB_TEST=") &&
        !variable.starts_with("LD_BIND_NOW=") && !variable.starts_with("GTEST_")) {
      variables.push_back(variable);
    }
  }
  variables.push_back(std::string(kBoardVariable) + "=" + std::to_string(fd_));
  variables.push_back(std::string(kCallVariable) + "=" + std::to_string(how.call));
  variables.push_back(std::string(kTestVariable) + "=" + how.gtest);
  variables.push_back("LD_BIND_NOW=1");
  return variables;
}

// Addresses must not change from one process to the next: schedules are compared and replayed.
std::string Process::start(const How& how) {
  std::vector<std::string> words = own_arguments();
  if (!how.gtest.empty()) words.push_back("--gtest_filter=" + how.gtest);
  std::vector<std::string> variables = environment(how);
  int ends[2] = {-1, -1};
  on_history_ = how.on_history;
  received_.clear();
  if (on_history_ != nullptr && pipe2(ends, O_CLOEXEC) == 0) {
    fcntl(ends[1], F_SETFD, 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pipe_ = ends[0];
  }
  variables.push_back(std::string(kPipeVariable) + "=" + std::to_string(ends[1]));
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
  const int old = personality(0xffffffff);
  personality(static_cast<unsigned long>(old) | ADDR_NO_RANDOMIZE);
  const int error =
      posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, argv.data(), envp.data());
  personality(static_cast<unsigned long>(old));
  posix_spawn_file_actions_destroy(&actions);
  if (ends[1] >= 0) close(ends[1]);
  if (error == 0) return {};
  pid_ = 0;
  return std::string("the program could not be started anew: ") + std::strerror(error);
}

bool Process::poll() {
  if (pid_ <= 0) return false;
  const pid_t done = waitpid(pid_, &status_, WNOHANG);
  drain();
  if (done != pid_) return true;
  pid_ = 0;
  drain();
  if (pipe_ >= 0) close(pipe_);
  pipe_ = -1;
  return false;
}

void Process::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  waitpid(pid_, &status_, 0);
  pid_ = 0;
  drain();
  if (pipe_ >= 0) close(pipe_);
  pipe_ = -1;
}

// A record: a head, then events, then the schedule (runtime::search writes them).
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
    const std::size_t events = head.events * sizeof(runtime::Event);
    if (received_.size() - at - sizeof head < events + head.choices) break;
    HistoryRecord record;
    record.stuck = head.stuck != 0;
    record.events.resize(head.events);
    if (head.events > 0)
      std::memcpy(record.events.data(), received_.data() + at + sizeof head, events);
    const auto* const choices =
        reinterpret_cast<const std::uint8_t*>(received_.data() + at + sizeof head + events);
    record.schedule.assign(choices, choices + head.choices);
    at += sizeof head + events + head.choices;
    on_history_(record);
  }
  received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(at));
}

std::string Process::become_debugger(const How& how) {
  for (const std::string& variable : environment(how)) {
    const std::size_t equals = variable.find('=');
    setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
  }
  setenv(kPipeVariable, "-1", 1);
  std::vector<std::string> words = {"gdb",    "-q",
                                    "-ex",    "set startup-with-shell off",
                                    "-ex",    "set breakpoint pending on",
                                    "-ex",    "break plumb_finding",
                                    "-ex",    "run",
                                    "-ex",    "up",
                                    "--args", "/proc/self/exe"};
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length > 0) words.back() = std::string(path, static_cast<std::size_t>(length));
  const std::vector<std::string> own = own_arguments();
  for (std::size_t i = 1; i < own.size(); ++i) words.push_back(own[i]);
  if (!how.gtest.empty()) words.push_back("--gtest_filter=" + how.gtest);
  execvp("gdb", pointers(words).data());
  return std::string("gdb could not be started: ") + std::strerror(errno);
}

}  // namespace plumb::session
