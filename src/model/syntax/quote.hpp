// SPDX-License-Identifier: MIT
// Statements of a model as they were written, for reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/syntax/lexer.hpp"

namespace plumb::model {

class Quotes {
 public:
  /// Requires: the text can be compiled.
  explicit Quotes(std::string_view text) : tokens_(tokens_of(text)) {}

  /// The statement or expression at a place, on one line. Of `if`, `while` and `for` only what
  /// stands before the block: that is what a step does there.
  std::string at(Place place) const;

 private:
  std::vector<Token> tokens_;
};

}  // namespace plumb::model
