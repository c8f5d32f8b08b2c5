// SPDX-License-Identifier: MIT
#include "lineup/tell.hpp"

#include <fmt/format.h>

#include <map>

#include "base/text.hpp"
#include "explain/words.hpp"
#include "history/parse_value.hpp"
#include "lineup/relaxed.hpp"
#include "lineup/witness.hpp"
#include "plumb/check.hpp"
#include "report/json.hpp"
#include "report/table.hpp"

namespace plumb::lineup {
namespace {

// Text that is no JSON is kept as it is.
Value value_of(const std::string& text, bool typed) {
  if (text.empty()) return typed ? Value::nil() : Value::opaque("ok");
  if (typed) {
    if (const std::optional<Value> value = parse_value(text)) return *value;
  }
  return Value::opaque(text);
}

std::vector<Value> argument_values(const Invocation& invocation) {
  const std::string text = argument_text(invocation);
  if (text.empty()) return {};
  if (const std::optional<Value> list = parse_value("[" + text + "]"))
    return {list->as_list().begin(), list->as_list().end()};
  return {Value::opaque(text)};
}

// Two that differ at their ends can still be told apart.
std::string shortened(const std::string& text) {
  constexpr std::size_t kWhole = 100, kHead = 60, kTail = 20;
  if (text.size() <= kWhole) return text;
  std::size_t tail = text.size() - kTail;
  while (tail < text.size() && (static_cast<unsigned char>(text[tail]) & 0xc0) == 0x80) ++tail;
  return text::elide(text, kHead) + text.substr(tail);
}

class Teller {
 public:
  Teller(const Matrix& test, const Object& object, const Results& results)
      : object_(object), results_(results), cells_(cells(test)) {}

  const Invocation& invocation(int operation) const {
    return object_.invocations[static_cast<std::size_t>(cell(operation).invocation)];
  }
  const Cell& cell(int operation) const { return cells_[static_cast<std::size_t>(operation)]; }

  // "deq() of B"
  std::string name(int operation) const {
    return invocation(operation).text + " of " + thread_name(cell(operation).thread);
  }
  // "try_pop() of A and size() of B": operations of which less is asked
  std::string names(const std::vector<int>& operations) const {
    std::vector<std::string> all;
    for (const int operation : operations) all.push_back(name(operation));
    return text::list_words(all, "and");
  }
  std::string result(ResultId id) const {
    return results_.text(id).empty() ? "ok" : shortened(results_.text(id));
  }
  // "A enq(1), B deq() = 1, A deq() blocks"
  std::string order(const SerialHistory& serial) const {
    std::string text;
    for (const SerialStep& step : serial) {
      if (!text.empty()) text += ", ";
      text += thread_name(cell(step.operation).thread) + " " + invocation(step.operation).text;
      if (step.stuck) text += " blocks";
      else if (!results_.text(step.result).empty())
        text += " = " + shortened(results_.text(step.result));
    }
    return text;
  }
  std::string outcome(const SerialStep& step) const {
    const std::string text = step.stuck ? "" : results_.text(step.result);
    if (step.stuck) return "blocks";
    return text.starts_with("throws ") ? text : "returns " + result(step.result);
  }

 private:
  const Object& object_;
  const Results& results_;
  std::vector<Cell> cells_;
};

// What is nearest to the history of the result, among serial histories; without those of which less
// is asked, where that is nearer.
struct Nearest {
  SerialHistory serial;
  std::vector<int> differs;
  std::vector<int> left_out;
};
std::optional<Nearest> nearest_of(const Matrix& test, const Object& object,
                                  const CheckResult& result, const Results& results) {
  const Spread apart = spread(test, object);
  std::optional<int> pending;
  if (result.failure == Failure::blocked)
    pending = apart.cells[static_cast<std::size_t>(result.culprit)];
  const Leniency leniency =
      leniency_of(test, object, *result.history, apart, result.serial, results);
  const History history = spread(*result.history, test, object, apart);
  const auto found =
      Witness(apart.test, history, leniency).nearest(gather(result.serial, leniency), pending);
  if (!found) return std::nullopt;
  Nearest nearest;
  for (const SerialStep& step : apart.before(found->serial)) {
    if (step.has(result.serial.left_out)) nearest.left_out.push_back(step.operation);
    else nearest.serial.push_back(step);
  }
  for (const int operation : found->differs) nearest.differs.push_back(apart.before(operation));
  return nearest;
}

std::vector<std::string> why_not(const Teller& teller, const CheckResult& result,
                                 const std::string& reference,
                                 const std::optional<Nearest>& nearest) {
  std::vector<std::string> why;
  const std::string order = reference.empty() ? "serial order" : "serial order of " + reference;
  if (result.failure == Failure::blocked) {
    why.push_back(fmt::format("{} never returns, and no {} gives it a reason to wait.",
                              teller.name(result.culprit), order));
  } else if (reference.empty()) {
    why.push_back("No serial order of these operations gives these results.");
  } else {
    why.push_back(fmt::format("No {} gives these results.", order));
  }
  if (!nearest) return why;
  std::string sentence = "Nearest";
  if (!nearest->left_out.empty())
    sentence += fmt::format(", leaving out {}", teller.names(nearest->left_out));
  sentence += fmt::format(": {}.", teller.order(nearest->serial));
  for (const int operation : nearest->differs) {
    for (const SerialStep& step : nearest->serial) {
      if (step.operation != operation) continue;
      std::string here = "does not return";
      for (const Event& event : result.history->events) {
        if (event.is_return && event.operation == operation)
          here = teller.outcome({operation, event.result, false});
      }
      sentence += fmt::format(" There {} {}; here it {}.", teller.name(operation),
                              teller.outcome(step), here);
    }
  }
  why.push_back(sentence);
  return why;
}

std::vector<std::string> why_nondeterministic(const Teller& teller, const SerialHistory& first,
                                              const SerialHistory& second,
                                              const std::string& reference) {
  const SerialHistory before(second.begin(), second.end() - 1);
  return {fmt::format(
      "{}, {}, the same call has two outcomes: {} {} in one execution, and {} in another.",
      reference.empty() ? "Serially" : "In " + reference,
      before.empty() ? "from the beginning" : "after " + teller.order(before),
      teller.name(second.back().operation), teller.outcome(first.back()),
      teller.outcome(second.back()))};
}

// By cell. An operation that returns after its thread's next call (relaxed.hpp) is a process of its
// own: "A.1".
std::vector<std::string> process_names(const std::vector<Cell>& all, const History& history) {
  std::vector<std::string> names;
  for (const Cell& cell : all) names.push_back(thread_name(cell.thread));
  std::map<int, int> open, apart;  // by thread: its operation, and how many have been apart
  for (const Event& event : history.events) {
    const auto operation = static_cast<std::size_t>(event.operation);
    const int thread = all[operation].thread;
    const auto found = open.find(thread);
    if (event.is_return) {
      if (found != open.end() && found->second == event.operation) open.erase(found);
      continue;
    }
    if (found != open.end())
      names[static_cast<std::size_t>(found->second)] += fmt::format(".{}", ++apart[thread]);
    open[thread] = event.operation;
  }
  return names;
}

}  // namespace

plumb::History to_history(const Matrix& test, const Object& object, const History& history,
                          const Results& results, bool typed) {
  HistoryBuilder builder;
  builder.begin_object(Value::nil(), "");
  const std::vector<Cell> all = cells(test);
  // Columns in their order, whoever comes first.
  for (std::size_t t = 0; t <= test.columns.size(); ++t) {
    if (t > 0 || !test.initial.empty() || !test.final.empty())
      builder.process(Value::string(thread_name(static_cast<int>(t))));
  }
  const std::vector<std::string> names = process_names(all, history);
  for (const Event& event : history.events) {
    const Cell& cell = all[static_cast<std::size_t>(event.operation)];
    const ProcessId process =
        builder.process(Value::string(names[static_cast<std::size_t>(event.operation)]));
    const Invocation& it = object.invocations[static_cast<std::size_t>(cell.invocation)];
    const Status done =
        event.is_return
            ? builder.returned(process, value_of(results.text(event.result), typed))
            : builder.call(process, 0, builder.intern_call(it.method, argument_values(it)));
    if (!done.ok()) break;
  }
  if (history.stuck) static_cast<void>(builder.stuck());
  return *std::move(builder).finish();
}

// Against a given specification, whatever `plumb check` says of the history.
static Told tell_by_specification(const Matrix& test, const Object& object,
                                  const CheckResult& result, const Results& results) {
  Told told;
  // Not even with all of them left out it is right: they are not to blame.
  const Question question = question_of(test, object, *result.history, results);
  const plumb::History history =
      to_history(test, object, without(question.history, question.optional), results, true);
  const Result<QuasiReport> decided = decide(result.by, history, true);
  if (!decided.ok() || !decided->check.counterexample) return told;
  const CheckReport& checked = decided->check;
  report::Subject subject;
  subject.history = &history;
  subject.report = &checked;
  subject.given = result.by.specification;
  if (result.by.is_relaxed()) subject.quasi = &*decided;
  const Counterexample& c = *checked.counterexample;
  for (const std::string& row : report::make_table(subject, c, 100)) told.table += row + "\n";
  told.why = c.why;
  const std::string others = report::others_words(c, history.size());
  if (!others.empty()) told.why.push_back(others);
  std::vector<int> left_out = question.left_out;
  left_out.insert(left_out.end(), question.optional.begin(), question.optional.end());
  if (!left_out.empty()) {
    told.why.push_back(fmt::format("Less is asked of {}: left out here.",
                                   Teller(test, object, results).names(left_out)));
  }
  told.evidence = report::json_evidence(subject);
  return told;
}

Told tell(const Matrix& test, const Object& object, const CheckResult& result,
          const Results& results) {
  if (result.by) return tell_by_specification(test, object, result, results);
  const Teller teller(test, object, results);
  Told told;
  const bool nondeterministic = result.failure == Failure::nondeterministic;
  const History shown = nondeterministic ? to_concurrent(result.fork->second) : *result.history;
  const plumb::History history = to_history(test, object, shown, results, false);

  std::vector<int> differs;
  if (nondeterministic) {
    told.why =
        why_nondeterministic(teller, result.fork->first, result.fork->second, object.reference);
  } else {
    const auto nearest = nearest_of(test, object, result, results);
    if (nearest) differs = nearest->differs;
    told.why = why_not(teller, result, object.reference, nearest);
  }

  // Operations are numbered by their calls there.
  std::vector<int> called;
  for (const Event& event : shown.events) {
    if (!event.is_return) called.push_back(event.operation);
  }
  Counterexample counterexample;
  for (OperationId op = 0; op < history.size(); ++op) {
    counterexample.operations.push_back(op);
    const int operation = called[op];
    // Everything is shown only if what is impossible comes last. (Of two outcomes that a call has
    // serially, none is.)
    const bool is_last = shown.events.back() == Event{operation, true, shown.events.back().result};
    const bool differs_here = std::find(differs.begin(), differs.end(), operation) != differs.end();
    if (differs_here) told.differs.push_back(op);
    if (operation == result.culprit || (is_last && differs_here)) counterexample.culprit = op;
  }
  counterexample.why = told.why;
  CheckReport report;
  report.verdict = Verdict::violation;
  report.counterexample = counterexample;
  report::Subject subject;
  subject.history = &history;
  subject.report = &report;
  for (const std::string& row : report::make_table(subject, counterexample, 100))
    told.table += row + "\n";
  told.evidence = report::json_evidence(subject);
  return told;
}

}  // namespace plumb::lineup
