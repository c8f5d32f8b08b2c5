// SPDX-License-Identifier: MIT
// A run is followed with the specification beside it, which makes a step wherever a process passes
// a mark: the definition of points.cpp again, without sets that are numbered and shared. A
// nondeterministic specification is in several states at once.
#include "refine/evidence/marks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "model/code/sequential.hpp"

namespace plumb::refine {
namespace {

using model::Cell;
using model::StepKind;

class MarkedRun {
 public:
  MarkedRun(const model::Program& program, std::string_view text)
      : program_(program), walk_(program, text), sequential_(program),
        operations_(program.processes()) {
    possible_.push_back(
        {model::Sequential::kInitial, std::vector<Cell>(program.processes(), Cell{0})});
  }

  /// Returns: what is wrong with it; empty: nothing yet.
  Result<std::string> take(PlainStep plain) {
    const auto successor = walk_.successor(plain);
    if (Status done = walk_.take(plain); !done.ok()) return std::move(done.error());
    trace_.push_back(walk_.trace().back());
    Operation& operation = operations_[plain.process];
    if (successor->kind == StepKind::call) operation = {successor->call, 0, 0};
    if (successor->kind == StepKind::give_back) return returned(plain.process, successor->result);
    for (std::uint32_t i = 0; i < successor->marks; ++i)
      if (std::string wrong = mark(plain.process); !wrong.empty()) return wrong;
    return std::string();
  }

  std::string stuck(std::uint32_t process) const {
    return fmt::format("{} waits forever {}", name(process),
                       operations_[process].marks > 0 ? "after it has taken effect"
                                                      : "although it could take effect");
  }
  std::vector<TraceStep> trace() { return std::move(trace_); }

 private:
  struct Operation {
    model::CallNumber call = 0;
    std::uint32_t marks = 0, line = 0;  // that it has passed, and where
  };
  struct Possibility {
    std::uint32_t state;
    std::vector<Cell> results;  // by process: of what has taken effect
    bool operator==(const Possibility&) const = default;
  };

  std::string name(std::uint32_t process) const {
    return fmt::format("{} of process {}", walk_.name(process), process);
  }
  std::string results(std::uint32_t process) const {
    const model::Op& op = program_.ops[program_.calls[operations_[process].call].op];
    std::vector<std::string> all;
    for (const Possibility& p : possible_) {
      std::string words = value_of(program_, op.result, p.results[process]).to_string();
      if (std::find(all.begin(), all.end(), words) == all.end()) all.push_back(std::move(words));
    }
    return op.returns_value ? text::list_words(all, "or") : "";
  }

  std::string mark(std::uint32_t process) {
    Operation& operation = operations_[process];
    TraceStep& step = trace_.back();
    if (operation.marks++ > 0) {
      step.effect = "takes effect again";
      return fmt::format("{} passes a second mark", name(process));
    }
    operation.line = step.line;
    std::vector<Possibility> next;
    for (const Possibility& p : possible_)
      for (const auto& outcome : sequential_.outcomes(p.state, operation.call)) {
        next.push_back({outcome.state, p.results});
        next.back().results[process] = outcome.result;
        if (std::find(next.begin(), next.end() - 1, next.back()) != next.end() - 1) next.pop_back();
      }
    possible_ = std::move(next);
    if (possible_.empty()) {
      step.effect = "cannot take effect";
      return fmt::format("{} passes a mark where the specification blocks it", name(process));
    }
    const std::string words = results(process);
    step.effect = words.empty() ? "takes effect" : "takes effect: " + words;
    return {};
  }

  std::string returned(std::uint32_t process, Cell result) {
    const Operation& operation = operations_[process];
    if (operation.marks == 0)
      return fmt::format("{} returns without passing a mark", name(process));
    const std::string allowed = results(process);
    std::erase_if(possible_, [&](const Possibility& p) { return p.results[process] != result; });
    // What has returned makes no difference any more.
    for (Possibility& p : possible_) p.results[process] = 0;
    if (!possible_.empty()) return {};
    const model::Op& op = program_.ops[program_.calls[operation.call].op];
    return fmt::format("{} returns {}, but {} the specification gave it {}", name(process),
                       value_of(program_, op.result, result).to_string(),
                       operation.line ? fmt::format("at its mark in line {}", operation.line)
                                      : "at its mark, with the call,",
                       allowed);
  }

  const model::Program& program_;
  Walk walk_;
  model::Sequential sequential_;
  std::vector<Operation> operations_;  // by process
  std::vector<Possibility> possible_;
  std::vector<TraceStep> trace_;
};

}  // namespace

Result<MarksFailure> explain_marks(const model::Program& program, std::string_view text,
                                   const Found& found) {
  MarkedRun run(program, text);
  std::string why;
  for (const PlainStep step : found.trace) {
    Result<std::string> wrong = run.take(step);
    if (!wrong.ok()) return std::move(wrong.error());
    why = std::move(*wrong);
    if (!why.empty()) break;
  }
  if (why.empty() && found.kind == Found::stuck) why = run.stuck(found.culprit);
  if (why.empty())
    return Error{ErrorKind::internal, "internal error: the marks explain the run after all",
                 "this is a bug in plumb: please report it"};
  return MarksFailure{std::move(why), run.trace()};
}

}  // namespace plumb::refine
