// SPDX-License-Identifier: MIT
// Files of models.
#pragma once

#include <string>

#include "plumb/result.hpp"

namespace plumb::model {

/// An error if it is longer than a model may be.
Result<std::string> checked_length(std::string text, const std::string& file);
/// The text of a model.
Result<std::string> read_file(const std::string& file);
/// The same for what a model names (`spec "FILE"`): it must be an ordinary file.
Result<std::string> read_named_file(const std::string& file);

}  // namespace plumb::model
