// SPDX-License-Identifier: MIT
// plumb report REPORT.json --html OUT: a page of what --json printed earlier.
#include <vector>

#include "base/compiler_driver.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "report/html.hpp"

namespace plumb::cli {
namespace {

Status write_page_of(const std::vector<std::string>& files, const std::string& html) {
  if (html.empty()) return Error{ErrorKind::usage, "--html is required", "see plumb report --help"};
  report::HtmlPage page;
  for (const std::string& file : files) {
    const std::optional<std::string> text = contents(file);
    if (!text) return Error{ErrorKind::missing_file, "there is no such file", "", file, 0};
    if (Status added = page.add(*text); !added.ok()) {
      added.error().file = file;
      return added;
    }
  }
  Output out;
  if (Status opened = out.open(html); !opened.ok()) return opened;
  out.write(page.text());
  return out.flush();
}

}  // namespace

ExitStatus run_report(const Parsed& parsed) {
  return finish(write_page_of(parsed.arguments, parsed.settings.html));
}

}  // namespace plumb::cli
