// SPDX-License-Identifier: MIT
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

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

// The bytes of the character that begins there; 0: none does.
std::size_t valid_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80              ? 1
                             : (first >> 5) == 0b110   ? 2
                             : (first >> 4) == 0b1110  ? 3
                             : (first >> 3) == 0b11110 ? 4
                                                       : 0;
  if (length == 0 || length > text.size()) return 0;
  if (length == 1) return first >= 0x20 || first == '\n' || first == '\t' ? 1 : 0;
  std::uint32_t point = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) >> 6) != 0b10) return 0;
    point = point << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0xa0, 0x800, 0x10000};  // below 0xa0: control too
  const bool is_surrogate = point >= 0xd800 && point < 0xe000;
  const bool is_character = point >= kLeast[length] && point < 0x110000 && !is_surrogate;
  return is_character && point != 0xfffe && point != 0xffff ? length : 0;
}

}  // namespace

std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

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
    const std::size_t length = valid_length(text);
    out += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace plumb::text
