// SPDX-License-Identifier: MIT
// A stream of native events, read and decided as it comes.
#pragma once

#include <atomic>
#include <string>

#include "check/online/live_lines.hpp"
#include "plumb/check.hpp"
#include "plumb/stream.hpp"

namespace plumb {

/// Whether a text that begins so is one event a line, which can be decided as it comes.
bool is_stream(std::string_view first);

struct ReadStream {
  StreamReport report;
  Status status;  // what is wrong with the input; the report is about what came before
};

/// Until the input ends, `stop` is set, or there is a violation.
Result<ReadStream> read_stream(LiveLines& lines, Stream stream, const std::atomic<bool>& stop,
                               CheckProgress& progress);

}  // namespace plumb
