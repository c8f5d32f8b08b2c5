// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdlib>

namespace plumb::objects {

/// One of 0 .. count-1, at random. With count 1 it draws nothing: under `plumb test` every result
/// of std::rand is another execution.
inline std::size_t random_index(std::size_t count) {
  return count > 1 ? static_cast<std::size_t>(std::rand()) % count : 0;
}

}  // namespace plumb::objects
