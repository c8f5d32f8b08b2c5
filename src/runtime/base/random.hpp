// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::runtime {

/// A random number: one of 0..Options::random_values-1, all of which are explored.
std::uint64_t explored_random();

/// Random bytes that begin with such a number.
void fill_random(void* buffer, std::size_t bytes);

}  // namespace plumb::runtime
