// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "session/settings.hpp"

namespace plumb::session {

/// What a search, or tests, that are kept in a file must agree with: the code, and what was asked
/// of it. `arguments` are what the code under test may depend on. Limits may change from one run to
/// the next.
std::uint64_t identity_of(const Settings& settings, const std::string& gtest, int call,
                          const std::vector<std::string>& arguments);

/// The same of tests of an object: with all options of those.
std::uint64_t object_identity_of(const Settings& settings, const std::string& gtest, int call,
                                 std::vector<std::string> arguments);

}  // namespace plumb::session
