// SPDX-License-Identifier: MIT
#include "session/collect.hpp"

#include <filesystem>
#include <fstream>

#include "report/html.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"

namespace plumb::session {

std::string why_not_written(const std::string& file) {
  if (file.empty()) return {};
  const bool is_there = std::filesystem::exists(file);
  const bool can = std::ofstream(file, std::ios::binary | std::ios::app).is_open();
  if (can && !is_there) std::filesystem::remove(file);
  return can ? std::string() : file + ": cannot be written";
}

std::string collect(const Settings& settings, const std::string& group,
                    const report::Report& report, const std::vector<report::Case>& cases) {
  const report::Case whole = report::make_case(report, report.file);
  const auto write = [](const std::string& file, std::ios::openmode mode, const std::string& text) {
    if (file.empty()) return std::string();
    std::ofstream out(file, std::ios::binary | mode);
    out << text;
    return out.flush() ? std::string() : file + ": cannot be written";
  };
  std::string wrong;
  if (!settings.html.empty()) {
    report::HtmlPage page;
    page.add(report);
    wrong = write(settings.html, std::ios::trunc, page.text());
  }
  if (wrong.empty())
    wrong = write(settings.junit, std::ios::trunc,
                  report::junit(report.file, group, cases.empty() ? std::vector{whole} : cases,
                                report.seconds));
  return wrong.empty() ? write(settings.markdown, std::ios::app, report::markdown({whole})) : wrong;
}

}  // namespace plumb::session
