// SPDX-License-Identifier: MIT
// Whether operations come to an end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "refine/question/question.hpp"
#include "refine/search/product.hpp"

namespace plumb::refine {

struct ProgressProperty {
  enum Kind { deadlock_free, lock_free, wait_free, obstruction_free, returns } kind = deadlock_free;
  std::uint32_t op = 0;  // returns

  /// What a question about progress asks of a model; nothing: the model has no such operation.
  static std::optional<ProgressProperty> of(const Question& question,
                                            const model::Program& program);
  /// Whether it speaks only of runs in which no process is left out forever.
  bool fair() const { return kind == deadlock_free || kind == returns; }
};

/// An infinite run: the way to a state, and a way from there back to it. An empty loop: nothing
/// happens any more, or, if the property is not fair(), only `process` runs, and it waits.
struct Lasso {
  std::vector<PlainStep> stem, loop;
  std::uint32_t process = 0;  // whose operation does not return
};

struct Progressed {
  Found found;                 // verdict, counts; a fault with its trace
  std::optional<Lasso> lasso;  // violation, unless it is a fault
};

/// Decides the property on all states of the implementation. The specification does not matter.
Progressed decide_progress(const model::Program& program, const ProgressProperty& property,
                           Budget& budget, SearchProgress* progress = nullptr);

/// Whether a process may do nothing forever: it is between operations, at the start of its
/// sequence.
bool may_rest(const model::Program& program, const model::Cell* state, std::uint32_t process);

/// Why the lasso does not refute the property; empty if it does. Runs it step by step.
std::string refute(const model::Program& program, const ProgressProperty& property,
                   const Lasso& lasso);

}  // namespace plumb::refine
