// SPDX-License-Identifier: MIT
#include "cli/style.hpp"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "report/colour.hpp"

namespace plumb::cli {

report::TextStyle text_style(const options::Settings& settings, const OutputFile& output) {
  report::TextStyle style;
  style.ascii = settings.ascii || std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
  style.verdict_only = settings.quiet;
  style.colour = report::wants_colour(settings.color, output.is_terminal());
  winsize size = {};
  if (output.is_terminal() && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40)
    style.columns = size.ws_col;
  return style;
}

report::ProgressLine progress_line(const options::Settings& settings) {
  using Mode = report::ProgressMode;
  Mode mode = isatty(STDERR_FILENO) != 0 ? Mode::automatic : Mode::none;
  if (settings.progress == options::ProgressChoice::plain) mode = Mode::plain;
  if (settings.quiet || settings.progress == options::ProgressChoice::none) mode = Mode::none;
  return {mode, [](std::string_view text) {
            std::fwrite(text.data(), 1, text.size(), stderr);
            std::fflush(stderr);
          }};
}

}  // namespace plumb::cli
