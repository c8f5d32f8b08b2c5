// SPDX-License-Identifier: MIT
// plumb verify, for people: the verdict with what was covered; a violation as a table, in words,
// and step by step.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "explain/words.hpp"
#include "report/table.hpp"
#include "report/text_parts.hpp"

namespace plumb::report {
namespace {

std::string wrapped(const std::string& text, std::size_t columns) {
  std::string out, line = " ";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (line != " " && text::width_of(line) + 1 + text::width_of(word) > columns) {
      out += line + "\n";
      line = " ";
    }
    line += " " + word;
    at = end + 1;
  }
  return out + line + "\n";
}

// "linearizable", "every push() returns"
std::string held_words(const Question& question) {
  const auto* const returns = std::get_if<Returns>(&question);
  return returns ? fmt::format("every {}() returns", returns->operation) : property_name(question);
}

// "not linearizable", "push() does not always return"
std::string refuted_words(const Question& question) {
  const auto* const returns = std::get_if<Returns>(&question);
  return returns ? returns->operation + "() does not always return"
                 : "not " + property_name(question);
}

// "1 process"
std::string processes_words(const ModelScope& scope) {
  return scope.processes == 1 ? "1 process" : fmt::format("{} processes", scope.processes);
}

// What was covered: of a run that was asked for, its steps.
std::string scope_words(const Report& report, const ModelScope& scope) {
  const refine::Found& found = scope.found;
  if (const auto* const refutation = report.evidence.refutation(); scope.simulated && refutation)
    return fmt::format("{}, {} processes: {}", scope.object, scope.processes,
                       text::count_words(refutation->run->trace.size(), "step"));
  return fmt::format("{}, {}: {}, {}, depth {}", scope.object, processes_words(scope),
                     text::count_words(found.states, "state"),
                     text::count_words(found.transitions, "transition"),
                     text::count_words(found.depth));
}

std::string answer(const Report& report, const ModelScope& scope) {
  const refine::Found& found = scope.found;
  switch (report.verdict) {
    case Verdict::holds:
      return scope.explored ? "no fault" : held_words(scope.question) + scope.how;
    case Verdict::violation:
      return (found.kind == refine::Found::fault ? "a fault in " + report.reason
                                                 : refuted_words(scope.question)) +
             (scope.seed ? fmt::format(", in a run with seed {}", *scope.seed) : "") +
             (found.kind == refine::Found::stuck ? ": it gets stuck" : "");
    case Verdict::undecided: break;
  }
  return found.waiting == 0 ? report.reason
                            : fmt::format("{}; {} not explored", report.reason,
                                          text::count_words(found.waiting, "state"));
}

constexpr std::size_t kWidest = 50;  // columns of a statement

// One line a step: the line of the model, the process, the statement, and what it changed.
std::string steps(const std::vector<const std::vector<refine::TraceStep>*>& parts,
                  const std::vector<std::string>& heads) {
  std::size_t widest = 0;
  for (const auto* part : parts)
    for (const refine::TraceStep& step : *part)
      widest = std::max(widest, text::width_of(text::elide(step.what, kWidest)));
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i]->empty()) continue;
    if (!heads[i].empty()) out += "  " + heads[i] + ":\n";
    for (const refine::TraceStep& step : *parts[i]) {
      std::string changes = step.effect.empty() ? step.note : step.effect;
      for (const auto& change : step.changes)
        changes += (changes.empty() ? "" : ", ") + change.to_string("→");
      const std::string what = text::elide(step.what, kWidest);
      std::string line = fmt::format("  {:>5}   process {}   {}{}   {}",
                                     step.line ? std::to_string(step.line) : "", step.process, what,
                                     std::string(widest - text::width_of(what), ' '), changes);
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
  }
  return out;
}

std::string lines_of(const Report& report) {
  return ", with lines of " + text::file_words(report.file);
}

std::string run_steps(const Report& report, const ModelRun& run) {
  const std::string count = text::count_words(run.trace.size(), "step");
  return steps({&run.trace, &run.waiting}, {fmt::format("The {}{}", count, lines_of(report)), ""});
}

std::string lasso_steps(const Report& report, const Lasso& lasso) {
  const std::string count = text::count_words(lasso.run.trace.size(), "step");
  return steps({&lasso.run.trace, &lasso.loop, &lasso.run.waiting},
               {lasso.run.trace.size() == 1
                    ? fmt::format("The step that leads there{}", lines_of(report))
                    : fmt::format("The {} that lead there{}", count, lines_of(report)),
                lasso.loop.size() == 1 ? "and the step that is repeated forever"
                                       : fmt::format("and the {} that are repeated forever",
                                                     text::count_words(lasso.loop.size(), "step")),
                ""});
}

// What each reduction saved: the same search without it.
std::string savings(const Report& report, const ModelScope& scope) {
  const refine::Found& found = scope.found;
  const double states = static_cast<double>(std::max<std::uint64_t>(found.states, 1));
  std::string out = fmt::format("\n  {:<22}  {:>13}  {:>13}  {:>9}\n", "reductions", "states",
                                "transitions", "time");
  const auto plain = [](std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
  };
  const auto row = [&](std::string_view name, std::uint64_t there, std::uint64_t transitions,
                       double seconds, std::string_view note) {
    out += fmt::format("  {:<22}  {:>13}  {:>13}  {:>9}", name, text::count_words(there),
                       text::count_words(transitions), text::seconds_words(seconds));
    out += note.empty() ? "\n" : fmt::format("  {}\n", note);
  };
  row("as above", found.states, found.transitions, report.seconds, "");
  for (const refine::Saving& w : scope.savings)
    row(w.all ? "none" : "without " + plain(w.without), w.states, w.transitions, w.seconds,
        w.complete ? fmt::format("{:.1f} times the states", static_cast<double>(w.states) / states)
                   : fmt::format("stopped at {:.1f} times the states, unfinished",
                                 static_cast<double>(w.states) / states));
  for (const std::string& name : scope.switched_off)
    out += fmt::format("  {} was off\n", plain(name));
  return out + fmt::format("  {} of configurations of the specification, the largest of {}\n",
                           text::count_words(found.sets, "set"),
                           text::count_words(found.largest_set));
}

// The designer's marks, and a run that they do not explain.
std::string wrong_marks(const Report& report, const TextStyle& style) {
  const refine::MarksFailure& marks = *report.marks;
  return "\n" +
         wrapped(fmt::format("Warning: the linearization points do not explain every run: {}. This "
                             "may be the fault of the marks, so they were not used: the verdict is "
                             "that of a search without them.",
                             marks.why),
                 style.columns) +
         "\n" +
         steps({&marks.trace}, {fmt::format("The {} of that run, with lines of {}",
                                            text::count_words(marks.trace.size(), "step"),
                                            text::file_words(report.file))});
}

std::string warnings(const Report& report, const TextStyle& style) {
  std::string out;
  for (const refine::Warning& w : report.warnings)
    out += fmt::format("    {}:{}: {}: {}\n", text::file_words(report.file), w.place.line,
                       refine::to_string(w.kind), text::elide(w.what, kWidest));
  if (out.empty()) return out;
  return "\n" +
         wrapped(
             "With these clients and constants some things never happen, so the proof does not "
             "cover them:",
             style.columns) +
         out;
}

std::string table_text(const std::vector<std::string>& rows) {
  std::string out = "\n";
  for (const std::string& row : rows) out += row + "\n";
  return out;
}

ReportText simulation_text(const Report& report, const ModelScope& scope, const TextStyle& style) {
  const auto& simulated = std::get<SimulatedRun>(report.evidence.what);
  ReportText text{"SIMULATED", "", ""};
  text.message = fmt::format(
      "{}: {} of one run{} ({}, {} processes), and its history is {}",
      text::file_words(report.file), text::count_words(simulated.run.trace.size(), "step"),
      scope.seed ? fmt::format(" with seed {}", *scope.seed) : "", scope.object, scope.processes,
      report.verdict == Verdict::holds ? "linearizable" : "not decided: " + report.reason);
  if (simulated.view.history->size() > 0)
    text.body += table_text(make_table(simulated.view, style.columns));
  text.body += "\n" + run_steps(report, simulated.run);
  return text;
}

std::string refutation_text(const Report& report, const ModelScope& scope,
                            const Refutation& refutation, const TextStyle& style) {
  const Counterexample& c = refutation.counterexample;
  std::string out = table_text(make_table(refutation.view, c, style.columns)) + "\n";
  for (const std::string& sentence : c.why) out += wrapped(sentence, style.columns);
  if (const std::string others = others_words(c, refutation.view.history->size()); !others.empty())
    out += wrapped(others, style.columns);
  out += "\n" + run_steps(report, *refutation.run) + "\n";
  std::string sure = "Replayed step by step, without any reduction";
  // A fault is no matter of the history, which no engine refutes then.
  if (scope.found.kind != refine::Found::fault && !c.confirmed_by.empty())
    sure += "; the history is refuted by " + c.confirmed_by + " as well";
  return out + wrapped(sure + ".", style.columns);
}

// Whether the search itself was stopped. Otherwise it is not known what it had found.
bool was_cut(StopReason reason) {
  return reason == StopReason::time_limit || reason == StopReason::memory_limit ||
         reason == StopReason::interrupted;
}

std::string lasso_text(const Report& report, const Lasso& lasso, const TextStyle& style) {
  std::string out = "\n";
  for (const std::string& sentence : lasso.why) out += wrapped(sentence, style.columns);
  return out + "\n" + lasso_steps(report, lasso) + "\n" +
         wrapped("Replayed step by step.", style.columns);
}

}  // namespace

ReportText model_text(const Report& report, const ModelScope& scope, const TextStyle& style) {
  if (std::holds_alternative<SimulatedRun>(report.evidence.what) &&
      report.verdict != Verdict::violation)
    return simulation_text(report, scope, style);
  ReportText text{
      scope.explored && report.verdict == Verdict::holds ? "EXPLORED"
                                                         : verdict_word(report.verdict),
      fmt::format("{}: {} ({}; {}, {})", text::file_words(report.file), answer(report, scope),
                  scope_words(report, scope), text::seconds_words(scope.total_seconds),
                  text::bytes_words(report.peak_bytes)),
      ""};
  std::string& out = text.body;
  if (const auto* const refutation = report.evidence.refutation())
    out += refutation_text(report, scope, *refutation, style);
  if (const auto* const lasso = std::get_if<Lasso>(&report.evidence.what))
    out += lasso_text(report, *lasso, style);
  if (report.verdict == Verdict::undecided && was_cut(scope.found.stopped))
    out += wrapped(
        fmt::format("{} Smaller constants (--set) or higher limits (--timeout, "
                    "--memory) may decide it.",
                    scope.progress ? "Progress can only be judged when all states are known."
                                   : "Nothing wrong was found in the states that were looked at."),
        style.columns);
  if (report.marks) out += wrong_marks(report, style);
  out += warnings(report, style);
  if (!scope.savings.empty()) out += savings(report, scope);
  for (const std::string& note : report.notes)
    out += wrapped("Scope: " + note + ".", style.columns);
  return text;
}

}  // namespace plumb::report
