// SPDX-License-Identifier: MIT
// plumb report REPORT.json --html OUT: a page of what --json printed earlier.
#include <memory>
#include <vector>

#include "base/compiler_driver.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "report/html.hpp"

namespace plumb::cli {
namespace {

struct ReportArguments {
  std::vector<std::string> files;
  std::string html;
};

Status write_page_of(const ReportArguments& a) {
  report::HtmlPage page;
  for (const std::string& file : a.files) {
    const std::optional<std::string> text = contents(file);
    if (!text) return Error{ErrorKind::missing_file, "there is no such file", "", file, 0};
    if (Status added = page.add(*text); !added.ok()) {
      added.error().file = file;
      return added;
    }
  }
  Output out;
  if (Status opened = out.open(a.html); !opened.ok()) return opened;
  out.write(page.text());
  return out.flush();
}

}  // namespace

std::function<int()> add_report_command(CLI::App& root) {
  const auto a = std::make_shared<ReportArguments>();
  CLI::App* app = root.add_subcommand("report", "a page to look at, of reports that --json wrote");
  app->add_option("REPORT", a->files, "what check, test or verify printed with --json")->required();
  app->add_option("--html", a->html, "the page (docs/viewer.md); - is standard output")
      ->type_name("FILE")
      ->required();
  return [a] {
    const Status done = write_page_of(*a);
    if (done.ok()) return kHolds;
    print_error(done.error());
    return static_cast<int>(done.error().kind);
  };
}

}  // namespace plumb::cli
