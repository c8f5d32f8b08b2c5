// SPDX-License-Identifier: MIT
#include "check/property/quasi/least_factor.hpp"

namespace plumb::quasi {

std::optional<std::int64_t> find_least_factor(std::size_t most,
                                              const std::function<Verdict(std::int64_t)>& decide) {
  std::int64_t fails = -1, passes = static_cast<std::int64_t>(most);
  // Small ones are likely, and cheap.
  for (std::int64_t k = 0; k < passes; k = 2 * k + 1) {
    const Verdict verdict = decide(k);
    if (verdict == Verdict::undecided) return std::nullopt;
    (verdict == Verdict::holds ? passes : fails) = k;
    if (verdict == Verdict::holds) break;
  }
  if (passes == static_cast<std::int64_t>(most)) {
    const Verdict verdict = decide(passes);
    if (verdict == Verdict::undecided) return std::nullopt;
    if (verdict == Verdict::violation) return -1;
  }
  while (passes - fails > 1) {
    const std::int64_t k = fails + (passes - fails) / 2;
    const Verdict verdict = decide(k);
    if (verdict == Verdict::undecided) return std::nullopt;
    (verdict == Verdict::holds ? passes : fails) = k;
  }
  return passes;
}

}  // namespace plumb::quasi
