// SPDX-License-Identifier: MIT
// Runs the program as a user would: arguments in, exit status and both outputs back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace plumb::test {

struct Run {
  std::vector<std::string> args = {};
  std::string input = {};       // standard input, through a pipe
  std::string input_file = {};  // or this file
  std::size_t pause_at = 0;     // what follows so many bytes comes once the program waits
  std::map<std::string, std::string> environment = {};  // besides a clean one
  std::string directory = {};                           // empty: the tests' scratch folder
  double signal_after = 0;        // seconds of its own CPU time, or once it waits for its input
  int signal = 0;                 // 0: none
  bool keep_input_open = false;   // standard input never ends
  bool terminal = false;          // standard output is one
  bool input_terminal = false;    // standard input is one; it never ends
  bool closed_output = false;     // nobody reads standard output
  std::size_t address_space = 0;  // bytes (RLIMIT_AS); 0: no limit
};

struct RunResult {
  int status = -1;  // exit status; minus the signal if one ended it
  std::string out, err;
  double seconds = 0;
  double seconds_after_signal = 0;
  std::size_t peak_bytes = 0;
};

/// Ends the program after ten minutes: a test never hangs.
RunResult run_plumb(const Run& run);

/// What a busy machine may spoil now and then (a limit of time that is exceeded by little) is tried
/// until it is seen; what is wrong is so every time.
template <class Try>
bool sooner_or_later(Try seen) {
  for (int i = 0; i < 5; ++i)
    if (seen()) return true;
  return false;
}

/// A folder of this test process, made on first use, removed at exit.
const std::string& scratch();
/// Writes a file into it and returns its path.
std::string write_file(const std::string& name, const std::string& contents);

}  // namespace plumb::test
