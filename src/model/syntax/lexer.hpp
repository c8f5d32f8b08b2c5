// SPDX-License-Identifier: MIT
// Text into tokens. Newlines mean nothing, except that a token knows its line: `return` takes a
// value only if that begins on the same line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/syntax/ast.hpp"

namespace plumb::model {

enum class TokenKind { name, number, symbol, text, end };  // text: what stands in quotes

struct Token {
  TokenKind kind = TokenKind::end;
  Place place;
  std::string text;
  std::int64_t value = 0;
};

/// Throws: Mistake.
std::vector<Token> tokens_of(std::string_view text);

}  // namespace plumb::model
