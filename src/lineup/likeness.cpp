// SPDX-License-Identifier: MIT
#include "lineup/likeness.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "history/parse_value.hpp"
#include "lineup/to_history.hpp"

namespace plumb::lineup {
namespace {

constexpr StateId kNoState = std::numeric_limits<StateId>::max();

bool is_failure(const std::string& text) {
  return text == "null" || text == "false" || text.starts_with("throws ");
}

// "is_empty", which says whether the size is 0.
bool asks_for_zero(const Observed::Method& method, const plumb::Method& of) {
  return of.name == "size" && !method.results.empty() &&
         std::ranges::all_of(method.results, [](const std::string& text) {
           return text == "true" || text == "false";
         });
}

// A lock that is not held is not unlocked: what happens then is nobody's specification.
bool is_misuse(const plumb::Method& method) {
  return method.blocks && method.name.starts_with("unlock");
}

// What an object's method says where the specification's returns, or does, one of these. It is the
// same in all sequences, or the method is another one.
class Words {
 public:
  enum class Meaning : std::uint8_t { nothing, yes, no, nil, blocked, dropped };
  bool say(Meaning meaning, const std::string& text, bool waits) {
    const auto [known, is_new] = said_.try_emplace(meaning, text, waits);
    return is_new || known->second == std::pair(text, waits);
  }
  bool is_exact() const {
    return std::ranges::all_of(said_, [](const auto& entry) {
      const auto& [meaning, words] = entry;
      switch (meaning) {
        case Meaning::yes: return words.first == "true";
        case Meaning::no: return words.first == "false" && !words.second;
        case Meaning::nil: return words.first == "null" && !words.second;
        case Meaning::blocked: return words.second;
        case Meaning::nothing:
        case Meaning::dropped: break;  // wrong_result() knows
      }
      return true;
    });
  }
  std::optional<std::string> text(Meaning meaning) const {
    const auto found = said_.find(meaning);
    if (found == said_.end() || found->second.second) return std::nullopt;
    return found->second.first;
  }

 private:
  std::map<Meaning, std::pair<std::string, bool>> said_;
};

struct Outcome {
  const std::string& text;
  const std::optional<Value>& value;
  bool waits;
};

// One comparison: the states after the sequences, and the words.
class Comparer {
 public:
  using Meaning = Words::Meaning;
  Comparer(const Observed& observed, const Specification& specification, bool bounded,
           StateSpace& states, const Matching& matching)
      : observed_(observed), specification_(specification), bounded_(bounded), states_(states),
        matching_(matching), state_(observed.behaviour.calls().size(), kNoState),
        words_(observed.methods.size()), first_(observed.methods.size()) {
    state_[Behaviour::kStart] = states.initial();
  }

  Comparison run(bool until_differs) {
    for (const int number : observed_.shortest_first) {
      const Behaviour::Call& call = observed_.behaviour.call(number);
      const StateId before = state_[index(call.before)];
      if (before == kNoState) continue;
      const int method = observed_.method_of[index(call.invocation)];
      if (matching_[index(method)] == kNotMatched) continue;
      if (!step(number, call, method, before)) {
        if (result_.differs == 0) result_.differs = number;
        if (until_differs) return result_;
      }
      result_.longest = std::max(result_.longest, call.length);
    }
    for (const Words& words : words_) result_.is_exact &= words.is_exact();
    return std::move(result_);
  }

 private:
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }

  bool step(int number, const Behaviour::Call& call, int method, StateId before) {
    const auto of = static_cast<MethodId>(matching_[index(method)]);
    const plumb::Method& wanted = specification_.methods()[of];
    const BoundLabel label(of, observed_.args[index(call.invocation)]);
    const std::vector<Value> results = states_.results(before, label);
    if (results.empty() && is_misuse(wanted)) return result_.has_misuse = true;
    const std::optional<Value> expected =
        results.empty() ? std::nullopt : std::optional(results.front());
    const Outcome outcome{call.result, observed_.value[index(number)], call.waits};
    if (!may_say(method, wanted, expected, outcome)) {
      if (result_.differs == 0) result_.expected = words_for(method, wanted, expected);
      return false;
    }
    ++result_.agree;
    note_variation(method, outcome);
    if (call.waits) return true;
    if (!expected) {
      state_[index(number)] = before;
      return true;
    }
    std::vector<StateId> to;
    states_.step(before, label, to);
    if (to.size() == 1) state_[index(number)] = to.front();
    return true;
  }

  bool may_say(int method, const plumb::Method& wanted, std::optional<Value> expected,
               const Outcome& outcome) {
    const auto say = [&](Meaning meaning) {
      return words_[index(method)].say(meaning, outcome.text, outcome.waits);
    };
    const std::string& text = outcome.text;
    if (!expected) return (outcome.waits || is_failure(text)) && say(Meaning::blocked);
    const bool is_no = *expected == Value::boolean(false);
    if (outcome.waits) {
      const bool may_wait = bounded_ && (is_no || expected->is_nil()) && !wanted.returns_nothing &&
                            say(is_no ? Meaning::no : Meaning::nil);
      if (may_wait) result_.waits.insert(method);
      return may_wait;
    }
    if (wanted.returns_nothing)
      return (text.empty() || text == "true" || text == "null") && say(Meaning::nothing);
    if (expected->is_nil()) return may_be_nil(outcome) && say(Meaning::nil);
    if (*expected == Value::boolean(true))
      return (text.empty() || text == "true") && say(Meaning::yes);
    if (is_no) return (text.empty() || is_failure(text)) && say(Meaning::no);
    if (asks_for_zero(observed_.methods[index(method)], wanted)) {
      result_.is_exact = false;
      return text == (*expected == Value::integer(0) ? "true" : "false");
    }
    if (text.empty())
      return observed_.methods[index(method)].results.size() == 1 && say(Meaning::dropped);
    return outcome.value == expected;
  }

  // Nothing that was put in, and nothing that says "done".
  bool may_be_nil(const Outcome& outcome) const {
    if (outcome.text == "true") return false;
    return !outcome.value ||
           std::ranges::none_of(observed_.args, [&](const std::vector<Value>& args) {
             return std::ranges::find(args, *outcome.value) != args.end();
           });
  }

  std::string words_for(int method, const plumb::Method& wanted,
                        std::optional<Value> expected) const {
    if (!expected) return "waits";
    const Words& words = words_[index(method)];
    std::optional<std::string> own;
    if (wanted.returns_nothing) {
      own = words.text(Meaning::nothing);
      return own && !own->empty() ? "returns " + *own : "returns";
    }
    if (expected->is_nil()) own = words.text(Meaning::nil);
    else if (*expected == Value::boolean(false)) own = words.text(Meaning::no);
    if (own && own->starts_with("throws ")) return *own;
    return "returns " + (own && !own->empty() ? *own : expected->to_string());
  }

  void note_variation(int method, const Outcome& outcome) {
    std::optional<std::pair<std::string, bool>>& first = first_[index(method)];
    const std::pair now(outcome.text, outcome.waits);
    if (!first) first = now;
    result_.varies |= *first != now;
  }

  const Observed& observed_;
  const Specification& specification_;
  bool bounded_;
  StateSpace& states_;
  const Matching& matching_;
  std::vector<StateId> state_;  // after a sequence; none: it is not looked at
  std::vector<Words> words_;    // of each method
  std::vector<std::optional<std::pair<std::string, bool>>> first_;
  Comparison result_;
};

}  // namespace

Observed::Observed(const Behaviour& behaviour, const Object& object)
    : behaviour(behaviour), object(object), method_of(object.invocations.size(), -1) {
  for (const Invocation& it : object.invocations) args.push_back(argument_values(it));
  for (const Behaviour::Call& call : behaviour.calls()) {
    value.push_back(call.waits ? std::nullopt : parse_value(call.result));
    if (call.invocation < 0) continue;
    const auto invocation = static_cast<std::size_t>(call.invocation);
    const std::string& name = object.invocations[invocation].method;
    auto method = std::ranges::find(methods, name, &Method::name);
    if (method == methods.end()) method = methods.insert(method, {name, {}, {}});
    if (method_of[invocation] < 0) method->invocations.push_back(call.invocation);
    method_of[invocation] = static_cast<int>(method - methods.begin());
    method->waits |= call.waits;
    if (!call.waits && std::ranges::find(method->results, call.result) == method->results.end())
      method->results.push_back(call.result);
  }
  shortest_first.resize(behaviour.calls().size() - 1);
  std::iota(shortest_first.begin(), shortest_first.end(), 1);
  std::vector<bool> is_mixed(behaviour.calls().size());  // by several threads
  for (const int number : shortest_first) {
    const Behaviour::Call& call = behaviour.call(number);
    const int thread = behaviour.call(call.before).thread;
    is_mixed[static_cast<std::size_t>(number)] =
        is_mixed[static_cast<std::size_t>(call.before)] || (thread > 0 && thread != call.thread);
  }
  std::ranges::stable_sort(shortest_first, {}, [&](int number) {
    return std::pair(behaviour.call(number).length,
                     static_cast<bool>(is_mixed[static_cast<std::size_t>(number)]));
  });
}

Likeness::Likeness(const Observed& observed, const Specification& specification,
                   std::optional<Value> initial, bool bounded)
    : observed_(observed), specification_(specification), initial_(initial), bounded_(bounded),
      states_(specification.states(initial)) {}

bool Likeness::has_boolean_values() const {
  return std::ranges::any_of(observed_.args, [](const std::vector<Value>& args) {
    return std::ranges::any_of(args, &Value::is_boolean);
  });
}

bool Likeness::is_possible_result(const std::string& text, int method, MethodId of) const {
  const plumb::Method& wanted = specification_.methods()[of];
  const Observed::Method& own = observed_.methods[static_cast<std::size_t>(method)];
  if (text.starts_with("throws ") || text == "null") return true;
  if (text.empty()) return wanted.returns_nothing || wanted.pure != "always";  // else why look?
  if (asks_for_zero(own, wanted)) return true;
  const std::optional<Value> value = parse_value(text);
  if (!value) return false;
  if (wanted.returns_nothing) return value->is_boolean();  // whether it was done
  const auto& args = observed_.args[static_cast<std::size_t>(own.invocations.front())];
  const auto is_result = [&](Value result) {
    return specification_.reject({of, args, result, true}).empty();
  };
  // Of an element that may be anything, this says only that there is one.
  if (text == "true" && is_result(Value::integer(0)) && !has_boolean_values()) return false;
  return is_result(*value);
}

bool Likeness::is_possible(int method, MethodId of) const {
  const Observed::Method& own = observed_.methods[static_cast<std::size_t>(method)];
  const bool takes_them = std::ranges::all_of(own.invocations, [&](int invocation) {
    return specification_.reject({of, observed_.args[static_cast<std::size_t>(invocation)]})
        .empty();
  });
  return takes_them && std::ranges::all_of(own.results, [&](const std::string& text) {
           return is_possible_result(text, method, of);
         });
}

Comparison Likeness::compare(const Matching& matching, bool until_differs) const {
  return Comparer(observed_, specification_, bounded_, *states_, matching).run(until_differs);
}

}  // namespace plumb::lineup
