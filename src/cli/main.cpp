// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "cli/commands.hpp"
#include "report/version.hpp"

namespace plumb::cli {
namespace {

constexpr char kFooter[] =
    "Exit status: 0 holds; 1 violation; 2 undecided; 64 wrong usage; 65 bad input; 66 missing\n"
    "file; 70 internal error; 130 interrupted. The manual: man plumb, docs/report.md,\n"
    "docs/formats.md, docs/specifications.md, docs/language.md, docs/verify.md,\n"
    "docs/test.md, docs/viewer.md.";

int run(int argc, char** argv) {
  CLI::App app("Is this concurrent object linearizable?", "plumb");
  app.set_version_flag("--version", fmt::format("plumb {}", report::version()));
  app.require_subcommand(1);
  app.footer(kFooter);
  const auto check = add_check_command(app);
  const auto test = add_test_command(app);
  const auto verify = add_verify_command(app);
  const auto replay = add_replay_command(app);
  const auto convert = add_convert_command(app);
  const auto report = add_report_command(app);
  const auto completion = add_completion_command(app);
  const auto is_command = [&](const CLI::App* command) { return command->check_name(argv[1]); };
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), is_command)) {
    print_error({ErrorKind::usage, fmt::format("unknown command '{}'", argv[1]),
                 "check, test, verify, replay, convert or report; see plumb --help"});
    return static_cast<int>(ErrorKind::usage);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::CallForVersion& version) {
    std::puts(version.what());
    return 0;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    print_error({ErrorKind::usage, error.what(),
                 fmt::format("see plumb {}--help",
                             chosen.empty() ? "" : chosen.front()->get_name() + " ")});
    return static_cast<int>(ErrorKind::usage);
  }
  if (app.got_subcommand("check")) return check();
  if (app.got_subcommand("test")) return test();
  if (app.got_subcommand("replay")) return replay();
  if (app.got_subcommand("report")) return report();
  if (app.got_subcommand("completion")) return completion();
  return app.got_subcommand("verify") ? verify() : convert();
}

}  // namespace
}  // namespace plumb::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // writing fails instead, see Output
  int status = static_cast<int>(plumb::ErrorKind::internal);
  const plumb::Status done = plumb::cli::guarded([&] { status = plumb::cli::run(argc, argv); });
  if (!done.ok()) plumb::cli::print_error(done.error());
  return status;
}
