// SPDX-License-Identifier: MIT
// plumb report REPORT.json --html OUT: a page of what --json printed earlier.
#include <vector>

#include "base/output_file.hpp"
#include "base/read_text.hpp"
#include "cli/commands.hpp"
#include "report/html.hpp"

namespace plumb::cli {
namespace {

Status read_reports(const std::vector<std::string>& files, report::HtmlPage& page) {
  for (const std::string& file : files) {
    const Result<std::string> text = read_text(file, kLargestReport);
    if (!text.ok()) return text.error();
    if (Status added = page.add(*text); !added.ok()) {
      added.error().file = file;
      return added;
    }
  }
  return {};
}

}  // namespace

ExitStatus run_report(const Parsed& parsed) {
  const Settings& settings = parsed.settings;
  if (settings.html.empty())
    return finish(Error{ErrorKind::usage, "--html is required", "see plumb report --help"});
  report::HtmlPage page;
  if (Status read = read_reports(parsed.arguments, page); !read.ok()) return finish(read);
  if (page.empty() && !settings.allow_empty) {
    print_error({ErrorKind::bad_input, "nothing was checked: there is no report",
                 "--allow-empty writes a page without reports"});
    return ExitStatus::undecided;
  }
  return finish(write_whole(settings.html, page.text()));
}

}  // namespace plumb::cli
