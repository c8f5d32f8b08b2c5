// SPDX-License-Identifier: MIT
// A violation is not believed because the search says so. Its trace, numbers of plain steps, is run
// again by the interpreter from the initial state, without any reduction; the calls and returns on
// the way are a history like any other; and that history is decided by the engines of src/check,
// which share no code with the search but the specification's own. Only then it is reported.
#include "refine/verify.hpp"

#include <fmt/format.h>

#include "check/clock.hpp"
#include "model/machine.hpp"
#include "model/sequential.hpp"

namespace plumb::refine {
namespace {

using model::Cell;
using model::Program;
using model::StepKind;

Error internal(std::string message) {
  return Error{ErrorKind::internal, "internal error: " + std::move(message),
               "this is a bug in plumb: please report it"};
}

std::string line_of(std::string_view text, std::uint32_t line) {
  for (std::uint32_t i = 1; i < line && !text.empty(); ++i) {
    const std::size_t end = text.find('\n');
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  text = text.substr(0, text.find("//"));
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

class Replayer {
 public:
  Replayer(const Program& program, std::string_view text)
      : program_(program), text_(text), machine_(program, model::NodeNames::kept),
        state_(machine_.initial()) {}

  Status run(const Found& found, VerifyReport& report) {
    builder_.begin_object(Value::nil(), program_.object);
    for (std::uint32_t p = 0; p < program_.processes(); ++p)
      processes_.push_back(builder_.process(Value::integer(p)));
    operations_.resize(program_.processes(), kNone);
    for (std::size_t i = 0; i < found.trace.size(); ++i)
      if (Status done = step(found.trace[i], report); !done.ok()) return done;
    if (found.kind == Found::fault && !fault_) return internal("no fault in the replay");
    if (found.kind == Found::stuck) {
      for (std::uint32_t p = 0; p < program_.processes(); ++p) {
        bool any = false;
        machine_.successors(state_.data(), p, [&](const model::Successor&) { any = true; });
        if (any) return internal("the replay does not get stuck");
      }
      if (Status said = builder_.stuck(); !said.ok()) return said;
    }
    Result<History> history = std::move(builder_).finish();
    if (!history.ok()) return std::move(history.error());
    report.history = std::make_unique<History>(std::move(*history));
    Counterexample c;
    for (OperationId op = 0; op < report.history->size(); ++op) c.operations.push_back(op);
    if (found.kind == Found::unexplained) c.culprit = last_;
    else if (found.kind == Found::stuck) c.culprit = operations_[found.culprit];
    if (fault_) {
      report.reason = fmt::format("line {}: {}", fault_->line, fault_->message);
      c.why.push_back(fmt::format("The object's code goes wrong in line {}: {}.", fault_->line,
                                  fault_->message));
      c.confirmed_by = "replay";
    }
    report.counterexample = std::move(c);
    return {};
  }

 private:
  Status step(const PlainStep& plain, VerifyReport& report) {
    std::uint32_t i = 0;
    bool there = false;
    model::Successor taken;
    std::vector<Cell> next;
    const std::uint32_t p = plain.process;
    const model::Point from = machine_.point(state_.data(), p);
    machine_.successors(state_.data(), p, [&](const model::Successor& s) {
      if (i++ != plain.ordinal) return;
      there = true;
      taken = s;
      if (s.fault) fault_ = *s.fault;
      else next.assign(s.state, s.state + program_.cells());
    });
    if (!there) return internal("a step of the counterexample is not possible");
    TraceStep step;
    step.process = p;
    step.kind = taken.kind;
    if (taken.kind == StepKind::call) {
      const model::ConcreteCall& call = program_.calls[taken.call];
      std::vector<Value> args;
      for (std::size_t a = 0; a < call.args.size(); ++a)
        args.push_back(value_of(program_, program_.ops[call.op].parameters[a].type, call.args[a]));
      const CallId id = builder_.intern_call(program_.ops[call.op].name, args);
      if (Status called = builder_.call(processes_[p], 0, id); !called.ok()) return called;
      operations_[p] = made_++;
      std::string words;
      for (const Value arg : args) words += (words.empty() ? "" : ", ") + arg.to_string();
      step.what = fmt::format("call {}({})", program_.ops[call.op].name, words);
    } else if (taken.kind == StepKind::give_back) {
      const model::Op& op = program_.ops[from.op];
      const Value result =
          op.returns_value ? value_of(program_, op.result, taken.result) : Value::nil();
      if (Status done = builder_.returned(processes_[p], result); !done.ok()) return done;
      last_ = operations_[p];
      operations_[p] = kNone;
      step.what = op.returns_value ? "return " + result.to_string() : "return";
    } else {
      step.line = from.line;
      step.what = line_of(text_, from.line);
    }
    if (!next.empty()) {
      changes(step, from, next);
      state_ = std::move(next);
    }
    report.trace.push_back(std::move(step));
    return {};
  }

  void changes(TraceStep& step, const model::Point& from, const std::vector<Cell>& next) const {
    const auto change = [&](const std::string& name, const model::Type& type, bool was, Cell before,
                            Cell after) {
      if (name.empty() || (was && before == after)) return;
      step.changes.push_back(
          {name, was ? words_of(program_, type, before) : "", words_of(program_, type, after)});
    };
    for (const model::Variable& v : program_.shared)
      for (Cell i = 0; i < v.size && !v.name.empty(); ++i) {
        const auto at = static_cast<std::size_t>(v.first + i);
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
    const model::Point& to = machine_.point(next.data(), step.process);
    if (to.kind != model::Point::inside) return;
    for (const model::Variable& v : program_.ops[to.op].locals)
      if (to.live >> v.first & 1)
        in_frame(v, from.kind == model::Point::inside && (from.live >> v.first & 1));
  }

  const Program& program_;
  std::string_view text_;
  model::Machine machine_;
  std::vector<Cell> state_;
  HistoryBuilder builder_;
  std::vector<ProcessId> processes_;
  std::vector<OperationId> operations_;  // by process: what it is doing
  OperationId made_ = 0, last_ = kNone;
  std::optional<model::Fault> fault_;
};

// The history alone, decided by the engines for recorded histories.
Status confirm(const VerifyOptions& options, VerifyReport& report) {
  if (report.found.kind == Found::fault) return {};
  CheckOptions check_options;
  check_options.specification = report.specification.get();
  check_options.partition = false;
  check_options.jobs = 1;
  check_options.interrupt = options.interrupt;
  const Result<CheckReport> checked = check(*report.history, check_options);
  if (!checked.ok()) return checked.error();
  if (checked->verdict == Verdict::holds)
    return internal("the history of the counterexample is linearizable");
  Counterexample& c = *report.counterexample;
  if (checked->verdict == Verdict::violation && checked->counterexample) {
    c = *checked->counterexample;
  } else {
    report.found.verdict = Verdict::undecided;
    report.reason = "a violation was found, but not confirmed: " + checked->reason;
  }
  if (c.why.empty()) c.why.push_back("No order of the operations explains this.");
  return {};
}

// Paths end where `new` finds no node. What lies behind them was not looked at.
void settle_cuts(const VerifyOptions& options, VerifyReport& report) {
  const std::string cuts = fmt::format("new found no free node in {} step{}", report.found.cuts,
                                       report.found.cuts == 1 ? "" : "s");
  const bool complete =
      report.found.verdict == Verdict::undecided && report.found.stopped == Budget::Stop::none;
  if (complete && options.cut_is_bound) report.found.verdict = Verdict::holds;
  else if (complete) report.reason = cuts + ": declare more nodes, or say --cut-is-bound";
  if (report.found.verdict == Verdict::holds)
    report.notes.push_back(cuts + ": only what needs no more nodes was looked at");
}

}  // namespace

Result<VerifyReport> verify(const Program& program, std::string_view text,
                            const VerifyOptions& options, SearchProgress* progress) {
  VerifyReport report;
  report.specification = make_specification(program);
  Budget budget(options.timeout_seconds, options.memory_bytes, options.interrupt);
  const auto start = Clock::now();
  report.found = options.explore_only ? explore(program, false, budget, progress)
                                      : refine(program, options.reductions, budget, progress);
  report.seconds = since(start);
  if (report.found.spec_fault)
    return Error{ErrorKind::bad_input,
                 "the specification goes wrong: " + report.found.spec_fault->message,
                 "it must be defined for every call in every state that it can reach", "",
                 report.found.spec_fault->line};
  if (options.reductions.symmetry && !options.explore_only)
    for (const model::ClientClass& c : program.classes)
      if (!c.symmetric && c.count > 1)
        report.notes.push_back(
            fmt::format("no symmetry among processes {} to {}: their operations mention self",
                        c.first, c.first + c.count - 1));
  if (report.found.cuts > 0) settle_cuts(options, report);
  switch (report.found.stopped) {
    case Budget::Stop::timeout: report.reason = "time-out"; break;
    case Budget::Stop::memory: report.reason = "memory limit"; break;
    case Budget::Stop::interrupted: report.reason = "interrupted"; break;
    default: break;
  }
  if (report.found.verdict != Verdict::violation) return report;
  if (Status replayed = Replayer(program, text).run(report.found, report); !replayed.ok())
    return std::move(replayed.error());
  if (Status confirmed = confirm(options, report); !confirmed.ok())
    return std::move(confirmed.error());
  return report;
}

}  // namespace plumb::refine
