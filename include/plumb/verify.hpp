// SPDX-License-Identifier: MIT
// Door 3 as a library: decide a model of an algorithm.
//
//   Result<Model> model = plumb::read_model("counter.plumb", {{"N", 3}});
//   Result<ModelReport> report = plumb::verify(*model, {.question = ProgressCondition::lock_free});
//   if (report->verdict == Verdict::violation) ...
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plumb/check.hpp"
#include "plumb/export.hpp"
#include "plumb/history.hpp"
#include "plumb/result.hpp"
#include "plumb/verdict.hpp"

namespace plumb {

/// A question about every history of a model.
enum class Criterion : std::uint8_t {
  linearizable,  // the specification explains it
  points,        // the same, by the marked linearization points (`linearize`)
  regular,       // of a register with one writer
  safe,          // of a register with one writer
  // Linearizability of a register with one writer, the costly way: every state records its history,
  // and an engine for histories decides it whenever an operation returns. `dummy` asks no engine.
  soar,
  soar_literal,
  clmt,
  dummy
};

/// A question about infinite runs: whether operations return.
enum class ProgressCondition : std::uint8_t {
  deadlock_free,    // some operation always returns if every process gets its turn
  lock_free,        // some operation always returns, whichever processes run
  wait_free,        // every operation returns, whichever other processes run
  obstruction_free  // an operation that runs alone returns
};

/// Whether every call of one operation returns if every process gets its turn.
struct Returns {
  std::string operation;
  bool operator==(const Returns&) const = default;
};

/// Whether a fault is reachable: visits the states of the object alone, without the specification.
struct ExploreOnly {
  bool operator==(const ExploreOnly&) const = default;
};

/// What verify() is asked.
using Question = std::variant<Criterion, ProgressCondition, Returns, ExploreOnly>;

/// By the names of --property ("linearizable", "lock-free", "returns:push", ...) and --engine
/// ("soar", ...), and "points" and "explored"; nothing: there is no such question. Whether the
/// model has the operation of "returns:" is left to verify().
PLUMB_API std::optional<Question> question_named(std::string_view name);
/// The name by which question_named() finds it.
PLUMB_API std::string question_name(const Question& question);
/// The property that it asks about: "linearizable" also where it is decided by points or by an
/// engine; else its name.
PLUMB_API std::string property_name(const Question& question);

/// What keeps the search small. None changes a verdict. docs/verify.md explains them.
struct Reductions {
  bool eager_returns = true;
  bool late_calls = true;
  bool symmetry = true;       // of processes
  bool partial_order = true;  // on the command line: only with --por
  bool antichain = true;      // smaller sets of configurations make larger ones superfluous
  bool generators = true;     // of a set, only the configurations that nothing else in it leads to
};

/// When a model is compiled to machine code. No result depends on it.
enum class Native : std::uint8_t { never, when_large, at_once };

/// Use designated initialisers: fields may be added.
struct VerifyOptions {
  std::optional<Question> question = {};  // empty: what the model asserts, else linearizability
  Reductions reductions = {};
  bool cut_is_bound = false;  // a path that ends because `new` finds no free node is out of scope
  bool savings = false;       // measure what each reduction saves
  bool least = true;          // find a counterexample with the fewest operations
  unsigned jobs = 0;          // threads; 0: all cores; no result depends on it
  /// The command line compiles large models. A program may not want to start a compiler.
  Native native = Native::never;
  bool compact = false;          // remember states by 64 bits of a hash: some may be missed
  double timeout_seconds = 0;    // of the search and its evidence; 0: none
  std::size_t memory_bytes = 0;  // of the whole process; 0: none
  const std::atomic<bool>* interrupt = nullptr;
  std::string checkpoint = {};  // a file; for linearizability and for ExploreOnly; empty: none
  double checkpoint_seconds = 30;
};

/// The state of a search, for a progress line. Written by the search, read by anyone.
struct SearchProgress {
  std::atomic<std::uint64_t> states{0}, waiting{0}, transitions{0}, depth{0};
};

/// Values for constants of a model: --set NAME=VALUE.
using ModelConstants = std::vector<std::pair<std::string, std::int64_t>>;

/// A model that was read and compiled (docs/language.md). Copies share it. It never changes, so
/// several threads may use it at once.
class PLUMB_API Model {
 public:
  const std::string& object() const;  // its name
  std::uint32_t processes() const;
  const ModelConstants& constants() const;  // all of them
  std::vector<std::string> operations() const;
  /// What verify() decides unless it is asked something else.
  Question question() const;

  struct State;  // the library's own
  explicit Model(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  const State& state() const { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

/// An error names the line; its details are that line with a caret. `spec "FILE"` in the model is
/// relative to the model's own folder. Thread safety: may be called from several threads at once.
PLUMB_API Result<Model> read_model(const std::string& path, const ModelConstants& constants = {});
/// The same for a text. `name` stands for the file in messages; `spec "FILE"` is relative to its
/// folder.
PLUMB_API Result<Model> read_model_text(std::string text, std::string name,
                                        const ModelConstants& constants = {});

/// One step of a run.
struct ModelStep {
  std::uint32_t process = 0;
  std::uint32_t line = 0;            // of the model; 0: a call or a return
  std::string what;                  // "call push(1)", "return 2", or the statement
  std::vector<std::string> changes;  // "top: 0 → 1"
  std::string note;                  // a fault, or that it waits forever
};

/// The same search without one reduction, or without all.
struct Saving {
  std::string without;  // "symmetry", or "all"
  std::uint64_t states = 0, transitions = 0;
  double seconds = 0;
  bool complete = false;  // it was not stopped by its limit
  bool all = false;       // without all of them
};

/// The verdict with its scope and its evidence.
struct ModelReport {
  Question question;
  Verdict verdict = Verdict::undecided;
  StopReason stopped = StopReason::none;  // why undecided; none: `new` found no free node
  std::string reason;                     // the same in words; violation by a fault: which

  std::uint64_t states = 0, transitions = 0, depth = 0;
  std::uint64_t waiting = 0;  // undecided: states that were found and not visited
  double seconds = 0;         // of the search alone
  std::vector<std::string> notes;
  /// holds: statements and operations that never happen, so the verdict does not cover them.
  std::vector<std::string> never;
  std::vector<Saving> savings;

  /// violation: a run that shows it, replayed without any reduction. After `steps`, `loop` repeats
  /// forever, if there is one; `blocked` are the processes that cannot continue at the end.
  std::vector<ModelStep> steps, loop, blocked;
  std::vector<std::string> why;    // in words, one sentence each
  std::optional<History> history;  // of `steps`; none for progress conditions
  /// What matters of that history. Where it is about results, another engine refutes it as well.
  std::optional<Counterexample> counterexample;
};

/// Decides one question about a model. An error: the question does not fit the model, or the
/// specification has a fault. The report is undecided if a limit is reached or the system gives no
/// more memory. Thread safety: may be called from several threads at once, each with its own
/// checkpoint.
PLUMB_API Result<ModelReport> verify(const Model& model, const VerifyOptions& options = {},
                                     SearchProgress* progress = nullptr);

}  // namespace plumb
