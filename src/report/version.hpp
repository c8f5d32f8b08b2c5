// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace plumb::report {

std::string_view version();  // "0.1.0"

}  // namespace plumb::report
