// SPDX-License-Identifier: MIT
#pragma once

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "report/text.hpp"

namespace plumb::cli {

/// How a report looks there: by the options, the locale and the terminal.
report::TextStyle text_style(const CommonArguments& a, const Output& output);

}  // namespace plumb::cli
