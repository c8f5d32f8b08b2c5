// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "plumb/verdict.hpp"

namespace plumb::quasi {

/// The least k for which decide(k) holds: -1 if there is none, nothing if one of them could not be
/// decided. What holds for k holds for k + 1, and more than `most` never helps.
std::optional<std::int64_t> find_least_factor(std::size_t most,
                                              const std::function<Verdict(std::int64_t)>& decide);

}  // namespace plumb::quasi
