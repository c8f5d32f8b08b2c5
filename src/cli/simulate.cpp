// SPDX-License-Identifier: MIT
#include "cli/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <random>
#include <string>

#include "base/text.hpp"

namespace plumb::cli {
namespace {

using refine::PlainStep;
using refine::TraceStep;
using refine::Walk;

std::string changes_words(const TraceStep& step) {
  std::string out = step.note;
  for (const auto& c : step.changes) out += (out.empty() ? "" : ", ") + c.to_string("->");
  return out;
}

}  // namespace

// First a process, then one of its steps: else a process with many calls to choose from would
// hardly ever let the others come in.
refine::Choose random_steps(std::uint64_t seed, std::uint64_t steps) {
  const auto random = std::make_shared<std::mt19937_64>(seed);
  // Not std::uniform_int_distribution: a seed means the same everywhere.
  return [random, left = steps](
             Walk&, const std::vector<PlainStep>& possible) mutable -> std::optional<PlainStep> {
    if (left-- == 0) return {};
    std::vector<std::uint32_t> processes;
    for (const PlainStep& s : possible)
      if (processes.empty() || processes.back() != s.process) processes.push_back(s.process);
    const std::uint32_t process = processes[(*random)() % processes.size()];
    std::vector<PlainStep> own;
    std::copy_if(possible.begin(), possible.end(), std::back_inserter(own),
                 [&](const PlainStep& s) { return s.process == process; });
    return own[(*random)() % own.size()];
  };
}

refine::Choose asked_steps() {
  return [](Walk& walk, const std::vector<PlainStep>& possible) -> std::optional<PlainStep> {
    std::size_t widest = 0;
    std::vector<TraceStep> steps;
    for (const PlainStep& s : possible) {
      steps.push_back(walk.look(s).value_or(TraceStep{}));
      widest = std::max(widest, text::width_of(steps.back().what));
    }
    fmt::print("\n");
    for (std::size_t i = 0; i < steps.size(); ++i)
      fmt::print("  {:>3}   process {}   {:<{}}   {}\n", i + 1, steps[i].process,
                 text::printable(steps[i].what), widest, text::printable(changes_words(steps[i])));
    for (std::string line;;) {
      fmt::print("step 1..{}, or q to end: ", steps.size());
      std::fflush(stdout);
      if (!std::getline(std::cin, line) || line == "q") return {};
      std::size_t number = 0;
      for (const char c : line)
        number = c >= '0' && c <= '9' && number < 10'000
                     ? number * 10 + static_cast<std::size_t>(c - '0')
                     : 100'000;
      if (number >= 1 && number <= steps.size()) return possible[number - 1];
    }
  };
}

}  // namespace plumb::cli
