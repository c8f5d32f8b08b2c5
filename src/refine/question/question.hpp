// SPDX-License-Identifier: MIT
// What a model may be asked (plumb/verify.hpp): how the command line says it, which questions fit
// which models, and the monitor that decides each criterion.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/code/program.hpp"
#include "plumb/result.hpp"
#include "plumb/verify.hpp"

namespace plumb::refine {

class Monitor;
class Sets;

// Public types that other layers call by this namespace.
using plumb::Criterion;
using plumb::Question;

/// The options of `plumb verify` that say what is asked.
struct QuestionOptions {
  std::string property = "linearizable";
  std::string engine = {};  // empty: what the model asserts, else the product
  bool points = false, explore_only = false;
  bool simulate = false;    // one run; its history is asked for linearizability
  bool checkpoint = false;  // asks for one
};

/// The question that the options ask of a model, or why they ask none.
Result<Question> parse_question(const QuestionOptions& options, const model::Program& program);

/// What a model is asked by default: its own assertion, or linearizability.
Question question_of(const model::Program& program);
/// Whether the question is the model's own assertion.
bool is_asserted(const model::Program& program, const Question& question);

/// Whether it is linearizability, whichever way it is decided.
bool asks_linearizability(const Question& question);
/// Whether it is asked of registers with one writer only.
inline bool of_registers(Criterion criterion) { return criterion >= Criterion::regular; }
bool of_registers(const Question& question);
/// Whether states record their histories.
inline bool records(Criterion criterion) { return criterion >= Criterion::soar; }
bool records(const Question& question);
/// Whether it is about infinite runs.
bool about_progress(const Question& question);
/// Whether the product of implementation and specification answers it, with its reductions.
bool by_product(const Question& question);

/// What one thread needs to decide a criterion. The sets must outlive it.
std::unique_ptr<Monitor> make_monitor(Criterion criterion, Sets& sets);

}  // namespace plumb::refine
