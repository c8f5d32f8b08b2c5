// SPDX-License-Identifier: MIT
// Histories of a test that are judged by a given specification, as `plumb check` judges recorded
// ones: are they linearizable, or quasi linearizable (Round-Up)?
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "lineup/history.hpp"
#include "lineup/matrix.hpp"
#include "plumb/check.hpp"

namespace plumb::lineup {

struct BySpecification {
  const Specification* specification = nullptr;  // null: by the serial histories
  QuasiOptions quasi;                            // without sets: not relaxed
  bool counts_permutations = false;              // see count_permutations()
  explicit operator bool() const { return specification != nullptr; }
  bool is_relaxed() const { return !quasi.sets.empty(); }
};

/// What the judgement of one history may spend.
struct JudgementLimits {
  double seconds = 0;                            // 0: any number
  std::size_t memory_bytes = 0;                  // of the whole process; 0: any number
  const std::atomic<bool>* interrupt = nullptr;  // null: nobody interrupts it
};

/// What is wrong with the question, for an object with these methods; empty: nothing.
std::string wrong_question(const BySpecification& by, const Object& object);

/// Why the results of a method, by their type, cannot be those of the specification's method, in a
/// sentence with the remedy; empty: they can. Of a weak read nothing is asked.
std::string wrong_result(const Specification& specification, const Object& object,
                         const Invocation& invocation);

/// `history` is of a test.
Result<QuasiReport> decide(const BySpecification& by, const plumb::History& history, bool minimise,
                           const JudgementLimits& limits = {});

/// The columns of Round-Up's tables: all sequentializations of the history and all their quasi
/// permutations, by its Algorithms 1 and 2, which decide it as well. Requires: the relaxation
/// permutes.
struct PermutationCount {
  std::uint64_t sequentializations = 0, permutations = 0;
  Verdict verdict = Verdict::holds;
  StopReason stopped = StopReason::none;  // none: all were counted
};
PermutationCount count_permutations(const BySpecification& by, const plumb::History& history,
                                    const JudgementLimits& limits = {});

bool permutes(const BySpecification& by);

/// Relaxations that permute need tests that take out whatever they put in (Round-Up, section V-B):
/// otherwise a value can be mistaken for one that is put in later. Appends removals at the end.
Matrix drained(Matrix test, const Object& object, const BySpecification& by);

/// Whether less is taken out than put in, by the test or by one of its histories: then such a
/// relaxation may refuse what is right (the paper's events out of thin air). Of others: false.
bool puts_in_more(const BySpecification& by, const Matrix& test, const Object& object);
bool leaves_values(const BySpecification& by, const Matrix& test, const Object& object,
                   const ObservedHistory& history, const Results& results);

}  // namespace plumb::lineup
