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
  return can ? std::string() : file + ": can not be written";
}

std::string collect(const Settings& settings, const std::string& name, const std::string& group,
                    int status, const Report& report) {
  const report::Case whole = report::make_case(name, report::outcome_of(status), report.text,
                                               report.again, report.seconds);
  const auto write = [](const std::string& file, std::ios::openmode mode, const std::string& text) {
    if (file.empty()) return std::string();
    std::ofstream out(file, std::ios::binary | mode);
    out << text;
    return out.flush() ? std::string() : file + ": can not be written";
  };
  std::string wrong;
  if (!settings.html.empty()) {
    report::HtmlPage page;
    const Status added = page.add(report.json);
    wrong =
        added.ok() ? write(settings.html, std::ios::trunc, page.text()) : added.error().to_string();
  }
  if (wrong.empty()) {
    wrong =
        write(settings.junit, std::ios::trunc,
              report::junit(name, group, report.cases.empty() ? std::vector{whole} : report.cases,
                            report.seconds));
  }
  return wrong.empty() ? write(settings.markdown, std::ios::app, report::markdown({whole})) : wrong;
}

}  // namespace plumb::session
