// SPDX-License-Identifier: MIT
// The report to look at: one HTML file that needs nothing else (viewer/ is what is in it).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plumb/result.hpp"
#include "report/report.hpp"

namespace plumb::report {

class HtmlPage {
 public:
  /// With the whole history. `text`: of a model; empty: there is none.
  void add(const Report& report, std::string_view text = {});
  /// What any command printed with --json: objects, one after the other; or none. What is not
  /// in the report is not in the page either, but for the source that it names, if it is still
  /// there.
  Status add(std::string_view json);

  bool empty() const { return pages_.empty(); }
  std::string text() const;

 private:
  /// Returns: its number.
  std::size_t add_island(std::string_view name, std::string_view bytes);

  std::vector<std::string> pages_;  // JSON: a report, and what is added to it
  std::string islands_;             // what is compressed
  std::size_t island_count_ = 0;
};

}  // namespace plumb::report
