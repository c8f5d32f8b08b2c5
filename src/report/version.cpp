// SPDX-License-Identifier: MIT
#include "report/version.hpp"

namespace plumb::report {

std::string_view version() { return PLUMB_VERSION; }

}  // namespace plumb::report
