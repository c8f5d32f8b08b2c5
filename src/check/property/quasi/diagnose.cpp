// SPDX-License-Identifier: MIT
// A violation says that no order will do; a reader wants to know how much is missing. So we look
// for the least factor with which the operations of the counterexample are explained, and at the
// order that explains them: there, one operation at least is that far out of order. "At best" in a
// sentence means: in that order; in every other one something is as far out, or farther.
#include "check/property/quasi/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "check/property/quasi/k_automaton.hpp"
#include "check/property/quasi/permuting.hpp"
#include "explain/words.hpp"

namespace plumb::quasi {
namespace {

using Distance = QuasiReport::Distance;

std::string outcome_words(const History& history, OperationId op) {
  const Label& label = history.labels[history.label[op]];
  std::string call = report::call_words(history, op);
  if (!label.known) return call;
  return fmt::format("{} = {}", call,
                     label.result.is_nil() ? "empty" : report::words(label.result));
}

std::string list_of_operations(const History& history, const std::vector<OperationId>& ops) {
  std::vector<std::string> items;
  for (const OperationId op : ops) items.push_back(outcome_words(history, op));
  return text::list_words(items, "and");
}

std::string all_sets(const std::vector<QuasiSet>& sets) {
  std::vector<std::string> items;
  for (const QuasiSet& set : sets) items.push_back(words(set));
  return text::list_words(items, "and");
}

}  // namespace

std::vector<Distance> distances(const Problem& problem, const Specification& plain,
                                Relaxation relaxation, const Factors& factors,
                                const std::vector<OperationId>& order,
                                const std::vector<OperationId>& permuted) {
  const auto source = [&](OperationId op) { return problem.ops[op].source; };
  std::vector<Distance> out;
  if (permutes(relaxation)) {
    const auto place = places(problem, relaxation, factors, order);
    const auto place_permuted = places(problem, relaxation, factors, permuted);
    std::vector<std::uint32_t> own(problem.ops.size());
    for (std::size_t i = 0; i < order.size(); ++i) own[order[i]] = place[i];
    for (std::size_t i = 0; i < permuted.size(); ++i) {
      const std::uint32_t a = own[permuted[i]], b = place_permuted[i];
      if (a != b) out.push_back({source(permuted[i]), a > b ? a - b : b - a, {}, {}, {}});
    }
    return out;
  }
  std::vector<BoundLabel> run;
  for (const OperationId op : order) run.push_back(problem.labels[problem.ops[op].label]);
  for (Departure& d : departures(plain, problem.initial, run)) {
    if (d.ahead.empty() && d.overtaken_by.empty()) continue;
    Distance distance;
    if (d.removal != SIZE_MAX) distance.operation = source(order[d.removal]);
    distance.distance = static_cast<std::uint32_t>(d.ahead.size());
    distance.element = d.element;
    distance.ahead = std::move(d.ahead);
    for (const std::size_t i : d.overtaken_by) distance.overtaken_by.push_back(source(order[i]));
    out.push_back(std::move(distance));
  }
  return out;
}

std::uint32_t largest(const std::vector<Distance>& distances) {
  std::size_t most = 0;
  for (const Distance& d : distances)
    most = std::max({most, std::size_t{d.distance}, d.overtaken_by.size()});
  return static_cast<std::uint32_t>(most);
}

std::vector<std::string> distance_words(const History& history, Relaxation relaxation,
                                        const std::vector<QuasiSet>& sets,
                                        const std::vector<Distance>& distances,
                                        std::optional<std::uint32_t> needed,
                                        const std::string& what) {
  if (!needed) return {"No factor, however large, explains it."};
  std::vector<std::string> why;
  for (const Distance& d : distances) {
    if (permutes(relaxation)) {
      if (d.distance < *needed) continue;
      why.push_back(fmt::format("At best, {} is {} from its own; {} allows less.",
                                outcome_words(history, d.operation),
                                text::count_words(d.distance, "place"), all_sets(sets)));
      break;
    }
    if (d.distance >= *needed && relaxation != Relaxation::lateness) {
      std::vector<std::string> ahead;
      for (const Value v : d.ahead) ahead.push_back(report::words(v));
      why.push_back(
          fmt::format("At best, {} takes an element that has {} before it ({}); {} allows fewer.",
                      outcome_words(history, d.operation), text::count_words(d.distance, "other"),
                      text::list_words(ahead, "and"), all_sets(sets)));
      break;
    }
    if (d.overtaken_by.size() >= *needed && relaxation != Relaxation::distance) {
      why.push_back(fmt::format(
          "At best, {} is overtaken {}, by {}; {} allows less.", report::words(*d.element),
          d.overtaken_by.size() == 1 ? "once" : text::count_words(d.overtaken_by.size(), "time"),
          list_of_operations(history, d.overtaken_by), all_sets(sets)));
      break;
    }
  }
  why.push_back(fmt::format("A factor of {} would explain {}.", *needed, what));
  return why;
}

}  // namespace plumb::quasi
