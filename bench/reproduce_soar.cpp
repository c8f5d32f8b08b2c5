// SPDX-License-Identifier: MIT
// plumb_reproduce soar: the comparison of Guerraoui & Vukolic, "A scalable and oblivious atomicity
// assertion" (2008), section 4.2 and Figure 7: the time of CLMT and SOAR against the number of
// operations, for atomic executions and for others.
//
// The paper's times are those of a model checker that evaluates the assertion in every state; ours
// are those of one compiled evaluation: ratios between columns are comparable, seconds are not. The
// paper's CLMT is the one with the single-writer optimisation (column clmt). Its figures for one
// execution: Figure 2 without r21, 5 operations, not atomic: SOAR 15 ms, CLMT more than 70 s.
//
// One writer, one reader, half of the operations are writes (exactly half in short histories, so
// that all histories of a row have the same number of relations).
#include "reproduce_soar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "plumb/check.hpp"
#include "simulated_history.hpp"

namespace plumb::bench {
namespace {

constexpr const char* kEngines[] = {"clmt-literal", "clmt", "soar-literal", "soar"};
constexpr std::size_t kSizes[] = {3, 4, 5, 6, 10, 100, 1000, 10'000, 100'000, 1'000'000};

History make(std::size_t operations, bool atomic, std::uint64_t& seed) {
  for (;; ++seed) {
    Simulation simulation = simulate(*find_kind("swmr"), 2, operations, seed);
    const auto writes = std::count_if(simulation.operations.begin(), simulation.operations.end(),
                                      [](const auto& op) { return op.does == Does::write; });
    if (operations <= 10 && static_cast<std::size_t>(writes) != operations / 2) continue;
    if (!atomic && !spoil(simulation, true, seed)) continue;
    ++seed;
    return to_history(simulation);
  }
}

/// Seconds; nothing: not applicable, or past the time limit.
std::optional<double> decide(const History& history, const char* engine, bool atomic,
                             double timeout) {
  CheckOptions options;
  options.engine = engine;
  options.minimise = false;
  options.timeout_seconds = timeout;
  options.jobs = 1;
  double seconds = 0;
  int runs = 0;
  for (; runs < 100 && (runs == 0 || seconds < 0.01); ++runs) {
    const Result<CheckReport> report = check(history, options);
    if (!report || report->verdict == Verdict::undecided) return {};
    if ((report->verdict == Verdict::holds) != atomic)
      fmt::print(stderr, "plumb_reproduce: {} is wrong\n", engine);
    seconds += report->seconds;
  }
  return seconds / runs;
}

std::string words(std::optional<double> seconds) {
  if (!seconds) return "-";
  return *seconds < 1e-3 ? fmt::format("{:.3g} us", *seconds * 1e6)
         : *seconds < 1  ? fmt::format("{:.3g} ms", *seconds * 1e3)
                         : fmt::format("{:.3g} s", *seconds);
}

}  // namespace

int reproduce_soar(const SoarSettings& settings) {
  fmt::print(
      "One writer, one reader; average of {} histories a row, from seed {} on; -: declined (too "
      "many "
      "relations), or not within {} s\n\n",
      settings.histories, settings.seed, settings.timeout);
  fmt::print("{:>10} {:10}", "operations", "");
  for (const char* engine : kEngines) fmt::print(" {:>13}", engine);
  fmt::print("\n");
  bool hopeless[2][std::size(kEngines)] = {};
  for (const std::size_t operations : kSizes) {
    if (operations > settings.largest) break;
    for (const bool atomic : {true, false}) {
      std::uint64_t seed = settings.seed;
      double sums[std::size(kEngines)] = {};
      for (unsigned i = 0; i < settings.histories; ++i) {
        const History history = make(operations, atomic, seed);
        for (std::size_t e = 0; e < std::size(kEngines); ++e) {
          if (hopeless[atomic][e]) continue;
          const auto seconds = decide(history, kEngines[e], atomic, settings.timeout);
          if (seconds) sums[e] += *seconds;
          else hopeless[atomic][e] = true;  // and therefore for longer histories
        }
      }
      fmt::print("{:>10} {:10}", operations, atomic ? "atomic" : "not atomic");
      for (std::size_t e = 0; e < std::size(kEngines); ++e)
        fmt::print(" {:>13}", hopeless[atomic][e] ? "-" : words(sums[e] / settings.histories));
      fmt::print("\n");
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace plumb::bench
