// SPDX-License-Identifier: MIT
// Finds what is hidden (hidden.hpp) in the code that is loaded. The C and C++ libraries and the
// runtime itself are left out: their calls are hooks. Of the C++ library only what its containers
// do outside of its headers is read.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/unseen/hidden.hpp"

namespace plumb::runtime {

/// Sorted by address. `all`: also what hooks announce, since a function with hooks may access
/// memory without one (inline assembly).
std::vector<Hidden> survey_code(bool all);

}  // namespace plumb::runtime
