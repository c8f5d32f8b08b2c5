// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "model/syntax/ast.hpp"

namespace plumb::model {

/// Throws: Mistake.
ModelText parse(std::string_view text);

}  // namespace plumb::model
