// SPDX-License-Identifier: MIT
#include "model/syntax/lexer.hpp"

#include <fmt/format.h>

#include <array>

#include "model/syntax/diagnostic.hpp"

namespace plumb::model {
namespace {

constexpr std::int64_t kLargest = 1'000'000'000;

// Longest first: "..." before "..".
constexpr std::array<std::string_view, 29> kSymbols = {
    "...", "..", "==", "!=", "<=", ">=", "&&", "||", "{", "}", "(", ")", "[", "]", ",",
    ";",   ":",  "=",  "<",  ">",  "+",  "-",  "*",  "/", "%", "!", "|", "?", "."};

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  Place place{1, 1};
  std::size_t at = 0;
  const auto advance = [&](std::size_t count) {
    for (; count > 0; --count, ++at) {
      if (text[at] == '\n') place = {place.line + 1, 1};
      else ++place.column;
    }
  };
  while (at < text.size()) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      advance(1);
      continue;
    }
    if (text.substr(at, 2) == "//") {
      advance(std::min(text.find('\n', at), text.size()) - at);
      continue;
    }
    Token token;
    token.place = place;
    std::size_t length = 0;
    if (begins_name(c)) {
      while (at + length < text.size() &&
             (begins_name(text[at + length]) || is_digit(text[at + length])))
        ++length;
      token.kind = TokenKind::name;
    } else if (is_digit(c)) {
      for (; at + length < text.size() && is_digit(text[at + length]); ++length) {
        token.value = token.value * 10 + (text[at + length] - '0');
        if (token.value > kLargest)
          reject(place, "this number is too large", "numbers go up to 1000000000");
      }
      token.kind = TokenKind::number;
    } else if (c == '"') {
      const std::size_t end = text.find_first_of("\"\n", at + 1);
      if (end == std::string_view::npos || text[end] == '\n')
        reject(place, "this text does not end", "the closing quote is on the same line");
      token.kind = TokenKind::text;
      token.text = text.substr(at + 1, end - at - 1);
      for (const char inside : token.text)
        if (inside < 32 || inside == 127)
          reject(place, "unexpected character in this text", "models are written in ASCII");
      length = end + 1 - at;
    } else {
      token.kind = TokenKind::symbol;
      for (const std::string_view symbol : kSymbols)
        if (text.substr(at, symbol.size()) == symbol) {
          length = symbol.size();
          break;
        }
      if (length == 0)
        reject(place,
               c > 32 && c < 127 ? fmt::format("unexpected character '{}'", c)
                                 : std::string("unexpected character"),
               "models are written in ASCII; a comment begins with //");
    }
    if (token.kind != TokenKind::text) token.text = text.substr(at, length);
    advance(length);
    tokens.push_back(std::move(token));
  }
  tokens.push_back({TokenKind::end, place, "", 0});
  return tokens;
}

}  // namespace plumb::model
