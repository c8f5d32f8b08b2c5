// SPDX-License-Identifier: MIT
// Quotes and splits words as a POSIX shell does, so that printed commands can be pasted and parsed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// The word itself if no shell would see anything in it, else in quotes.
inline std::string shell_word(std::string_view word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos) return std::string(word);
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Nothing: a quote is not closed. Blanks, both kinds of quotes and the backslash are understood;
/// whatever else a shell would expand stays as it is.
inline std::optional<std::vector<std::string>> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;  // a word
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (quote == 0 && blank) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == quote) quote = 0;
    else if (quote == 0 && (c == '\'' || c == '"')) quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < line.size()) words.back() += line[++i];
    else words.back() += c;
  }
  if (quote != 0) return std::nullopt;
  return words;
}

}  // namespace plumb
