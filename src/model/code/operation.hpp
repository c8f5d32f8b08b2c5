// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "model/code/expression.hpp"

namespace plumb::model {

/// Compiles one operation. `like`: the object's operation that a specification's has to resemble;
/// null: it is the object's own.
Op compile_operation(const OpText& text, const Op* like, Names& names, const CodeOutput& output);

/// What happens before any process does anything.
Op compile_init(const OpText& text, Names& names, const CodeOutput& output);

/// A condition about shared variables; returns its value.
Op compile_invariant(const Expr& e, Names& names, const CodeOutput& output);

/// Which slots may still be read, at each point of an operation that was just compiled.
void mark_live(const Op& op, const std::vector<Instruction>& code, std::span<Point> points,
               std::size_t privates);

}  // namespace plumb::model
