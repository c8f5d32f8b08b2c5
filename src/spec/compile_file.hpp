// SPDX-License-Identifier: MIT
// A user's C++ file, compiled into the cache unless it is there: a specification, or a program
// under test.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/compiler_driver.hpp"
#include "plumb/result.hpp"

namespace plumb {

struct CompileRequest {
  std::string file;
  std::string what;                // for messages: "specification"
  std::vector<std::string> flags;  // before the file
  std::vector<std::string> link;   // after it
  std::string suffix;              // of what is made
  CommandLimits limits = {};
  CommandEnd::By* ended_by = nullptr;  // if not null: says which of them ended the compiler
  bool precompiles = false;            // its headers, once it is compiled again
};

/// Returns: what was made.
Result<std::filesystem::path> compile_file(const CompileRequest& request,
                                           const std::filesystem::path& cache);

/// Of the list of files that a compiler has written by -MD.
std::vector<std::string> parse_dependencies(const std::string& text);

/// Where Plumb's headers are.
std::filesystem::path include_folder();

}  // namespace plumb
