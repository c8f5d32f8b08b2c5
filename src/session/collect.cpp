// SPDX-License-Identifier: MIT
#include "session/collect.hpp"

#include "base/output_file.hpp"
#include "report/html.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"

namespace plumb::session {

std::string describe_unwritten(const Error& error) { return error.file + ": " + error.message; }

std::string why_not_written(const std::string& file) {
  if (file.empty()) return {};
  const Status opened = OutputFile().open(file);
  return opened.ok() ? std::string() : describe_unwritten(opened.error());
}

namespace {

void add_to(Collected& all, const std::string& file, OutputFile::Mode mode,
            const std::string& text) {
  if (file == "-") {
    all.printed += text;
    return;
  }
  const Status written = write_whole(file, text, mode);
  if (!written.ok() && all.trouble.empty()) all.trouble = describe_unwritten(written.error());
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
