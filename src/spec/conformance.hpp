// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "plumb/specification.hpp"

namespace plumb {

/// Compares the specification with a family's reference, as described in conformance.cpp.
/// Returns: the first difference, "after push(1), pop() returns 2, where ..."; empty: none found.
std::string why_not_of_family(const Specification& specification, Family family);

}  // namespace plumb
