// SPDX-License-Identifier: MIT
#include "lineup/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "explain/words.hpp"
#include "lineup/relaxed.hpp"
#include "lineup/to_history.hpp"
#include "lineup/witness.hpp"

namespace plumb::lineup {
namespace {

// Two that differ at their ends stay different.
std::string shortened(const std::string& text) {
  constexpr std::size_t kWhole = 100, kHead = 60, kTail = 20;
  if (text.size() <= kWhole) return text;
  std::size_t tail = text.size() - kTail;
  while (tail < text.size() && (static_cast<unsigned char>(text[tail]) & 0xc0) == 0x80) ++tail;
  return text::elide(text, kHead) + text.substr(tail);
}

class Words {
 public:
  Words(const Matrix& test, const Object& object, const Results& results)
      : object_(object), results_(results), cells_(cells(test)) {}

  const Invocation& invocation(int operation) const {
    return object_.invocations[static_cast<std::size_t>(cell(operation).invocation)];
  }
  const Cell& cell(int operation) const { return cells_[static_cast<std::size_t>(operation)]; }

  // "deq() of B"
  std::string name(int operation) const {
    return invocation(operation).text + " of " + thread_name(cell(operation).thread);
  }
  // "try_pop() of A and size() of B"
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

// What is nearest to the history of the result, among serial histories; without relaxed operations,
// where that is nearer.
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
  const ObservedHistory history = spread(*result.history, test, object, apart);
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

std::vector<std::string> why_not(const Words& words, const CheckResult& result,
                                 const std::string& reference,
                                 const std::optional<Nearest>& nearest) {
  std::vector<std::string> why;
  const std::string order = reference.empty() ? "serial order" : "serial order of " + reference;
  if (result.failure == Failure::blocked) {
    why.push_back(fmt::format("{} never returns, but it blocks in no {}.",
                              words.name(result.culprit), order));
  } else if (reference.empty()) {
    why.push_back("No serial order of these operations gives these results.");
  } else {
    why.push_back(fmt::format("No {} gives these results.", order));
  }
  if (!nearest) return why;
  std::string sentence = "Nearest";
  if (!nearest->left_out.empty())
    sentence += fmt::format(", leaving out {}", words.names(nearest->left_out));
  sentence += fmt::format(": {}.", words.order(nearest->serial));
  for (const int operation : nearest->differs) {
    for (const SerialStep& step : nearest->serial) {
      if (step.operation != operation) continue;
      std::string here = "does not return";
      for (const ObservedEvent& event : result.history->events) {
        if (event.is_return && event.operation == operation)
          here = words.outcome({operation, event.result, false});
      }
      sentence += fmt::format(" There {} {}; here it {}.", words.name(operation),
                              words.outcome(step), here);
    }
  }
  why.push_back(sentence);
  return why;
}

std::vector<std::string> why_nondeterministic(const Words& words, const SerialHistory& first,
                                              const SerialHistory& second,
                                              const std::string& reference) {
  const SerialHistory before(second.begin(), second.end() - 1);
  return {fmt::format(
      "{}, {}, the same call has two outcomes: {} {} in one execution, and {} in another.",
      reference.empty() ? "Serially" : "In " + reference,
      before.empty() ? "from the beginning" : "after " + words.order(before),
      words.name(second.back().operation), words.outcome(first.back()),
      words.outcome(second.back()))};
}

// Against a given specification: whatever `plumb check` says of the history.
Explanation explain_by_specification(const Matrix& test, const Object& object,
                                     const CheckResult& result, const Results& results) {
  Explanation explanation;
  // Not even with all of them left out it is right: they are not to blame.
  const RelaxedHistory relaxed = relaxed_history_of(test, object, *result.history, results);
  auto history = std::make_shared<const plumb::History>(
      to_history(test, object, without(relaxed.history, relaxed.optional), results, true));
  Result<QuasiReport> decided = decide(result.by, *history, true);
  if (!decided.ok() || !decided->check.counterexample) return explanation;
  explanation.counterexample = *std::exchange(decided->check.counterexample, {});
  explanation.history = std::move(history);
  explanation.specification = result.by.specification;
  const Counterexample& c = *explanation.counterexample;
  explanation.why = c.why;
  const std::string others = report::others_words(c, explanation.history->size());
  if (!others.empty()) explanation.why.push_back(others);
  std::vector<int> left_out = relaxed.left_out;
  left_out.insert(left_out.end(), relaxed.optional.begin(), relaxed.optional.end());
  if (!left_out.empty())
    explanation.why.push_back(fmt::format("{} {} relaxed and omitted here.",
                                          Words(test, object, results).names(left_out),
                                          left_out.size() == 1 ? "is" : "are"));
  if (result.by.is_relaxed())
    explanation.quasi = std::make_shared<const QuasiReport>(*std::move(decided));
  return explanation;
}

// All operations of the history, and which of them is impossible.
Counterexample whole_history(const ObservedHistory& shown, const CheckResult& result,
                             const std::vector<int>& differs, std::vector<OperationId>& differing) {
  Counterexample c;
  OperationId op = 0;  // numbered by their calls there
  for (const ObservedEvent& event : shown.events) {
    if (event.is_return) continue;
    const int operation = event.operation;
    c.operations.push_back(op);
    // Everything is shown only if what is impossible comes last. (Of two outcomes that a call has
    // serially, none is.)
    const bool is_last =
        shown.events.back() == ObservedEvent{operation, true, shown.events.back().result};
    const bool differs_here = std::find(differs.begin(), differs.end(), operation) != differs.end();
    if (differs_here) differing.push_back(op);
    if (operation == result.culprit || (is_last && differs_here)) c.culprit = op;
    ++op;
  }
  return c;
}

}  // namespace

Explanation explain(const Matrix& test, const Object& object, const CheckResult& result,
                    const Results& results) {
  if (result.by) return explain_by_specification(test, object, result, results);
  const Words words(test, object, results);
  const bool nondeterministic = result.failure == Failure::nondeterministic;
  const ObservedHistory shown =
      nondeterministic ? to_concurrent(result.fork->second) : *result.history;
  Explanation explanation;
  explanation.history =
      std::make_shared<const plumb::History>(to_history(test, object, shown, results, false));
  std::vector<int> differs;
  if (nondeterministic) {
    explanation.why =
        why_nondeterministic(words, result.fork->first, result.fork->second, object.reference);
  } else {
    const auto nearest = nearest_of(test, object, result, results);
    if (nearest) differs = nearest->differs;
    explanation.why = why_not(words, result, object.reference, nearest);
  }
  explanation.counterexample = whole_history(shown, result, differs, explanation.differs);
  explanation.counterexample->why = explanation.why;
  return explanation;
}

}  // namespace plumb::lineup
