// SPDX-License-Identifier: MIT
// What is wrong with a model, and where.
#pragma once

#include <string>
#include <string_view>

#include "model/syntax/ast.hpp"

namespace plumb::model {

struct Diagnostic {
  Place place;
  std::string message, hint;
  std::string file = {}, text = {};  // where it is not the model's own: the one that is its spec
};

/// "FILE:3:7: message", the line itself, a caret under the column, and the hint. `file` and `text`
/// are the model's own.
std::string to_string(const Diagnostic& diagnostic, std::string_view file, std::string_view text);

/// Inside the parser and the compiler only: the first mistake ends them. parse() and compile()
/// catch it and return it as a value.
struct Mistake {
  Diagnostic diagnostic;
};
[[noreturn]] void reject(Place place, std::string message, std::string hint);

}  // namespace plumb::model
