// SPDX-License-Identifier: MIT
#include "history/native_lines.hpp"

namespace plumb {

Result<History> read_native(Input& input, const ReadOptions& options) {
  HistoryBuilder builder;
  if (options.clock_skew) builder.clock_skew(*options.clock_skew);
  native::Reader reader(builder);
  Lines lines(input, options.line_limit);
  for (std::string_view line; lines.next(line);) {
    if (lines.number() == 1) line = without_mark(line);
    if (trim(line).empty()) continue;
    if (Status s = reader.line(line, lines.number()); !s) return std::move(s.error());
  }
  if (!lines.status().ok()) return std::move(lines.status().error());
  return std::move(builder).finish();
}

}  // namespace plumb
