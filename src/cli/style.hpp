// SPDX-License-Identifier: MIT
#pragma once

#include "cli/output.hpp"
#include "options/settings.hpp"
#include "report/text.hpp"

namespace plumb::cli {

/// How a report looks there: by the options, the locale and the terminal.
report::TextStyle text_style(const options::Settings& settings, const Output& output);

}  // namespace plumb::cli
