// SPDX-License-Identifier: MIT
#include "model/code/read_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace plumb::model {
namespace {

constexpr std::size_t kLargestFile = std::size_t{4} << 20;

}  // namespace

Result<std::string> checked_length(std::string text, const std::string& file) {
  if (text.size() > kLargestFile)
    return Error{ErrorKind::bad_input, "the model is too long", "at most 4 MiB", file};
  return text;
}

Result<std::string> read_file(const std::string& file) {
  errno = 0;
  std::error_code ignored;
  std::string text;
  const bool folder = std::filesystem::is_directory(file, ignored);
  std::ifstream in;
  if (!folder) in.open(file, std::ios::binary);
  if (in.is_open()) text.assign(std::istreambuf_iterator<char>(in), {});
  if (!in.is_open() || in.bad())
    return Error{ErrorKind::missing_file,
                 fmt::format("cannot be read: {}", std::strerror(folder ? EISDIR : errno)),
                 "give the name of a readable file", file};
  return checked_length(std::move(text), file);
}

Result<std::string> read_named_file(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
    return Error{ErrorKind::bad_input, "is not a file", "", file};
  return read_file("./" / std::filesystem::path(file));
}

}  // namespace plumb::model
