// SPDX-License-Identifier: MIT
#include "session/program.hpp"

#include <unistd.h>

#include <cstdlib>

#include "base/shell.hpp"

namespace plumb::session {
namespace {

std::string own_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  return length < 0 ? "PROGRAM" : std::string(path, static_cast<std::size_t>(length));
}

}  // namespace

bool is_run_by_plumb() { return std::getenv("PLUMB_PROGRAM") != nullptr; }

std::string own_command() {
  const char* const given = std::getenv("PLUMB_PROGRAM");
  return given != nullptr ? given : shell_word(own_path());
}

std::string own_name() {
  if (const char* given = std::getenv("PLUMB_NAME")) return given;
  const std::string path = own_path();
  return path.substr(path.find_last_of('/') + 1);
}

}  // namespace plumb::session
