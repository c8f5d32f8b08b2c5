// SPDX-License-Identifier: MIT
#include "model/code/read_file.hpp"

#include <filesystem>

#include "base/read_text.hpp"

namespace plumb::model {

constexpr std::size_t kLargestModel = std::size_t{4} << 20;

Result<std::string> read_file(const std::string& file) { return read_text(file, kLargestModel); }

Result<std::string> read_named_file(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
    return Error{ErrorKind::bad_input, "is not a file", "", file};
  return read_file("./" / std::filesystem::path(file));
}

}  // namespace plumb::model
