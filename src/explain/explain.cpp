// SPDX-License-Identifier: MIT
// First what is wrong, in the object's own words if a pattern fits (patterns.cpp), then what the
// culprit could have done instead (orders.cpp). Where no pattern fits, the real-time facts that
// exclude the other orders are listed, so that a reader can follow the table.
//
// "By these operations alone" is meant: the operations that are not shown do not matter for the
// violation, but they may well forbid a result that the shown ones allow. Where all operations can
// be put in order (a short history), that is done instead, and the words are left out.
#include "explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "explain/orders.hpp"
#include "explain/patterns.hpp"

namespace plumb {
namespace {

using report::Story;

constexpr std::size_t kMaxFacts = 4;    // real-time facts in words; the table shows them all
constexpr std::size_t kMaxResults = 6;  // alternatives in words; possible_results has them all

// "1", "1 or 2", "1, 2 or 4 others"
std::string results_in_words(const Story& story, const std::vector<Value>& results) {
  std::vector<std::string> items;
  for (const Value v : results) {
    if (items.size() == kMaxResults && results.size() > kMaxResults + 1) {
      items.push_back(fmt::format("{} others", results.size() - items.size()));
      break;
    }
    items.push_back(story.result(story.culprit(), v));
  }
  return text::list_words(items, "or");
}

// "enq(1) had returned before enq(2) was called", without those that follow from others. In a stuck
// history also what did not take effect.
std::vector<std::string> order_facts(const Story& story) {
  const auto& ops = story.operations();
  const auto& only_called = story.counterexample().only_called;
  std::vector<std::string> facts;
  for (const OperationId op : ops)
    if (story.never_returns(op) && !std::binary_search(only_called.begin(), only_called.end(), op))
      facts.push_back(fmt::format("{} never returns, so it did not take effect", story.name(op)));
  for (const OperationId a : ops)
    for (const OperationId b : ops) {
      if (std::binary_search(only_called.begin(), only_called.end(), a)) continue;
      if (!story.returned_before(a, b)) continue;
      const bool follows = std::any_of(ops.begin(), ops.end(), [&](OperationId between) {
        return story.returned_before(a, between) && story.returned_before(between, b);
      });
      if (!follows)
        facts.push_back(
            fmt::format("{} had returned before {} was called", story.name(a), story.name(b)));
    }
  return facts;
}

void explain_stuck(const Story& story, const report::Alternatives& alternatives,
                   std::vector<std::string>& why) {
  const std::string name = story.name(story.culprit());
  std::string sentence = fmt::format(
      "{} is pending forever although nothing in the specification blocks it here", name);
  if (!alternatives.known || alternatives.results.empty() || alternatives.blocks) {
    why.push_back(sentence + ".");
    return;
  }
  const bool says_nothing =
      alternatives.results.size() == 1 && story.method(story.culprit()).returns_nothing;
  why.push_back(
      fmt::format("{}: in every order of the completed operations it can return{}.", sentence,
                  says_nothing ? "" : " " + results_in_words(story, alternatives.results)));
}

void explain_return(const Story& story, const report::Alternatives& alternatives,
                    Counterexample& out) {
  const OperationId culprit = story.culprit();
  const bool from_start = story.counterexample().left_state.empty();
  const std::size_t n = story.counterexample().operations.size();
  report::Pattern pattern = report::find_pattern(story);
  const bool proved = !pattern.sentence.empty();
  if (proved) {
    out.why.push_back(std::move(pattern.sentence));
    if (pattern.operations != out.operations) out.focus = std::move(pattern.operations);
  } else {
    std::string facts;
    if (auto all = order_facts(story); !all.empty() && all.size() <= kMaxFacts)
      facts = ": " + text::list_words(all, "and");
    out.why.push_back(fmt::format(
        "{}{} explains why {}{}{}.",
        n == 1 ? "Nothing" : fmt::format("No order of these {}", text::count_words(n, "operation")),
        from_start || n == 1 ? "" : " from that state on", story.returned(culprit),
        from_start || n > 1 ? "" : " in that state", facts));
  }
  // What the shown operations alone allow is of interest only if nothing better is known.
  if (!alternatives.known || (proved && !alternatives.of_all)) return;
  std::string sentence = alternatives.of_all ? ""
                         : from_start        ? "Considering only these operations, "
                         : n == 1            ? "In that state, "
                                  : "From that state, considering only these operations, ";
  sentence += story.name(culprit);
  sentence += alternatives.results.empty()
                  ? " could not have returned yet."
                  : fmt::format(" could only have returned {}.",
                                results_in_words(story, alternatives.results));
  out.why.push_back(std::move(sentence));
}

}  // namespace

void explain(const History& history, const Specification& specification,
             Counterexample& counterexample, std::optional<Value> initial) {
  counterexample.why.clear();
  counterexample.possible_results.clear();
  counterexample.focus.clear();
  if (counterexample.culprit == kNone) {
    counterexample.why.push_back(
        fmt::format("No order of these {} explains their results.",
                    text::count_words(counterexample.operations.size(), "operation")));
    return;
  }
  const Story story(history, specification, counterexample, initial);
  report::Alternatives alternatives = report::find_alternatives(story);
  // In an excerpt without a state to start from, other operations may allow other results.
  if (counterexample.excerpt && counterexample.left_state.empty()) alternatives = {};
  // Were the recorded result among them, operations that are not shown would be to blame.
  const Value recorded = history.labels[history.label[story.culprit()]].result;
  if (!story.stuck() &&
      std::count(alternatives.results.begin(), alternatives.results.end(), recorded))
    alternatives = {};
  if (story.stuck()) explain_stuck(story, alternatives, counterexample.why);
  else explain_return(story, alternatives, counterexample);
  counterexample.possible_results = alternatives.results;
}

}  // namespace plumb
