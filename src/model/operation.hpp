// SPDX-License-Identifier: MIT
#pragma once

#include "model/names.hpp"

namespace plumb::model {

/// Where the code of operations goes.
struct CodeOutput {
  std::vector<Instruction>& code;
  std::vector<Point>& points;
  std::vector<Statement>& statements;  // of the object
  std::uint32_t op_number = 0;
  Cell processes = 1;  // `self` is below
};

/// Compiles one operation. `like`: the object's operation that a specification's has to resemble;
/// null: it is the object's own.
Op compile_operation(const OpText& text, const Op* like, Names& names, const CodeOutput& output);

}  // namespace plumb::model
