// SPDX-License-Identifier: MIT
// Text as people read it: numbers, sizes, lists, paragraphs. The table, the sentences and the
// progress line share it, so that all of them say the same thing in the same way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::text {

/// Columns on a terminal: one per code point.
std::size_t width_of(std::string_view text);
/// Cut to so many columns, with an ellipsis where something is missing.
std::string elide(std::string_view text, std::size_t columns);
/// The text with characters that are not ASCII replaced ("…" by "...", "┌" by "/", ...).
std::string to_ascii(std::string_view text);
/// One line in which a terminal shows everything and obeys nothing: control characters, marks that
/// reverse the direction of writing, and bytes that are no UTF-8 are \x1b or \u202e.
std::string printable(std::string_view text);
/// The same for lines. All text passes through it where it leaves for a terminal, before it is
/// coloured, whatever it is made of.
std::string for_terminal(std::string_view text);
/// The text as UTF-8 without control characters except new lines and tabs, so that XML and Markdown
/// can hold it. What is neither becomes U+FFFD.
std::string sanitized(std::string_view text);

/// "-" is "standard input".
std::string file_words(const std::string& file);
/// A paragraph: lines that are indented by two, and wrapped. "(line 7)" stays together.
std::string paragraph_words(std::string text, std::size_t columns);
std::string count_words(std::uint64_t number);                          // "1,000"
std::string count_words(std::uint64_t number, std::string_view thing);  // "1 operation"
std::string seconds_words(double seconds);
/// Of an estimate: "40 s", "3 min"
std::string about_seconds_words(double seconds);  // "0.004 s"
std::string bytes_words(std::uint64_t bytes);     // "12.5 MiB"
/// "1", "1 or 2", "1, 2 or 3"
std::string list_words(const std::vector<std::string>& items, std::string_view last_joint);

}  // namespace plumb::text
