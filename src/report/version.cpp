// SPDX-License-Identifier: MIT
#include "plumb/version.hpp"

namespace plumb {

const char* version() { return PLUMB_VERSION; }

}  // namespace plumb
