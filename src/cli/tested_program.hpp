// SPDX-License-Identifier: MIT
// Runs a program under test, and believes what its exit status says only with its closing record
// (base/closing_record.hpp).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/exit_status.hpp"
#include "plumb/result.hpp"

namespace plumb::cli {

/// `file`: what the user calls the program. Returns: its exit status.
/// Requires: no other thread runs, and this process has no children.
Result<ExitStatus> run_tested(const std::filesystem::path& program,
                              const std::vector<std::string>& words, const std::string& file);

}  // namespace plumb::cli
