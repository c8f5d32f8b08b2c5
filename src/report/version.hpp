// SPDX-License-Identifier: MIT
#pragma once

#include "plumb/version.hpp"

namespace plumb::report {

using plumb::version;

}  // namespace plumb::report
