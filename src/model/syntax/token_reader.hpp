// SPDX-License-Identifier: MIT
// Tokens one after the other, and what is said where another one was expected.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "model/syntax/lexer.hpp"

namespace plumb::model {

/// Whether it is a word of the language, so that nothing can be called by it.
bool is_reserved(std::string_view word);

class TokenReader {
 protected:
  explicit TokenReader(std::string_view text) : tokens_(tokens_of(text)) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token& take() {
    const Token& token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  /// Where the token stands that was taken last.
  Place last_place() const { return tokens_[at_ - 1].place; }
  bool is(std::string_view text, std::size_t ahead = 0) const {
    const Token& token = peek(ahead);
    return token.kind != TokenKind::end && token.kind != TokenKind::text && token.text == text;
  }
  bool accept(std::string_view text) {
    if (!is(text)) return false;
    take();
    return true;
  }
  void expect(std::string_view text, std::string_view example);
  std::string name(std::string_view what);
  /// As messages call it.
  static std::string shown(const Token& token);

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace plumb::model
