// SPDX-License-Identifier: MIT
// A test, from its source to its verdict: for plumb test, and for plumb replay.
#pragma once

#include <string>
#include <vector>

#include "base/exit_status.hpp"
#include "plumb/result.hpp"

namespace plumb::cli {

struct TestArguments {
  std::string file;                // in C++, or a program
  std::vector<std::string> flags;  // of the compiler
  std::vector<std::string> link;
  std::string target, compile_commands;  // see find_target; empty: none
  std::vector<std::string> options;      // of the program
  // Of these: what the compiler obeys as well. 0: no limit.
  double timeout = 0;
  std::size_t memory_bytes = 0;
  bool json = false;
};

/// By its name.
bool is_source(const std::string& file);

/// Builds what has to be built, and runs it. Returns: how the program ended.
Result<ExitStatus> build_and_run(const TestArguments& test);

}  // namespace plumb::cli
