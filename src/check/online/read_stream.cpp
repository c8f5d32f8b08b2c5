// SPDX-License-Identifier: MIT
#include "check/online/read_stream.hpp"

#include "history/native_lines.hpp"

namespace plumb {

bool is_stream(std::string_view first) {
  if (guess_format(first) != "native") return false;
  // The first line that is not a header: an event, or an operation with clock values?
  for (bool header = true; header && !first.empty();) {
    const std::string_view line = first.substr(0, first.find('\n'));
    header = line.find("\"history\"") != std::string_view::npos || trim(line).empty();
    if (!header) return line.find("\"type\"") != std::string_view::npos;
    first.remove_prefix(std::min(first.size(), line.size() + 1));
  }
  return true;
}

Result<ReadStream> read_stream(LiveLines& lines, Stream stream, const std::atomic<bool>& stop,
                               CheckProgress& progress) {
  progress.phase = CheckPhase::streaming;
  ReadStream result;
  native::Reader<Stream> reader(stream);
  for (std::string_view line; stream.holds_so_far();) {
    const LiveLines::Next next = lines.next(line);
    if (next == LiveLines::Next::end) break;
    if (next == LiveLines::Next::failed) {
      result.status = std::move(lines.status());
      break;
    }
    if (next == LiveLines::Next::idle || lines.number() % 65536 == 0) {
      progress.events = stream.events();
      progress.waiting = stream.waiting();
    }
    if (next == LiveLines::Next::idle) {
      if (stop) break;
      stream.settle();
      continue;
    }
    if (lines.number() == 1) line = without_mark(line);
    if (trim(line).empty()) continue;
    result.status = reader.line(line, lines.number());
    if (!result.status.ok()) break;
  }
  Result<StreamReport> report = stream.finish();
  if (!report) return std::move(report.error());
  result.report = std::move(*report);
  StreamScope scope;
  scope.events = result.report.events;
  scope.lines = lines.number() - (result.status.ok() || lines.number() == 0 ? 0 : 1);
  scope.most_waiting = result.report.most_waiting;
  if (result.report.check.verdict != Verdict::holds) scope.line = result.report.line;
  result.report.check.stream = scope;
  return result;
}

}  // namespace plumb
