// SPDX-License-Identifier: MIT
// Histories of a test that are judged by a given specification, as `plumb check` judges recorded
// ones: are they linearizable, or quasi linearizable (Round-Up)?
#pragma once

#include "lineup/matrix.hpp"
#include "plumb/check.hpp"

namespace plumb::lineup {

struct BySpecification {
  const Specification* specification = nullptr;  // null: by the serial histories
  QuasiOptions quasi;                            // without sets: not relaxed
  explicit operator bool() const { return specification != nullptr; }
  bool is_relaxed() const { return !quasi.sets.empty(); }
};

// What is wrong with the question, for an object with these methods; empty: nothing.
std::string wrong_question(const BySpecification& by, const Object& object);

// `history` is of this test.
Result<QuasiReport> decide(const BySpecification& by, const Matrix& test, const Object& object,
                           const plumb::History& history, bool minimise);

// Relaxations that permute need tests that take out whatever they put in (Round-Up, section V-B):
// otherwise a value can be taken for one that is put in later. Appends removals at the end.
Matrix drained(Matrix test, const Object& object, const BySpecification& by);

}  // namespace plumb::lineup
