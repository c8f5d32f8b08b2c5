// SPDX-License-Identifier: MIT
#include "report/model_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "explain/words.hpp"
#include "report/table.hpp"

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

constexpr std::string_view kReturns = "returns:";

// "linearizable", "every push() returns"
std::string held_words(const std::string& property) {
  return property.starts_with(kReturns)
             ? fmt::format("every {}() returns", property.substr(kReturns.size()))
             : property;
}

// "not linearizable", "push() does not always return"
std::string refuted_words(const std::string& property) {
  if (property == "simulated") return "not linearizable";
  return property.starts_with(kReturns)
             ? property.substr(kReturns.size()) + "() does not always return"
             : "not " + property;
}

// "linearizable" by what, if not by the product.
std::string how_words(const ModelSubject& s) {
  if (s.options.criterion == refine::Criterion::points && !s.report->marks)
    return ", by its linearization points";
  if (refine::records(s.options.criterion))
    return fmt::format(", by {} on recorded histories", to_string(s.options.criterion));
  return "";
}

std::string first_line(const ModelSubject& s) {
  const refine::VerifyReport& report = *s.report;
  const refine::Found& found = report.found;
  std::string scope;
  if (s.options.property == "simulated")
    scope = fmt::format("{}, {} processes: {}", s.program->object, s.program->processes(),
                        text::count_words(report.trace.size(), "step"));
  else if (s.program)
    scope = fmt::format(
        "{}, {}: {}, {}, depth {}", s.program->object,
        s.program->processes() == 1 ? std::string("1 process")
                                    : fmt::format("{} processes", s.program->processes()),
        text::count_words(found.states, "state"),
        text::count_words(found.transitions, "transition"), text::count_words(found.depth));
  else scope = "not read to its end";
  scope = fmt::format(" ({}; {}, {})\n", scope, text::seconds_words(s.total_seconds),
                      text::bytes_words(s.peak_bytes));
  const std::string file = text::file_words(s.file) + ": ";
  switch (found.verdict) {
    case Verdict::holds:
      return s.options.explore_only || s.options.criterion == refine::Criterion::dummy
                 ? "EXPLORED   " + file + "no fault" + scope
                 : "HOLDS      " + file + held_words(s.options.property) + how_words(s) + scope;
    case Verdict::violation:
      return "VIOLATION  " + file +
             (found.kind == refine::Found::fault ? "a fault in " + report.reason
                                                 : refuted_words(s.options.property)) +
             (s.seed ? fmt::format(", in a run with seed {}", *s.seed) : "") +
             (found.kind == refine::Found::stuck ? ": it gets stuck" : "") + scope;
    case Verdict::undecided: break;
  }
  std::string reason = report.reason;
  if (found.waiting > 0)
    reason += fmt::format("; {} not looked at yet", text::count_words(found.waiting, "state"));
  return "UNDECIDED  " + file + reason + scope;
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
      for (const auto& change : step.changes) {
        changes += (changes.empty() ? "" : ", ") + change.variable;
        changes += change.before.empty() ? " = " : fmt::format(": {} → ", change.before);
        changes += change.after;
      }
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

std::string run_steps(const ModelSubject& s) {
  const refine::VerifyReport& report = *s.report;
  const std::string lines = ", with lines of " + text::file_words(s.file);
  const bool lasso = !report.why.empty();
  const std::string count = text::count_words(report.trace.size(), "step");
  return steps(
      {&report.trace, &report.loop, &report.waiting},
      {lasso ? report.trace.size() == 1 ? fmt::format("The step that leads there{}", lines)
                                        : fmt::format("The {} that lead there{}", count, lines)
             : fmt::format("The {}{}", count, lines),
       report.loop.size() == 1 ? "and the step that is repeated for ever"
                               : fmt::format("and the {} that are repeated for ever",
                                             text::count_words(report.loop.size(), "step")),
       ""});
}

// What each reduction saved: the same search without it.
std::string savings(const ModelSubject& s) {
  const refine::VerifyReport& report = *s.report;
  const double states = static_cast<double>(std::max<std::uint64_t>(report.found.states, 1));
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
  row("as above", report.found.states, report.found.transitions, report.seconds, "");
  for (const refine::Saving& w : report.savings)
    row(w.without == "all" ? "none" : "without " + plain(w.without), w.states, w.transitions,
        w.seconds,
        w.complete ? fmt::format("{:.1f} times the states", static_cast<double>(w.states) / states)
                   : fmt::format("stopped at {:.1f} times the states, with more to come",
                                 static_cast<double>(w.states) / states));
  for (const refine::ReductionName& r : refine::kReductions)
    if (!(s.options.reductions.*r.on)) out += fmt::format("  {} was off\n", plain(r.name));
  return out + fmt::format("  {} of configurations of the specification, the largest of {}\n",
                           text::count_words(report.found.sets, "set"),
                           text::count_words(report.found.largest_set));
}

// The designer's marks, and a run that they do not explain.
std::string wrong_marks(const ModelSubject& s, const TextStyle& style) {
  const refine::MarksFailure& marks = *s.report->marks;
  return "\n" +
         wrapped(fmt::format("Warning: the linearization points do not explain every run: {}. This "
                             "may be the fault of the marks, so they were not used: the verdict is "
                             "that of a search without them.",
                             marks.why),
                 style.columns) +
         "\n" +
         steps({&marks.trace}, {fmt::format("The {} of that run, with lines of {}",
                                            text::count_words(marks.trace.size(), "step"),
                                            text::file_words(s.file))});
}

std::string warnings(const ModelSubject& s, const TextStyle& style) {
  std::string out;
  for (const refine::Warning& w : s.report->warnings)
    out += fmt::format("    {}:{}: {}: {}\n", text::file_words(s.file), w.place.line,
                       refine::to_string(w.kind), text::elide(w.what, kWidest));
  if (out.empty()) return out;
  return "\n" +
         wrapped(
             "With these clients and constants some things never happen, so nothing is said about "
             "them:",
             style.columns) +
         out;
}

// "950", "12k", "1.2M": the progress line has 79 columns.
std::string rough(double number) {
  return number < 1e4   ? fmt::format("{:.0f}", number)
         : number < 1e6 ? fmt::format("{:.0f}k", number / 1e3)
                        : fmt::format("{:.1f}M", number / 1e6);
}

}  // namespace

std::string search_words(const std::string& file, double seconds,
                         const refine::SearchProgress& progress, std::uint64_t resident) {
  const auto states = static_cast<double>(progress.states.load());
  return fmt::format("{} {:.0f} s: {} states, {}/s, {} transitions, depth {}, {}", file, seconds,
                     rough(states), rough(states / std::max(seconds, 1e-3)),
                     rough(static_cast<double>(progress.transitions.load())), progress.depth.load(),
                     text::bytes_words(resident));
}

std::string text_simulation(const ModelSubject& s, const TextStyle& style) {
  const refine::VerifyReport& report = *s.report;
  std::string out = fmt::format(
      "SIMULATED  {}: {} of one run{} ({}, {} processes), and its history is {}\n",
      text::file_words(s.file), text::count_words(report.trace.size(), "step"),
      s.seed ? fmt::format(" with seed {}", *s.seed) : "", s.program->object,
      s.program->processes(),
      report.found.verdict == Verdict::holds ? "linearizable" : "not decided: " + report.reason);
  if (style.verdict_only) return styled(std::move(out), style);
  if (report.history->size() > 0) {
    Counterexample all;
    for (OperationId op = 0; op < report.history->size(); ++op) all.operations.push_back(op);
    Subject subject;
    subject.given = report.specification.get();
    subject.history = report.history.get();
    out += "\n";
    for (const std::string& row : make_table(subject, all, style.columns)) out += row + "\n";
  }
  out += "\n" + run_steps(s);
  return styled(std::move(out), style);
}

std::string text_model_report(const ModelSubject& s, const TextStyle& style) {
  if (s.options.property == "simulated" && s.report->found.verdict != Verdict::violation)
    return text_simulation(s, style);
  const refine::VerifyReport& report = *s.report;
  std::string out = first_line(s);
  if (!style.verdict_only) {
    if (report.counterexample) {
      Subject subject;
      CheckReport check;
      check.counterexample = report.counterexample;
      subject.given = report.specification.get();
      subject.history = report.history.get();
      subject.report = &check;
      const Counterexample& c = *report.counterexample;
      out += "\n";
      for (const std::string& row : make_table(subject, c, style.columns)) out += row + "\n";
      out += "\n";
      for (const std::string& sentence : c.why) out += wrapped(sentence, style.columns);
      if (const std::string others = others_words(c, report.history->size());
          !others.empty() && !of_registers(s.options.criterion))
        out += wrapped(others, style.columns);
      out += "\n" + run_steps(s) + "\n";
      std::string sure = "Replayed step by step, without any reduction";
      if (c.confirmed_by != "replay" && !c.confirmed_by.empty())
        sure += "; the history is refuted by " + c.confirmed_by + " as well";
      out += wrapped(sure + ".", style.columns);
    }
    if (!report.why.empty()) {
      out += "\n";
      for (const std::string& sentence : report.why) out += wrapped(sentence, style.columns);
      out += "\n" + run_steps(s) + "\n";
      out += wrapped("Replayed step by step.", style.columns);
    }
    // Only where the search itself says that it was cut: else nobody knows what it had found.
    if (report.found.verdict == Verdict::undecided && report.found.stopped != Budget::Stop::none)
      out +=
          wrapped(fmt::format("{} Smaller constants (--set) or higher limits (--timeout, "
                              "--memory) may decide it.",
                              s.options.progress
                                  ? "Progress can only be judged when all states are known."
                                  : "Nothing wrong was found in the states that were looked at."),
                  style.columns);
    if (report.marks) out += wrong_marks(s, style);
    out += warnings(s, style);
    if (!report.savings.empty()) out += savings(s);
    for (const std::string& note : report.notes)
      out += wrapped("Scope: " + note + ".", style.columns);
  }
  return styled(std::move(out), style);
}

}  // namespace plumb::report
