// SPDX-License-Identifier: MIT
// Files of models.
#pragma once

#include <string>

#include "plumb/result.hpp"

namespace plumb::model {

/// The text of a model, which has at most 4 MiB; "-" is standard input.
Result<std::string> read_file(const std::string& file);
/// The same for what a model names (`spec "FILE"`): it must be an ordinary file.
Result<std::string> read_named_file(const std::string& file);

}  // namespace plumb::model
