// SPDX-License-Identifier: MIT
// Files that are read as a whole: models, reports. They come from anywhere, so each has a limit.
#pragma once

#include <cstddef>
#include <string>

#include "plumb/result.hpp"

namespace plumb {

/// "-" is standard input. An error if the file cannot be read, is a folder, or has more than `most`
/// bytes, of which no more are read.
Result<std::string> read_text(const std::string& file, std::size_t most);

}  // namespace plumb
