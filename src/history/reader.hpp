// SPDX-License-Identifier: MIT
// One function a format. Each reads an input from its current block on; errors carry the line,
// read_history adds the file.
#pragma once

#include <string_view>

#include "history/input.hpp"
#include "plumb/formats.hpp"

namespace plumb {

Result<History> read_native(Input& input, const ReadOptions& options);
Result<History> read_edn(Input& input, const ReadOptions& options);
Result<History> read_jepsen_json(Input& input, const ReadOptions& options);
Result<History> read_text_log(Input& input, const ReadOptions& options);
Result<History> read_violin(Input& input, const ReadOptions& options);
Result<History> read_polylin(Input& input, const ReadOptions& options);

Status write_native(const History& history, std::ostream& out);
Status write_edn(const History& history, std::ostream& out);
Status write_violin(const History& history, std::ostream& out);

/// Whether everything arrived.
Status written(std::ostream& out);

/// As read_history, of a file that is open: `first` was read from it already.
Result<History> read_history_from(std::string first, int fd, const std::string& name,
                                  const ReadOptions& options);

/// The name of the format; empty: none of them.
std::string_view guess_format(std::string_view first_block);

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

inline std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Cuts the first word off the text; empty where there is none.
inline std::string_view take_word(std::string_view& text) {
  text = trim(text);
  std::size_t end = 0;
  while (end < text.size() && !is_blank(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

/// Tools on some systems put a byte order mark before the first line.
inline std::string_view without_mark(std::string_view line) {
  return line.starts_with("\xef\xbb\xbf") ? line.substr(3) : line;
}

/// Feeds every line to `reader.line(text, number)`, then `reader.finish()`.
template <class Reader>
Result<History> read_lines(Reader reader, Input& input, const ReadOptions& options) {
  Lines lines(input, options.line_limit);
  for (std::string_view line; lines.next(line);) {
    if (lines.number() == 1) line = without_mark(line);
    if (Status s = reader.line(line, lines.number()); !s) return std::move(s.error());
  }
  if (!lines.status().ok()) return std::move(lines.status().error());
  return std::move(reader).finish();
}

}  // namespace plumb
