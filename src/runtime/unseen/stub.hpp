// SPDX-License-Identifier: MIT
// Copies of instructions, close to where they are from. A stub is a copy that asks first.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/unseen/function_code.hpp"
#include "runtime/unseen/hidden.hpp"
#include "runtime/unseen/run_copy.hpp"

namespace plumb::runtime {

/// Called in a stub before the instruction, with the registers of the thread; returns where to
/// continue (unseen.cpp).
extern "C" const void* plumb_on_stub(Registers* registers, Hidden* hidden)
    __attribute__((visibility("hidden")));

/// Of these instructions, of which those are hidden that `hidden` has, and which are then covered.
/// nullptr: there is no memory for it.
std::byte* make_stub(std::span<const FunctionCode::Instruction> group, std::span<Hidden> hidden);

/// Of an instruction that a breakpoint replaces. (FunctionCode::Instruction says what distance_at
/// is.)
void make_copy(Hidden& hidden, std::size_t distance_at);

}  // namespace plumb::runtime
