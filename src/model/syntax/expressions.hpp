// SPDX-License-Identifier: MIT
// The expressions of the language, by recursive descent.
#pragma once

#include <string_view>

#include "model/syntax/ast.hpp"
#include "model/syntax/token_reader.hpp"

namespace plumb::model {

class ExpressionParser : protected TokenReader {
 protected:
  explicit ExpressionParser(std::string_view text) : TokenReader(text) {}

  ExprPtr expression();
  ExprPtr sum();
  ExprPtr primary();
  /// Counts a level of nesting; the caller takes it off again.
  void deeper();

  int depth_ = 0;
  bool in_range_ = false;  // in 0..K[4] the bracket is not the expression's

 private:
  ExprPtr binary(ExprPtr left, ExprPtr (ExpressionParser::*next)());
  ExprPtr conjunction();
  ExprPtr comparison();
  ExprPtr product();
  ExprPtr unary();
  ExprPtr choose(Place place);
  ExprPtr variable(const Token& first);
  void arguments(Expr& e);
};

}  // namespace plumb::model
