// SPDX-License-Identifier: MIT
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.hpp"

namespace plumb::text {
namespace {

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kAscii{{{"…", "..."},
                                                                                {"┌", "/"},
                                                                                {"└", "\\"},
                                                                                {"│", "|"},
                                                                                {"┆", ":"},
                                                                                {"╵", ":"},
                                                                                {"─", "-"},
                                                                                {"◀", "<--"},
                                                                                {"×", "x"},
                                                                                {"→", "->"}}};

// What is no character to be shown as \x1b, each byte of what is no UTF-8, or \u202e.
std::string escaped(std::string_view text, bool keeps_lines) {
  std::string out;
  while (!text.empty()) {
    const Utf8Character c = first_character(text);
    const std::string_view bytes = text.substr(0, c.bytes);
    if (!c.valid) {
      for (const char byte : bytes)
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    } else if (!is_control(c.point) || (keeps_lines && c.point == '\n')) {
      out += bytes;
    } else {
      out +=
          c.point < 0x100 ? fmt::format("\\x{:02x}", c.point) : fmt::format("\\u{:04x}", c.point);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, false); }
std::string for_terminal(std::string_view text) { return escaped(text, true); }

std::size_t width_of(std::string_view text) {
  std::size_t columns = 0;
  for (const char c : text) columns += starts_code_point(c);
  return columns;
}

std::string elide(std::string_view text, std::size_t columns) {
  if (width_of(text) <= columns) return std::string(text);
  std::size_t seen = 0, end = 0;
  for (; end < text.size(); ++end)
    if (starts_code_point(text[end]) && seen++ + 1 >= columns) break;
  return std::string(text.substr(0, end)) + "…";
}

std::string to_ascii(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      out += text[i++];
      continue;
    }
    std::size_t length = 1;
    while (i + length < text.size() && !starts_code_point(text[i + length])) ++length;
    std::string_view replacement = "?";
    for (const auto& [symbol, ascii] : kAscii)
      if (text.substr(i, length) == symbol) replacement = ascii;
    out += replacement;
    i += length;
  }
  return out;
}

std::string file_words(const std::string& file) {
  return file == "-" ? "standard input" : printable(file);
}

std::string count_words(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string count_words(std::uint64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", count_words(number), thing, number == 1 ? "" : "s");
}

std::string seconds_words(double seconds) {
  return seconds < 1 ? fmt::format("{:.3f} s", seconds) : fmt::format("{:.1f} s", seconds);
}

std::string about_seconds_words(double seconds) {
  if (seconds < 1) return "1 s";
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} h", seconds / 3600);
}

std::string bytes_words(std::uint64_t bytes) {
  const double kib = static_cast<double>(bytes) / 1024;
  return kib < 1024          ? fmt::format("{:.1f} KiB", kib)
         : kib < 1024 * 1024 ? fmt::format("{:.1f} MiB", kib / 1024)
                             : fmt::format("{:.1f} GiB", kib / 1024 / 1024);
}

std::string list_words(const std::vector<std::string>& items, std::string_view last_joint) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i) out += i + 1 == items.size() ? fmt::format(" {} ", last_joint) : std::string(", ");
    out += items[i];
  }
  return out;
}

std::string paragraph_words(std::string text, std::size_t columns) {
  constexpr char kNoBreak = '\x1f';
  for (std::size_t i = 0; (i = text.find("(line ", i)) != std::string::npos; ++i)
    text[i + 5] = kNoBreak;
  std::string out;
  std::string line = " ";
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    std::replace(word.begin(), word.end(), kNoBreak, ' ');
    if (line != " " && width_of(line) + 1 + width_of(word) > columns) {
      out += line + "\n";
      line = " ";
    }
    line += " " + word;
    at = end + 1;
  }
  return out + line + "\n";
}

std::string sanitized(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Character c = first_character(text);
    const bool is_kept = c.valid && c.point != 0xfffe && c.point != 0xffff &&
                         (!is_control(c.point) || c.point == '\n' || c.point == '\t');
    out += is_kept ? text.substr(0, c.bytes) : std::string_view("\xef\xbf\xbd");
    text.remove_prefix(c.bytes);
  }
  return out;
}

}  // namespace plumb::text
