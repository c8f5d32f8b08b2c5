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

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    while (skip_blanks()) {
      Token token;
      token.place = place_;
      const std::size_t length = begins_name(text_[at_]) ? name(token)
                                 : is_digit(text_[at_])  ? number(token)
                                 : text_[at_] == '"'     ? quoted(token)
                                                         : symbol(token);
      if (token.kind != TokenKind::text) token.text = text_.substr(at_, length);
      advance(length);
      tokens.push_back(std::move(token));
    }
    tokens.push_back({TokenKind::end, place_, "", 0});
    return tokens;
  }

 private:
  void advance(std::size_t count) {
    for (; count > 0; --count, ++at_) {
      if (text_[at_] == '\n') place_ = {place_.line + 1, 1};
      else ++place_.column;
    }
  }

  /// False at the end of the text.
  bool skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') advance(1);
      else if (text_.substr(at_, 2) == "//")
        advance(std::min(text_.find('\n', at_), text_.size()) - at_);
      else return true;
    }
    return false;
  }

  // Each returns the length of the token.

  std::size_t name(Token& token) const {
    token.kind = TokenKind::name;
    std::size_t end = at_;
    while (end < text_.size() && (begins_name(text_[end]) || is_digit(text_[end]))) ++end;
    return end - at_;
  }

  std::size_t number(Token& token) const {
    token.kind = TokenKind::number;
    std::size_t end = at_;
    for (; end < text_.size() && is_digit(text_[end]); ++end) {
      token.value = token.value * 10 + (text_[end] - '0');
      if (token.value > kLargest)
        reject(place_, "this number is too large", "numbers go up to 1000000000");
    }
    return end - at_;
  }

  std::size_t quoted(Token& token) const {
    token.kind = TokenKind::text;
    const std::size_t end = text_.find_first_of("\"\n", at_ + 1);
    if (end == std::string_view::npos || text_[end] == '\n')
      reject(place_, "this text does not end", "the closing quote is on the same line");
    token.text = text_.substr(at_ + 1, end - at_ - 1);
    for (const char inside : token.text)
      if (inside < 32 || inside == 127)
        reject(place_, "unexpected character in this text", "models are written in ASCII");
    return end + 1 - at_;
  }

  std::size_t symbol(Token& token) const {
    token.kind = TokenKind::symbol;
    for (const std::string_view symbol : kSymbols)
      if (text_.substr(at_, symbol.size()) == symbol) return symbol.size();
    const char c = text_[at_];
    reject(place_,
           c > 32 && c < 127 ? fmt::format("unexpected character '{}'", c)
                             : std::string("unexpected character"),
           "models are written in ASCII; a comment begins with //");
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  Place place_{1, 1};
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) { return Lexer(text).run(); }

}  // namespace plumb::model
