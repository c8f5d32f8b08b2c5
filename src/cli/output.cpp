// SPDX-License-Identifier: MIT
#include "cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace plumb::cli {

Output::~Output() {
  if (file_ != stdout) std::fclose(file_);
}

Status Output::open(const std::string& path, const char* mode) {
  if (path.empty() || path == "-") return {};
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (!file)
    return Error{ErrorKind::usage, fmt::format("cannot write it: {}", std::strerror(errno)),
                 "choose another file", path};
  file_ = file;
  path_ = path;
  return {};
}

void Output::write(std::string_view text) {
  if (error_ == 0 && std::fwrite(text.data(), 1, text.size(), file_) != text.size()) error_ = errno;
}

Status Output::flush() {
  if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0 || error_ == EPIPE) return {};
  return Error{ErrorKind::internal, fmt::format("cannot write: {}", std::strerror(error_)),
               "make room, or choose another file", path_.empty() ? "standard output" : path_};
}

bool Output::is_terminal() const { return isatty(fileno(file_)) != 0; }

}  // namespace plumb::cli
