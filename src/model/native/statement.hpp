// SPDX-License-Identifier: MIT
// One instruction of byte code as a statement of C++.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/code/program.hpp"

namespace plumb::native {

/// How many more values are on the stack after an instruction.
int stack_change(model::Code code);

/// The statement for an instruction of the object, where so many values are on the stack; nothing:
/// the instruction is not known here.
std::optional<std::string> statement(const model::Program& program, std::uint32_t ip, int depth);

}  // namespace plumb::native
