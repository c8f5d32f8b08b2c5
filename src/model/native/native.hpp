// SPDX-License-Identifier: MIT
// A model as machine code: what Machine::successors does, on packed states, many times faster.
//
// The code does what is usual. Whatever is not (a fault, a long loop, very many choices) it leaves
// to the interpreter: then it answers kAsk, and nothing that it has written counts. So there is one
// place where faults are worded and limits are kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "model/code/program.hpp"

namespace plumb::native {

/// One step. `kind` as in model::StepKind.
struct Step {
  std::uint32_t kind, call;
  std::int32_t result;
  std::uint32_t marks;
};

inline constexpr std::uint32_t kRoom = 256;         // for steps, and for as many states
inline constexpr std::uint32_t kAsk = 0xffffffffu;  // the interpreter

/// Every plain step of a process from a packed state, in the order of Machine::successors.
/// `reads` and `writes`: a footprint to add to, or both null. `seen` and `returned`: a coverage to
/// add to, for statements, CAS and await. Returns: how many, or kAsk.
using StepsFunction = std::uint32_t (*)(const std::uint64_t* words, std::uint32_t process,
                                        Step* steps, std::uint64_t* states, std::uint64_t* reads,
                                        std::uint64_t* writes, std::uint8_t* seen,
                                        std::uint8_t* returned);

/// The program as C++; nothing: it has instructions that are not known here.
std::optional<std::string> translate(const model::Program& program);

/// Compiles a program, or finds it in the cache, and loads it. Null: there is no compiler, or it
/// does not work, or the program cannot be translated; then the interpreter does all of it.
StepsFunction compile(const model::Program& program, const std::atomic<bool>* cancel = nullptr);

}  // namespace plumb::native
