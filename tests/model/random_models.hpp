// SPDX-License-Identifier: MIT
// Random small objects. The specification of each is its own code, run without interruption, so
// what is decided is whether interruptions can be seen.
#pragma once

#include <random>
#include <string>

namespace plumb::refine {

/// Clients make a bounded number of calls unless they loop; the code has no loops. `plain`: with
/// nothing in it that native code does not know.
std::string random_model(std::mt19937& random, bool looping = false, bool plain = false);

}  // namespace plumb::refine
