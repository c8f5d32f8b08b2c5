// SPDX-License-Identifier: MIT
#include "refine/evidence/walk.hpp"

#include <fmt/format.h>

#include "model/code/sequential.hpp"

namespace plumb::refine {

using model::Cell;
using model::Point;
using model::StepKind;

namespace {

std::vector<Value> arguments(const model::Program& program, const model::ConcreteCall& call) {
  std::vector<Value> args;
  for (std::size_t a = 0; a < call.args.size(); ++a)
    args.push_back(value_of(program, program.ops[call.op].parameters[a].type, call.args[a]));
  return args;
}

Value shown_value(const model::Program& program, const model::Type& type, Cell cell) {
  const bool nullable = type.kind == model::Type::pointer || type.kind == model::Type::process;
  return nullable && cell == 0 ? Value::nil() : value_of(program, type, cell);
}

std::string plain_words(Value value) {
  return value.is_string() ? std::string(value.as_text()) : value.to_string();
}

}  // namespace

std::string TraceStep::Change::to_string(std::string_view arrow) const {
  return before ? fmt::format("{}: {} {} {}", variable, plain_words(*before), arrow,
                              plain_words(after))
                : fmt::format("{} = {}", variable, plain_words(after));
}

std::string step_words(const model::Program& program, const model::Quotes& quotes,
                       const Point& from, const model::Successor& step) {
  if (step.kind == StepKind::inside) return quotes.at({from.line, from.column});
  if (step.kind == StepKind::give_back) {
    const model::Op& op = program.ops[from.op];
    return op.returns_value ? "return " + value_of(program, op.result, step.result).to_string()
                            : "return";
  }
  const model::ConcreteCall& call = program.calls[step.call];
  std::string words;
  for (const Value arg : arguments(program, call))
    words += (words.empty() ? "" : ", ") + arg.to_string();
  return fmt::format("call {}({})", program.ops[call.op].name, words);
}

Walk::Walk(const model::Program& program, std::string_view text)
    : program_(program), quotes_(text), machine_(program, model::NodeNames::kept),
      state_(machine_.initial()) {
  builder_.begin_object(Value::nil(), program.object);
  for (std::uint32_t p = 0; p < program.processes(); ++p)
    processes_.push_back(builder_.process(Value::integer(p)));
  operations_.resize(program.processes(), kNone);
  names_.resize(program.processes());
}

std::vector<PlainStep> Walk::possible() {
  std::vector<PlainStep> all;
  const std::uint64_t cuts_before = machine_.cuts();
  cut_ = false;
  if (fault_) return all;
  for (std::uint32_t p = 0; p < program_.processes(); ++p) {
    std::uint32_t ordinal = 0;
    machine_.successors(state_.data(), p, [&](const model::Successor&) {
      all.push_back({p, ordinal++});
    });
  }
  cut_ = machine_.cuts() > cuts_before;
  return all;
}

std::optional<Walk::Examined> Walk::examine(PlainStep plain) {
  std::optional<Examined> found;
  std::uint32_t i = 0;
  machine_.successors(state_.data(), plain.process, [&](const model::Successor& s) {
    if (i++ != plain.ordinal) return;
    found.emplace();
    found->taken = s;
    if (s.fault) found->fault = *s.fault;
    else found->next.assign(s.state, s.state + program_.cells());
  });
  if (!found) return found;
  const Point& from = machine_.point(state_.data(), plain.process);
  TraceStep& step = found->step;
  step.process = plain.process;
  step.kind = found->taken.kind;
  step.what = step_words(program_, quotes_, from, found->taken);
  if (step.kind == StepKind::inside) step.line = from.line;
  if (found->fault) step.note = found->fault->message;
  else changes(step, found->next);
  return found;
}

std::optional<TraceStep> Walk::look(PlainStep step) {
  auto found = examine(step);
  if (!found) return {};
  return std::move(found->step);
}

std::optional<model::Successor> Walk::successor(PlainStep step) {
  auto found = examine(step);
  if (!found) return {};
  return found->taken;
}

Status Walk::take(PlainStep plain) {
  auto found = examine(plain);
  if (!found || fault_)
    return Error{ErrorKind::internal, "internal error: a step of the run is not possible",
                 "this is a bug in plumb: please report it"};
  const std::uint32_t p = plain.process;
  if (found->taken.kind == StepKind::call) {
    const model::ConcreteCall& call = program_.calls[found->taken.call];
    const CallId id = builder_.intern_call(program_.ops[call.op].name, arguments(program_, call));
    if (Status called = builder_.call(processes_[p], 0, id); !called.ok()) return called;
    operations_[p] = made_++;
    names_[p] = found->step.what.substr(std::string_view("call ").size());
  } else if (found->taken.kind == StepKind::give_back) {
    const model::Op& op = program_.ops[machine_.point(state_.data(), p).op];
    const Value result =
        op.returns_value ? value_of(program_, op.result, found->taken.result) : Value::nil();
    if (Status done = builder_.returned(processes_[p], result); !done.ok()) return done;
    last_ = operations_[p];
    operations_[p] = kNone;
  }
  fault_ = std::move(found->fault);
  if (!fault_) state_ = std::move(found->next);
  trace_.push_back(std::move(found->step));
  return {};
}

std::vector<TraceStep> Walk::waiting() {
  std::vector<TraceStep> all;
  for (std::uint32_t p = 0; p < program_.processes(); ++p) {
    const Point& point = machine_.point(state_.data(), p);
    if (point.kind != Point::inside) continue;
    const std::uint64_t cuts_before = machine_.cuts();
    bool any = false;
    machine_.successors(state_.data(), p, [&](const model::Successor&) { any = true; });
    if (!any && machine_.cuts() == cuts_before)
      all.push_back({p,
                     StepKind::inside,
                     point.line,
                     quotes_.at({point.line, point.column}),
                     {},
                     "waits forever",
                     {}});
  }
  return all;
}

void Walk::changes(TraceStep& step, const std::vector<Cell>& next) const {
  const auto change = [&](const std::string& name, const model::Type& type, bool was, Cell before,
                          Cell after) {
    if (name.empty() || (was && before == after)) return;
    std::optional<Value> had;
    if (was) had = shown_value(program_, type, before);
    step.changes.push_back({name, had, shown_value(program_, type, after)});
  };
  for (const model::Variable& v : program_.shared)
    for (Cell i = 0; i < v.size && !v.name.empty(); ++i) {
      const auto at = static_cast<std::size_t>(v.first) + static_cast<std::size_t>(i);
      if (!unused(program_, v, i, next.data()))
        change(cell_words(v, i), v.type, true, state_[at], next[at]);
    }
  const std::size_t frame = program_.block_of(step.process) + 3;
  const auto in_frame = [&](const model::Variable& v, bool was) {
    const std::size_t at = frame + static_cast<std::size_t>(v.first);
    change(v.name, v.type, was, state_[at], next[at]);
  };
  for (const model::Variable& v : program_.privates) in_frame(v, true);
  // Locals: those that mean something afterwards. Before the call there were none.
  const Point& from = machine_.point(state_.data(), step.process);
  const Point& to = machine_.point(next.data(), step.process);
  if (to.kind != Point::inside) return;
  for (const model::Variable& v : program_.ops[to.op].locals)
    if (to.live >> v.first & 1)
      in_frame(v, from.kind == Point::inside && (from.live >> v.first & 1));
}

Result<History> Walk::history(bool stuck) {
  if (stuck)
    if (Status said = builder_.stuck(); !said.ok()) return std::move(said.error());
  return std::move(builder_).finish();
}

}  // namespace plumb::refine
