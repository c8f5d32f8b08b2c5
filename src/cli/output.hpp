// SPDX-License-Identifier: MIT
// Where results go: standard output, or a file that is opened before any work is done.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "plumb/result.hpp"

namespace plumb::cli {

class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  /// Empty or "-": standard output. Mode "a" adds to the end.
  Status open(const std::string& path, const char* mode = "w");
  void write(std::string_view text);
  /// Whoever reads us may have gone away, which is their right; anything else is an error.
  Status flush();
  bool is_terminal() const;

 private:
  std::FILE* file_ = stdout;
  std::string path_;
  int error_ = 0;
};

}  // namespace plumb::cli
