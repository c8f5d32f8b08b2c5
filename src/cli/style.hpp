// SPDX-License-Identifier: MIT
#pragma once

#include "base/output_file.hpp"
#include "options/settings.hpp"
#include "report/progress.hpp"
#include "report/text.hpp"

namespace plumb::cli {

/// How a report looks there: by the options, the locale and the terminal.
report::TextStyle text_style(const options::Settings& settings, const OutputFile& output);

/// On standard error: --progress, --quiet.
report::ProgressLine progress_line(const options::Settings& settings);

}  // namespace plumb::cli
