// SPDX-License-Identifier: MIT
#include "check/property/quasi/relaxation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/text.hpp"
#include "check/property/quasi/k_automaton.hpp"
#include "explain/words.hpp"

namespace plumb::quasi {
namespace {

constexpr Relaxation kRelaxations[] = {Relaxation::strict,   Relaxation::distance,
                                       Relaxation::lateness, Relaxation::slot,
                                       Relaxation::all,      Relaxation::def4};

Error wrong_question(std::string message, std::string remedy, const History& history) {
  return {ErrorKind::usage, std::move(message), std::move(remedy), history.file};
}

/// The operations of the history, by their own names in the specifications.
std::set<std::string> occurring(const History& history,
                                const std::vector<const Specification*>& specifications) {
  std::set<std::string> names;
  for (OperationId op = 0; op < history.size(); ++op) {
    const Specification& s = *specifications[history.object[op]];
    if (const auto method = s.find(history.call_of(op).method))
      names.insert(s.methods()[*method].name);
  }
  return names;
}

std::string one_of(const std::set<std::string>& names) {
  return "one of: " + text::list_words({names.begin(), names.end()}, "or");
}

}  // namespace

std::optional<Relaxation> find_relaxation(std::string_view name) {
  for (const Relaxation relaxation : kRelaxations)
    if (to_string(relaxation) == name) return relaxation;
  return std::nullopt;
}

bool permutes(Relaxation relaxation) {
  return relaxation == Relaxation::slot || relaxation == Relaxation::all ||
         relaxation == Relaxation::def4;
}

Factors bind(const std::vector<QuasiSet>& sets, const Specification& specification) {
  Factors factors;
  factors.set_of.assign(specification.methods().size(), static_cast<std::uint32_t>(sets.size()));
  for (std::uint32_t i = 0; i < sets.size(); ++i) {
    factors.factor.push_back(static_cast<std::uint32_t>(sets[i].factor.value_or(kMostFactor)));
    for (const std::string& name : sets[i].operations)
      if (const auto method = specification.find(name)) factors.set_of[*method] = i;
  }
  factors.factor.push_back(0);
  return factors;
}

Status check_question(const QuasiOptions& options, const History& history,
                      const std::vector<const Specification*>& specifications) {
  const std::string_view relaxation = to_string(options.relaxation);
  const std::set<std::string> there = occurring(history, specifications);
  std::set<std::pair<const Specification*, MethodId>> taken;
  for (const QuasiSet& set : options.sets) {
    if (set.factor && (*set.factor < 0 || *set.factor > kMostFactor))
      return wrong_question(fmt::format("the factor of {} is out of range", words(set)),
                            fmt::format("from 0 to {}", text::count_words(kMostFactor)), history);
    if (!set.factor && !options.least_factors)
      return wrong_question(fmt::format("--quasi {} has no factor", words(set)),
                            "write OPERATION=FACTOR; without a factor only with --min-k", history);
    for (const std::string& name : set.operations) {
      bool occurs = false;
      std::set<std::pair<const Specification*, MethodId>> methods;
      for (const Specification* s : specifications)
        if (const auto method = s->find(name)) {
          occurs = occurs || there.contains(s->methods()[*method].name);
          methods.insert({s, *method});
        }
      if (!occurs)
        return wrong_question(fmt::format("there is no operation '{}'", name), one_of(there),
                              history);
      for (const auto& [specification, method] : methods) {
        if (!permutes(options.relaxation)) {
          if (!has_k_automaton(*specification))
            return wrong_question(
                fmt::format("--relaxation {} of a {}", relaxation, specification->name()),
                fmt::format("it is for {}; of any object: slot, all or def4",
                            text::list_words(names_of_k_automata(), "or")),
                history);
          if (!removes(*specification, method))
            return wrong_question(
                fmt::format("--relaxation {} of {}", relaxation, name),
                fmt::format("it relaxes what takes elements out: {}; any operation: slot, all or "
                            "def4",
                            text::list_words(names_of_removals(*specification), "or")),
                history);
        }
        if (!taken.insert({specification, method}).second)
          return wrong_question(
              fmt::format("{} is in the sets of --quasi twice", name),
              "give each operation one factor (names may mean the same operation)", history);
      }
    }
  }
  if (permutes(options.relaxation) && history.stuck)
    return wrong_question(fmt::format("--relaxation {} of a stuck history", relaxation),
                          "strict, distance and lateness judge operations that are blocked forever",
                          history);
  return {};
}

std::string words(const QuasiSet& set) {
  std::string text;
  for (const std::string& name : set.operations) text += (text.empty() ? "" : ",") + name;
  return set.factor ? fmt::format("{}={}", text, *set.factor) : text;
}

std::string words(const QuasiOptions& asked) {
  std::string text;
  for (const QuasiSet& set : asked.sets) text += words(set) + ", ";
  text += to_string(asked.relaxation);
  return text;
}

std::optional<QuasiSet> read_set(std::string_view text) {
  QuasiSet set;
  const std::size_t equals = std::min(text.find('='), text.size());
  for (std::size_t at = 0; at <= equals;) {
    const std::size_t end = std::min(text.find(',', at), equals);
    if (end == at) return std::nullopt;
    set.operations.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (equals == text.size()) return set;
  const std::string_view number = text.substr(equals + 1);
  std::int64_t factor = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), factor);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  set.factor = factor;
  return set;
}

}  // namespace plumb::quasi
