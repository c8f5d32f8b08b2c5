// SPDX-License-Identifier: MIT
#include "report/colour.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace plumb::report {
namespace {

constexpr std::string_view kColourRed = "\x1b[31;1m", kColourGreen = "\x1b[32;1m",
                           kColourYellow = "\x1b[33;1m", kColourEnd = "\x1b[0m";
constexpr std::pair<std::string_view, std::string_view> kVerdictColours[] = {
    {"HOLDS", kColourGreen},   {"EXPLORED", kColourGreen},   {"SIMULATED", kColourGreen},
    {"VIOLATION", kColourRed}, {"UNDECIDED", kColourYellow},
};
constexpr std::string_view kCulpritMark = "◀ ";

}  // namespace

bool wants_colour(std::string_view choice, bool is_terminal) {
  if (choice != "auto") return choice == "always";
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return is_terminal && !(no_color && *no_color) &&
         !(terminal && std::string_view(terminal) == "dumb");
}

std::string coloured(std::string_view report) {
  std::string out;
  const auto paint = [&](std::string_view colour, std::size_t length) {
    out.append(colour).append(report.substr(0, length)).append(kColourEnd);
    report.remove_prefix(length);
  };
  for (const auto& [verdict, colour] : kVerdictColours)
    if (report.starts_with(verdict)) paint(colour, verdict.size());
  for (std::size_t at; (at = report.find(kCulpritMark)) != report.npos;) {
    out.append(report.substr(0, at));
    report.remove_prefix(at);
    paint(kColourRed, std::min(report.find('\n'), report.size()));
  }
  return out.append(report);
}

}  // namespace plumb::report
