// SPDX-License-Identifier: MIT
#include "session/command_line.hpp"

#include <langinfo.h>
#include <locale.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

#include "base/output_file.hpp"
#include "base/text.hpp"
#include "options/help.hpp"
#include "report/colour.hpp"
#include "report/progress.hpp"
#include "session/closing.hpp"
#include "session/collect.hpp"
#include "session/process.hpp"
#include "session/program.hpp"

namespace plumb::session {
namespace {

void print_error(const std::string& text) {
  std::fprintf(stderr, "%s%s\n", is_run_by_plumb() ? "plumb: " : "",
               text::for_terminal(text).c_str());
}

bool explored = false;
bool lacks_replay = false;  // PLUMB_REPLAY is about a call that was not made yet

// The last thing at the exit of a program whose main() is its own: it was registered first.
void check_that_it_explored(int status, void*) {
  if (status == 0 && lacks_replay) {
    print_error("PLUMB_REPLAY: there is no such call (PLUMB_CALL says which of its test)");
    leave(to_int(ExitStatus::usage));
  }
  if (status == 0 && !explored && is_run_by_plumb()) {
    print_error(own_name() +
                ": the program ended without exploring anything (its main() has to call "
                "plumb::explore_main or plumb::explore, see docs/test.md)");
    leave(to_int(ExitStatus::bad_input));
  }
  leave(status);
}

__attribute__((constructor)) void check_at_exit() {
  if (is_child()) return;
  lacks_replay = std::getenv("PLUMB_REPLAY") != nullptr;
  if (is_run_by_plumb() || lacks_replay) on_exit(&check_that_it_explored, nullptr);
}

// Without a change of the program's own locale.
bool has_utf8() {
  const locale_t user = newlocale(LC_CTYPE_MASK, "", nullptr);
  if (user == nullptr) return false;
  const bool is_utf8 = std::strcmp(nl_langinfo_l(CODESET, user), "UTF-8") == 0;
  freelocale(user);
  return is_utf8;
}

// What is printed of it.
std::string printed(const plumb_exploration& result, const Settings& settings, bool is_terminal) {
  if (settings.json) return result.json + "\n";
  std::string text = result.text;
  if (settings.quiet) text.resize(text.find('\n') + 1);
  if (settings.ascii || !has_utf8()) text = text::to_ascii(text);
  return report::wants_colour(settings.color, is_terminal) ? report::coloured(text) : text;
}

// A pipe whose reader has ended is no error; anything else is.
bool print_text(const std::string& text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written || errno == EPIPE) return true;
  print_error(std::string("standard output: cannot write: ") + std::strerror(errno));
  return false;
}

// A violation counts more than a report that cannot be written.
int status_without_report(int status) {
  return status == to_int(ExitStatus::violation) ? status : to_int(ExitStatus::internal);
}

int print(const plumb_exploration& result, const Settings& settings) {
  print_trouble(result);
  const bool could_not_run =
      result.status >= to_int(ExitStatus::usage) && result.status <= to_int(ExitStatus::internal);
  if (could_not_run) {
    print_error(result.text.substr(0, result.text.find_last_not_of('\n') + 1));
    return result.status;
  }
  if (settings.output.empty() || settings.output == "-") {
    const std::string text = printed(result, settings, isatty(STDOUT_FILENO) != 0);
    return print_text(text) ? result.status : status_without_report(result.status);
  }
  const Status written = write_whole(settings.output, printed(result, settings, false));
  if (written.ok()) return result.status;
  print_error(describe_unwritten(written.error()));
  return status_without_report(result.status);
}

report::ProgressMode progress_mode(const Settings& settings) {
  using options::ProgressChoice;
  if (settings.quiet) return report::ProgressMode::none;
  if (settings.progress == ProgressChoice::plain) return report::ProgressMode::plain;
  const bool shows = settings.progress == ProgressChoice::automatic && isatty(STDERR_FILENO) != 0;
  return shows ? report::ProgressMode::automatic : report::ProgressMode::none;
}

int refuse(const std::string& wrong) {
  print_error(is_run_by_plumb() ? wrong + " (see plumb test --help)"
                                : own_name() + ": " + wrong + " (see --help)");
  return to_int(ExitStatus::usage);
}

}  // namespace

void print_trouble(const plumb_exploration& result) {
  if (!result.trouble.empty()) print_error(result.trouble);
}

int print_files(const plumb_exploration& result) {
  const bool written = result.trouble.empty() && print_text(result.printed);
  return written ? result.status : status_without_report(result.status);
}

void note_exploration() { explored = true; }
void note_replay() { lacks_replay = false; }

int run_command_line(const Subject& subject, const std::vector<std::string>& words,
                     UserOptions& user, std::string wrong) {
  const std::vector<std::string> given(words.begin() + (words.empty() ? 0 : 1), words.end());
  if (std::ranges::find(given, "--help") != given.end()) {
    const unsigned commands = options::explore | (subject.object != nullptr ? options::object : 0u);
    std::printf("Usage: %s [OPTIONS]\n%s", words[0].c_str(),
                options::options_help(commands).c_str());
    return to_int(ExitStatus::holds);
  }
  if (wrong.empty()) wrong = user.add_words(given);
  if (!wrong.empty()) return refuse(wrong);
  const Settings& settings = user.settings;
  if (settings.output != "-") wrong = why_not_written(settings.output);
  if (!wrong.empty()) return refuse(wrong);
  Caller caller;
  caller.number = next_call("");
  caller.source = own_source();
  caller.again = [](const std::string& options) {
    return replay_by(own_command() + " " + options, options);
  };
  report::ProgressLine line(progress_mode(settings), [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  });
  caller.progress = [&line](double seconds, const std::function<std::string()>& what) {
    line.update_words(seconds, [&] {
      return own_name() + ": " + what() + "; " + text::count_words(std::uint64_t(seconds)) + " s";
    });
  };
  const std::unique_ptr<plumb_exploration> result(explore(subject, user.settings, caller));
  line.clear();
  const int status = print(*result, settings);
  const int of_files = print_files(*result);
  return status == result->status ? of_files : status;
}

}  // namespace plumb::session
