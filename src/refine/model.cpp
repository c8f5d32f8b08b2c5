// SPDX-License-Identifier: MIT
// plumb/verify.hpp: models, and what is found about them, without the types of this folder.
#include <fmt/format.h>

#include "base/text.hpp"
#include "model/code/read_file.hpp"
#include "refine/verify.hpp"

namespace plumb {

struct Model::State {
  std::string name, text;  // its file
  model::Program program;
};

const std::string& Model::object() const { return state_->program.object; }
std::uint32_t Model::processes() const { return state_->program.processes(); }
const ModelConstants& Model::constants() const { return state_->program.constants; }
Question Model::question() const { return refine::question_of(state_->program); }
std::vector<std::string> Model::operations() const {
  std::vector<std::string> names;
  for (const model::Op& op : state_->program.ops) names.push_back(op.name);
  return names;
}

Result<Model> read_model(const std::string& path, const ModelConstants& constants) {
  Result<std::string> text = model::read_file(path);
  if (!text.ok()) return std::move(text.error());
  return read_model_text(std::move(*text), path, constants);
}

Result<Model> read_model_text(std::string text, std::string name, const ModelConstants& constants) {
  model::Compiled compiled = model::compile(text, constants, {name, model::read_named_file});
  if (!compiled.program) {
    const model::Diagnostic& d = compiled.diagnostic;
    return Error{ErrorKind::bad_input,           d.message,    d.hint,
                 d.file.empty() ? name : d.file, d.place.line, model::to_string(d, name, text)};
  }
  if (!compiled.unknown_setting.empty())
    return Error{ErrorKind::usage,
                 fmt::format("the model has no constant '{}'", compiled.unknown_setting),
                 "see its const declarations", name};
  return Model(std::make_shared<const Model::State>(
      Model::State{std::move(name), std::move(text), std::move(*compiled.program)}));
}

namespace {

std::vector<ModelStep> steps_of(const std::vector<refine::TraceStep>& trace) {
  std::vector<ModelStep> steps;
  for (const refine::TraceStep& from : trace) {
    ModelStep step{from.process, from.line, from.what, {}, from.note};
    for (const auto& change : from.changes) step.changes.push_back(change.to_string("→"));
    steps.push_back(std::move(step));
  }
  return steps;
}

ModelReport public_report(refine::VerifyReport& from) {
  ModelReport report;
  const refine::Found& found = from.found;
  report.question = from.question;
  report.verdict = found.verdict;
  report.reason = std::move(from.reason);
  report.stopped = found.stopped;
  report.states = found.states;
  report.transitions = found.transitions;
  report.depth = found.depth;
  report.waiting = found.waiting;
  report.seconds = from.seconds;
  report.notes = std::move(from.notes);
  if (from.marks)
    report.notes.push_back("the linearization points were not used: " + from.marks->why);
  for (const refine::Warning& w : from.warnings)
    report.never.push_back(
        fmt::format("line {}: {}: {}", w.place.line, refine::to_string(w.kind), w.what));
  report.savings = std::move(from.savings);
  report.steps = steps_of(from.trace);
  report.loop = steps_of(from.loop);
  report.blocked = steps_of(from.waiting);
  report.why = from.counterexample ? from.counterexample->why : std::move(from.why);
  if (from.history) report.history = std::move(*from.history);
  report.counterexample = std::move(from.counterexample);
  return report;
}

}  // namespace

Result<ModelReport> verify(const Model& model, const VerifyOptions& options,
                           SearchProgress* progress) {
  const Model::State& state = model.state();
  Result<refine::VerifyReport> report =
      refine::verify(state.program, state.text, options, progress);
  if (report.ok()) return public_report(*report);
  if (report.error().file.empty()) report.error().file = state.name;
  return std::move(report.error());
}

}  // namespace plumb
