// SPDX-License-Identifier: MIT
#pragma once

#include "plumb/result.hpp"

namespace plumb::cli {

/// Where the system's limit of stacks is low, this thread and later ones, and the programs that we
/// start, get as much as usual. An error: the limit can't be raised, and is too low.
Status enlarge_stacks();

}  // namespace plumb::cli
