// SPDX-License-Identifier: MIT
// How many random histories, and which.
//
//   PLUMB_ORACLE_N   histories of each specification (20,000; under a sanitizer 1,000)
//   PLUMB_SEED       which (support/draws.hpp)
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "check/problem/engine.hpp"
#include "support/draws.hpp"
#include "support/history_text.hpp"
#include "support/random_history.hpp"

namespace plumb::test {

#ifdef PLUMB_SANITIZED
inline constexpr std::uint64_t kHistories = 1'000;
#else
inline constexpr std::uint64_t kHistories = 20'000;
#endif

inline std::uint64_t histories() { return number_from("PLUMB_ORACLE_N", kHistories); }

/// Those of one PLUMB_SEED, one specification and one history do not meet those of another.
inline std::uint64_t seed_of(const Specification& specification, std::uint64_t i) {
  std::uint64_t h = seed();
  for (const char c : specification.name())
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h * 0x9e3779b97f4a7c15u + i;
}

/// For GoogleTest, which allows no hyphens.
inline std::string test_name(const Specification& specification) {
  std::string name = specification.name();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

inline Verdict definition(const Problem& problem) {
  Budget budget;
  return decide_brute(problem, budget).verdict;
}

}  // namespace plumb::test
