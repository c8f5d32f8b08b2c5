// SPDX-License-Identifier: MIT
//
// "It is a queue" needs a matching of the class's methods to the queue's under which all sequences
// agree. Matchings are searched by backtracking, methods with the right names first; a method is
// left out only if it is no method of a queue by its name either. What any class would pass says
// nothing: a queue's methods that make it one must be there, results must vary, and if the
// sequences agree with two disciplines (a queue and a stack, of which one value at a time is
// asked), neither is named.
//
// "It is like a queue, but" goes by names alone, since behaviour does not match.
#include "lineup/resemblance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "lineup/by_specification.hpp"
#include "lineup/kinds.hpp"
#include "lineup/likeness.hpp"
#include "spec/names.hpp"

namespace plumb::lineup {
namespace {

std::string with_start(const Kind& kind, std::string_view words,
                       const std::optional<Value>& initial) {
  if (!initial) return std::string(words);
  const std::string value = initial->to_string();
  switch (kind.start) {
    case Start::capacity: return fmt::format("{} of capacity {}", words, value);
    case Start::permits:
      return fmt::format("{} with {} permit{}", words, value, value == "1" ? "" : "s");
    case Start::count: return fmt::format("{} with the count {}", words, value);
    case Start::participants:
      return fmt::format("{} with {} participant{}", words, value, value == "1" ? "" : "s");
    case Start::first_result: return fmt::format("{} that starts with {}", words, value);
    case Start::own: break;
  }
  return std::string(words);
}

class Resembler {
 public:
  Resembler(const Observed& observed) : observed_(observed) {}

  std::optional<Resemblance> run() {
    for (const Kind& kind : kKinds) look_at(kind);
    if (same_.empty()) return difference();
    return all_agree();
  }

 private:
  struct Candidate {
    const Kind* kind;
    std::shared_ptr<const Likeness> likeness;
    Matching matching;
    Comparison comparison;
    int not_counted = 0;
    double names = 0;   // 1: all methods have the specification's own names
    bool hint = false;  // the class has its name
  };

  static std::size_t index(int number) { return static_cast<std::size_t>(number); }

  void look_at(const Kind& kind) {
    const Specification& specification = *find_specification(kind.specification);
    for (const std::optional<Value>& initial : starts(kind)) {
      const auto likeness = std::make_shared<const Likeness>(observed_, specification, initial,
                                                             kind.start == Start::capacity);
      Candidate candidate{&kind, likeness, named(*likeness), {}};
      candidate.hint = has_name(kind.keyword);
      if (find_matching(candidate)) same_.push_back(candidate);
      else add_difference(candidate);
    }
  }

  // Initial values that what was observed makes likely.
  std::vector<std::optional<Value>> starts(const Kind& kind) const {
    if (kind.start == Start::own) return {std::nullopt};
    std::vector<std::optional<Value>> all;
    if (kind.start != Start::capacity) all.emplace_back();
    const auto add = [&](Value value) {
      if (std::ranges::find(all, std::optional(value)) == all.end()) all.emplace_back(value);
    };
    if (kind.start == Start::permits) add(Value::integer(0));
    if (kind.start == Start::count || kind.start == Start::participants)
      for (int n = 1; n <= 8; ++n) add(Value::integer(n));  // one call does not show it
    for (std::size_t i = 0; i < observed_.method_of.size(); ++i) {
      const int invocation = static_cast<int>(i);
      const auto first = observed_.behaviour.next(Behaviour::kStart, invocation);
      if (!first) continue;
      const std::optional<Value>& value = observed_.value[index(*first)];
      if (kind.start == Start::first_result) {
        if (value && (kind.specification != "counter" || value->is_integer())) add(*value);
      } else if (const int same = times_alike(invocation, *first); same > 0) {
        add(Value::integer(same));
      }
    }
    return all;
  }

  // How often a call does the same before it does something else; 0: it always does the same.
  int times_alike(int invocation, int first) const {
    const Behaviour::Call& one = observed_.behaviour.call(first);
    int times = 1;
    for (auto at = observed_.behaviour.next(first, invocation); at;
         at = observed_.behaviour.next(*at, invocation), ++times) {
      const Behaviour::Call& call = observed_.behaviour.call(*at);
      if (call.waits != one.waits || call.result != one.result) return times;
    }
    return 0;
  }

  bool has_name(std::string_view keyword) const {
    std::string name;
    for (const char c : observed_.object.name) {
      if (c == '_' || c == '-') continue;
      name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return name.find(keyword) != name.npos;
  }

  // By names, as far as arguments and results allow it.
  Matching named(const Likeness& likeness) const {
    Matching matching;
    for (int m = 0; m < static_cast<int>(observed_.methods.size()); ++m) {
      const auto of = likeness.specification().find(observed_.methods[index(m)].name);
      matching.push_back(of && likeness.is_possible(m, *of) ? static_cast<int>(*of) : kNotMatched);
    }
    return matching;
  }

  double names_alike(const Candidate& candidate) const {
    const Specification& specification = candidate.likeness->specification();
    double alike = 0;
    for (std::size_t m = 0; m < candidate.matching.size(); ++m) {
      if (candidate.matching[m] == kNotMatched) continue;
      const auto of = static_cast<MethodId>(candidate.matching[m]);
      const std::string& name = observed_.methods[m].name;
      if (same_name(specification.methods()[of].name, name)) alike += 1;
      else if (specification.find(name) == of) alike += 0.5;
    }
    return alike / static_cast<double>(candidate.matching.size());
  }

  static bool has_needed(const Candidate& candidate) {
    return std::ranges::all_of(candidate.kind->needed, [&](std::string_view name) {
      if (name.empty()) return true;
      const auto of = candidate.likeness->specification().find(name);
      return of && std::ranges::find(candidate.matching, static_cast<int>(*of)) !=
                       candidate.matching.end();
    });
  }

  // ---- All agree: a matching is searched.

  bool find_matching(Candidate& candidate) {
    const Matching by_name = candidate.matching;
    const int most = static_cast<int>(observed_.methods.size()) / 3;
    comparisons_ = 0;
    for (int left_out = 0; left_out <= most; ++left_out) {
      Matching matching(observed_.methods.size(), kNotMatched);
      if (!extend(*candidate.likeness, by_name, 0, left_out, matching)) continue;
      Candidate found = candidate;
      found.matching = matching;
      found.comparison = candidate.likeness->compare(matching, true);
      found.not_counted = left_out;
      if (!found.comparison.varies || !has_needed(found)) continue;
      found.names = names_alike(found);
      if (left_out > 0 && !found.hint && found.names < kFewNames) continue;
      candidate = std::move(found);
      return true;
    }
    return false;
  }

  bool extend(const Likeness& likeness, const Matching& by_name, int method, int left_out,
              Matching& matching) {
    if (method == static_cast<int>(matching.size())) return left_out == 0;
    const auto agrees = [&](int of) {
      if (++comparisons_ > kMostComparisons) return false;
      matching[index(method)] = of;
      if (likeness.compare(matching, true).differs == 0 &&
          extend(likeness, by_name, method + 1, left_out, matching))
        return true;
      matching[index(method)] = kNotMatched;
      return false;
    };
    const int first = by_name[index(method)];
    if (first != kNotMatched && agrees(first)) return true;
    for (int of = 0; of < static_cast<int>(likeness.specification().methods().size()); ++of) {
      if (of != first && likeness.is_possible(method, static_cast<MethodId>(of)) && agrees(of))
        return true;
    }
    return first == kNotMatched && left_out > 0 &&
           extend(likeness, by_name, method + 1, left_out - 1, matching);
  }

  static bool excludes(const Kind& a, const Kind& b) {
    return !a.discipline.empty() && !b.discipline.empty() && a.discipline != b.discipline;
  }

  std::optional<Resemblance> all_agree() const {
    const auto better = [](const Candidate& a, const Candidate& b) {
      if (a.not_counted != b.not_counted) return a.not_counted < b.not_counted;
      if (a.hint != b.hint) return a.hint;
      return a.names > b.names;
    };
    const Candidate* best = &same_.front();
    for (const Candidate& other : same_) {
      if (better(other, *best)) best = &other;
    }
    for (const Candidate& other : same_) {
      if (other.not_counted <= best->not_counted && excludes(*other.kind, *best->kind)) {
        Resemblance result = result_of(*best);
        result.is_ambiguous = true;
        return result;
      }
    }
    // A class with the name of a counter that has all its methods is no semaphore without one.
    if (best->not_counted > 0) {
      const Candidate* const other = most_alike();
      if (other != nullptr && other->hint && other->not_counted == 0) return difference();
    }
    return result_of(*best);
  }

  // ---- They do not: names say what it should be.

  void add_difference(Candidate& candidate) {
    if (!has_needed(candidate)) return;
    candidate.not_counted = static_cast<int>(std::ranges::count(candidate.matching, kNotMatched));
    if (candidate.not_counted * 2 > static_cast<int>(candidate.matching.size())) return;
    if (candidate.not_counted > 0 && !candidate.hint) return;
    candidate.comparison = candidate.likeness->compare(candidate.matching, false);
    if (candidate.comparison.differs == 0) return;
    candidate.names = names_alike(candidate);
    if (candidate.names < 0.5) return;
    different_.push_back(candidate);
  }

  int length_of_difference(const Candidate& candidate) const {
    return observed_.behaviour.call(candidate.comparison.differs).length;
  }

  const Candidate* most_alike() const {
    const auto better = [this](const Candidate& a, const Candidate& b) {
      if (a.hint != b.hint) return a.hint;
      if (a.names != b.names) return a.names > b.names;
      if (length_of_difference(a) != length_of_difference(b))
        return length_of_difference(a) > length_of_difference(b);
      return a.comparison.agree > b.comparison.agree;
    };
    const Candidate* best = nullptr;
    for (const Candidate& other : different_) {
      if (best == nullptr || better(other, *best)) best = &other;
    }
    return best;
  }

  std::optional<Resemblance> difference() const {
    const Candidate* const best = most_alike();
    if (best == nullptr) return std::nullopt;
    Resemblance result = result_of(*best);
    result.words = with_start(*best->kind, best->kind->noun, best->likeness->initial());
    SerialDifference& difference = result.difference.emplace();
    difference.calls = words_of(best->comparison.differs);
    difference.call = best->comparison.differs;
    difference.expected = best->comparison.expected;
    return result;
  }

  // With the names of threads, if there is more than one.
  std::vector<std::string> words_of(int sequence) const {
    const std::vector<int> path = observed_.behaviour.path(sequence);
    const bool is_one = std::ranges::all_of(path, [&](int number) {
      return observed_.behaviour.call(number).thread == observed_.behaviour.call(sequence).thread;
    });
    std::vector<std::string> all;
    for (const int number : path) {
      const Behaviour::Call& call = observed_.behaviour.call(number);
      std::string text = is_one ? "" : thread_name(call.thread) + " ";
      text += observed_.object.invocations[index(call.invocation)].text;
      if (call.waits) text += " waits";
      else if (call.result.starts_with("throws ")) text += " " + call.result;
      else if (!call.result.empty()) text += " = " + call.result;
      all.push_back(std::move(text));
    }
    return all;
  }

  Resemblance result_of(const Candidate& candidate) const {
    const Likeness& likeness = *candidate.likeness;
    Resemblance result;
    result.specification = likeness.specification().name();
    result.initial = likeness.initial();
    result.words = with_start(*candidate.kind, candidate.kind->words, likeness.initial());
    for (std::size_t m = 0; m < candidate.matching.size(); ++m) {
      const std::string& name = observed_.methods[m].name;
      if (candidate.matching[m] == kNotMatched) {
        result.not_counted.push_back(name);
        continue;
      }
      const auto of = static_cast<MethodId>(candidate.matching[m]);
      result.methods.emplace_back(name, likeness.specification().methods()[of].name);
    }
    for (const int method : candidate.comparison.waits)
      result.waits.push_back(observed_.methods[static_cast<std::size_t>(method)].name);
    result.sequences = candidate.comparison.agree;
    result.has_misuse = candidate.comparison.has_misuse;
    result.longest = candidate.comparison.longest;
    result.spec_option = takes_option(candidate);
    return result;
  }

  // Whether --spec would match the methods in the same way, and accept their results.
  bool takes_option(const Candidate& candidate) const {
    const Specification& specification = candidate.likeness->specification();
    if (candidate.likeness->initial() || !candidate.comparison.is_exact) return false;
    for (std::size_t m = 0; m < candidate.matching.size(); ++m) {
      const auto of = specification.find(observed_.methods[m].name);
      if (!of || static_cast<int>(*of) != candidate.matching[m]) return false;
    }
    return std::ranges::all_of(observed_.object.invocations, [&](const Invocation& it) {
      return specification.find(it.method) &&
             wrong_result(specification, observed_.object, it).empty();
    });
  }

  static constexpr double kFewNames = 0.25;
  static constexpr int kMostComparisons = 200;  // of one specification
  const Observed& observed_;
  std::vector<Candidate> same_, different_;
  int comparisons_ = 0;
};

bool is_counted(const Resemblance& like, const Object& object, const Column& unit) {
  return std::ranges::none_of(unit, [&](int invocation) {
    const std::string& method = object.invocations[static_cast<std::size_t>(invocation)].method;
    return std::ranges::find(like.not_counted, method) != like.not_counted.end();
  });
}

std::optional<Resemblance> resemblance_of(const Behaviour& behaviour, const Object& object) {
  const Observed observed(behaviour, object);
  if (observed.methods.empty()) return std::nullopt;
  return Resembler(observed).run();
}

}  // namespace

std::optional<Resemblance> resemblance(Runner& runner, const Object& object,
                                       const std::vector<Column>& units, const Column& initial,
                                       const BehaviourLimits& limits) {
  constexpr int kRounds = 12;
  BehaviourSearch search(runner, object, initial, limits);
  std::vector<Column> explored = units;
  int whole_length = search.explore(units);
  for (int round = 0; round < kRounds && search.is_good(); ++round) {
    std::optional<Resemblance> like = resemblance_of(search.behaviour(), object);
    if (!like) return std::nullopt;
    std::vector<Column> counted = units;
    std::erase_if(counted, [&](const Column& unit) { return !is_counted(*like, object, unit); });
    // What is left out is in most sequences: others are needed.
    if (counted != explored) {
      explored = counted;
      whole_length = search.explore(counted);
      continue;
    }
    // A difference that was found at random may be shorter.
    if (like->difference && std::cmp_greater(like->difference->calls.size(), whole_length)) {
      const std::size_t calls = search.behaviour().calls().size();
      search.explore_parts(like->difference->call);
      const bool is_last = round + 1 == kRounds;
      if (search.behaviour().calls().size() != calls && !is_last) continue;
    }
    if (like->is_ambiguous || !search.is_good()) return std::nullopt;
    like->whole_length = like->has_misuse ? 0 : whole_length;
    return like;
  }
  return std::nullopt;
}

}  // namespace plumb::lineup
