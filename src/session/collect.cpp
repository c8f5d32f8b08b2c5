// SPDX-License-Identifier: MIT
#include "session/collect.hpp"

#include "base/output_file.hpp"
#include "report/html.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"

namespace plumb::session {

std::string why_not_written(const std::string& file) {
  if (file.empty()) return {};
  return OutputFile().open(file).ok() ? std::string() : file + ": cannot be written";
}

namespace {

void add_to(Collected& all, const std::string& file, OutputFile::Mode mode,
            const std::string& text) {
  if (file == "-") {
    all.printed += text;
    return;
  }
  const bool written = write_whole(file, text, mode).ok();
  if (!written && all.trouble.empty()) all.trouble = file + ": cannot be written";
}

}  // namespace

Collected collect(const Settings& settings, const std::string& group, const report::Report& report,
                  const std::vector<report::Case>& cases) {
  const report::Case whole = report::make_case(report, report.file);
  Collected all;
  if (!settings.junit.empty())
    add_to(all, settings.junit, OutputFile::Mode::replace,
           report::junit(report.file, group, cases.empty() ? std::vector{whole} : cases,
                         report.seconds));
  if (!settings.markdown.empty())
    add_to(all, settings.markdown, OutputFile::Mode::append, report::markdown({whole}));
  if (!settings.html.empty()) {
    report::HtmlPage page;
    page.add(report);
    add_to(all, settings.html, OutputFile::Mode::replace, page.text());
  }
  return all;
}

}  // namespace plumb::session
