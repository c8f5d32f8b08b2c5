// SPDX-License-Identifier: MIT
#include "report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace plumb::report {
namespace {

std::size_t columns_of(std::size_t name, const std::vector<model::Settings>& all) {
  std::size_t widest = text::width_of(all.front()[name].first);
  for (const model::Settings& settings : all)
    widest = std::max(widest, std::to_string(settings[name].second).size());
  return widest;
}

}  // namespace

std::string sweep_head(const std::vector<model::Settings>& all) {
  std::string out;
  for (std::size_t i = 0; i < all.front().size(); ++i)
    out += fmt::format("  {:>{}}", all.front()[i].first, columns_of(i, all));
  return out + fmt::format("  {:<9}  {:>13}  {:>13}  {:>5}  {:>9}  {:>10}\n", "verdict", "states",
                           "transitions", "depth", "time", "memory");
}

std::string sweep_row(const SweepRow& row, const std::vector<model::Settings>& all) {
  std::string out;
  for (std::size_t i = 0; i < row.settings.size(); ++i)
    out += fmt::format("  {:>{}}", row.settings[i].second, columns_of(i, all));
  out += fmt::format("  {:<9}  {:>13}  {:>13}  {:>5}  {:>9}  {:>10}", to_string(row.outcome),
                     text::count_words(row.states), text::count_words(row.transitions), row.depth,
                     text::seconds_words(row.seconds), text::bytes_words(row.peak_bytes));
  return out + (row.reason.empty() ? "" : "  " + row.reason) + "\n";
}

std::string settings_words(const model::Settings& settings) {
  std::string out;
  for (const auto& [name, value] : settings) out += fmt::format(" --set {}={}", name, value);
  return out;
}

}  // namespace plumb::report
