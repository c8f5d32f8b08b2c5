// SPDX-License-Identifier: MIT
// The program itself, started again to run schedules, and the board that is shared with it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/result.hpp"
#include "runtime/wire/board.hpp"
#include "runtime/wire/record.hpp"

namespace plumb::session {

/// The process that was started by one that watches, and is now at the call for which it was: never
/// returns there. Elsewhere it does nothing.
void run_if_child(const std::string& test, void* (*body)(void*), void* argument);
bool is_child();

/// The call that a child, or a replay, is meant to make: of this test, and the how many-th there.
int call_meant();

/// How this program was started, word by word.
std::vector<std::string> own_arguments();

/// Numbers the calls of explore() in a test (of GoogleTest; empty: elsewhere). They are the same in
/// a process that is started again, although that runs this test only.
int next_call(const std::string& test);

/// A history that was not seen before, and the schedule that gives it.
struct HistoryRecord {
  std::vector<runtime::OperationEvent> events;
  bool stuck = false;
  std::vector<std::uint8_t> schedule;
  std::uint64_t hash = 0;        // of those that are the same
  std::uint64_t executions = 0;  // so far, with this one
  runtime::Compared compared;    // likewise
};

class Process {
 public:
  ~Process();
  /// Makes the board.
  Status open();

  struct How {
    int call = 1;
    std::string gtest;  // run this test only
    bool loud = false;  // what it prints is shown
    std::function<void(const HistoryRecord&)> on_history;
    std::function<void(std::uint64_t number, std::string_view text)> on_name;  // of a result
    std::function<bool()> is_enough;  // no other history is needed; empty: all are
    bool stays = false;  // after the search, for another one that is started in the same way
  };
  /// Empty: it runs.
  std::string start(const How& how);
  /// Looks after it. False: it has ended, and status() says how.
  bool poll();
  void kill();
  int status() const { return status_; }
  bool is_running() const { return pid_ > 0 && !is_idle_; }
  /// Until there is something to look after, or for so long.
  void wait(long nanoseconds) const { wait({this}, nanoseconds); }
  static void wait(const std::vector<const Process*>& any, long nanoseconds);
  static void sleep(long nanoseconds) { wait({}, nanoseconds); }
  /// Of the running process: seconds of a processor, and its state as in /proc/PID/stat.
  double cpu_seconds() const;
  char state() const;
  /// The same in gdb, instead of this process. Returns only if that fails.
  std::string become_debugger(const How& how);

  runtime::Board& board() { return *board_; }
  const runtime::Board& board() const { return *board_; }

 private:
  std::vector<std::string> environment(const How& how, int pipe, int commands) const;
  void drain();
  void end_strays();  // after the process itself has ended
  void close_pipes();

  runtime::Board* board_ = nullptr;
  int fd_ = -1;
  pid_t pid_ = 0;
  int status_ = 0;
  int pipe_ = -1;         // histories come here
  int commands_ = -1;     // and here commands to search again are written
  bool is_idle_ = false;  // it waits for that
  std::vector<std::byte> received_;
  How how_;
};

}  // namespace plumb::session
