// SPDX-License-Identifier: MIT
#include "session/collect.hpp"

#include <cerrno>
#include <cstring>
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

namespace {

void add_to(Collected& all, const std::string& file, std::ios::openmode mode,
            const std::string& text) {
  if (file == "-") {
    all.printed += text;
    return;
  }
  std::ofstream out(file, std::ios::binary | mode);
  out << text;
  if (!out.flush() && all.trouble.empty())
    all.trouble = file + ": cannot be written: " + std::strerror(errno);
}

}  // namespace

Collected collect(const Settings& settings, const std::string& group, const report::Report& report,
                  const std::vector<report::Case>& cases) {
  const report::Case whole = report::make_case(report, report.file);
  Collected all;
  if (!settings.junit.empty())
    add_to(all, settings.junit, std::ios::trunc,
           report::junit(report.file, group, cases.empty() ? std::vector{whole} : cases,
                         report.seconds));
  if (!settings.markdown.empty())
    add_to(all, settings.markdown, std::ios::app, report::markdown({whole}));
  if (!settings.html.empty()) {
    report::HtmlPage page;
    page.add(report);
    add_to(all, settings.html, std::ios::trunc, page.text());
  }
  return all;
}

}  // namespace plumb::session
