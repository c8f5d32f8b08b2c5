// SPDX-License-Identifier: MIT
// Does a specification behave like the family that it claims?
//
// Three looks, each at what engines rely on:
//
//  * The shape: every role belongs to the family, with the right number of arguments and the right
//    keys; nil is no value of a collection, for a removal that finds nothing returns it.
//  * Short sequences: the specification and the reference walk through the same calls side by side,
//    breadth first from each of a few initial values, up to kPairs pairs of states. In each pair
//    every call must have the same results on both sides. Arguments are a few values of each type
//    that the method takes.
//  * A long sequence: many values in, and out again, which shows bounded containers and counters.
//
// Equal behaviour on all calls would be a bisimulation. This is a part of it, so a difference is
// always real, and "none found" is not a proof: see plumb/family.hpp for why that is enough.
#include "spec/conformance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "spec/families.hpp"
#include "spec/reference.hpp"

namespace plumb {
namespace {

constexpr std::size_t kPairs = 150;   // of states, from each initial value
constexpr std::int64_t kMany = 2000;  // values inside at once

struct Trial {
  MethodId method;
  std::vector<Value> args;
};

// The arguments that methods are tried with: up to three of the first type that the method takes,
// one of each other.
std::vector<std::vector<Value>> kinds_of_values() {
  const auto number = [](std::int64_t i) { return Value::integer(i); };
  const auto text = [](const char* s) { return Value::string(s); };
  return {{number(1), number(2), number(3)},
          {text("a"), text("b"), text("c")},
          {Value::list({number(2), number(1)}), Value::list({number(1), number(2)}),
           Value::list({number(1), number(3)})},
          {Value::boolean(true), Value::boolean(false)}};
}

class Conformance {
 public:
  Conformance(const Specification& specification, Family family)
      : specification_(specification), family_(family) {}

  std::string run() {
    if (std::string why = check_shape(); !why.empty()) return why;
    if (std::string why = collect_trials(); !why.empty()) return why;
    for (const std::optional<Value>& initial : initial_values())
      if (std::string why = walk(initial); !why.empty())
        return initial ? fmt::format("starting with {}, {}", initial->to_string(), why) : why;
    return run_for_long();
  }

 private:
  std::span<const Method> methods() const { return specification_.methods(); }
  std::string a_family() const { return fmt::format("a {}", to_string(family_)); }

  // ---- The shape ------------------------------------------------------------------------------

  std::string check_shape() const {
    for (const Method& method : methods()) {
      if (method.role == Role::none) continue;
      const auto arity = Reference::arity(family_, method);
      if (!arity)
        return fmt::format("{} {}, which no method of {} does", method.name, to_string(method.role),
                           a_family());
      if (method.args.size() != *arity || method.optional_args > 0)
        return fmt::format("{} takes {} arguments, where that of {} takes {}", method.name,
                           method.args.size(), a_family(), *arity);
      if (method.role == Role::takes && method.blocks != method.nil_is_unrecorded)
        return fmt::format(
            "if the object is empty, {} must either block (declare .blocks()) or return nil",
            method.name);
    }
    for (const Role role : needed_roles())
      if (!specification_.find(role))
        return fmt::format("no method {}, as one of {} must", to_string(role), a_family());
    return {};
  }

  std::vector<Role> needed_roles() const {
    switch (family_) {
      case Family::queue:
      case Family::stack:
      case Family::max_priority_queue:
      case Family::min_priority_queue:
      case Family::bag: return {Role::adds, Role::takes};
      case Family::set: return {Role::contains};
      case Family::counter: return {Role::reads};
      case Family::mutex:
      case Family::semaphore: return {Role::acquires};
      case Family::cell:
      case Family::array:
      case Family::map:
      case Family::multi_register: return {Role::reads, Role::writes};
      case Family::none: break;
    }
    return {};
  }

  // ---- What is tried --------------------------------------------------------------------------

  bool accepts(MethodId method, std::span<const Value> args) const {
    return specification_.reject({method, args}).empty();
  }

  /// For the argument at `place`; the others are as in `like`.
  std::vector<Value> candidates(MethodId method, std::vector<Value> like, std::size_t place) const {
    if (family_ == Family::counter)
      return methods()[method].role == Role::writes
                 ? std::vector{Value::integer(0), Value::integer(7)}
                 : std::vector{Value::integer(2), Value::integer(-3), Value::integer(100'000)};
    const bool is_key = place == 0 && kKeyed.contains(family_);
    std::vector<Value> all;
    for (const std::vector<Value>& kind : kinds_of_values()) {
      const std::size_t most = !all.empty() ? 1 : is_key ? 2 : 3;
      for (std::size_t i = 0; i < std::min(most, kind.size()); ++i) {
        like[place] = kind[i];
        if (accepts(method, like)) all.push_back(kind[i]);
      }
    }
    return all;
  }

  /// Arguments that the method accepts, all of one type; none: there are none among ours.
  std::vector<Value> some_arguments(MethodId method) const {
    std::vector<Value> args(methods()[method].args.size());
    const auto kinds = kinds_of_values();
    // Each place has a type of its own: the key may be a string and the value a number.
    std::size_t choices = 1;
    for (std::size_t i = 0; i < args.size(); ++i) choices *= kinds.size();
    for (std::size_t choice = 0; choice < choices; ++choice) {
      std::size_t rest = choice;
      for (Value& arg : args) arg = kinds[rest % kinds.size()][0], rest /= kinds.size();
      if (accepts(method, args)) return args;
    }
    return {};
  }

  std::string collect_trials() {
    for (MethodId m = 0; m < methods().size(); ++m) {
      const Method& method = methods()[m];
      if (method.role == Role::none) continue;
      const std::vector<Value> like = some_arguments(m);
      if (like.size() != method.args.size())
        return fmt::format("none of the values that were tried is an argument of {}", method.name);
      const Value nil[] = {Value::nil()};
      if (method.role == Role::adds && kCollections.contains(family_) && accepts(m, nil))
        return fmt::format("{} accepts null, which removals return if there is nothing",
                           method.name);
      std::vector<Trial> trials = {{m, like}};
      for (std::size_t place = 0; place < like.size(); ++place) {
        std::vector<Trial> more;
        for (const Trial& trial : trials)
          for (const Value v : candidates(m, trial.args, place)) {
            more.push_back(trial);
            more.back().args[place] = v;
          }
        trials = std::move(more);
      }
      for (Trial& trial : trials)
        if (accepts(m, trial.args)) trials_.push_back(std::move(trial));
    }
    return check_keys();
  }

  std::string check_keys() const {
    for (const Trial& trial : trials_) {
      std::vector<Value> expected;
      if (kKeyed.contains(family_) && !trial.args.empty()) expected = {trial.args[0]};
      if (specification_.keys({trial.method, trial.args}) == expected) continue;
      const std::string& name = methods()[trial.method].name;
      if (expected.empty())
        return fmt::format("{} has a key, which that of {} has not", name, a_family());
      return fmt::format("{} must have its first argument as its key (.key(0)), as that of {} has",
                         name, a_family());
    }
    return {};
  }

  std::vector<std::optional<Value>> initial_values() const {
    std::vector<std::optional<Value>> all = {std::nullopt};
    const Value one = Value::integer(1), two = Value::integer(2);
    for (const Value v :
         {Value::integer(3), Value::list({two, one}), Value::boolean(true), Value::string("a"),
          Value::list({Value::string("b"), Value::string("a")})})
      if (all.size() < 3 && specification_.reject_initial(v).empty()) all.emplace_back(v);
    return all;
  }

  // ---- Side by side ---------------------------------------------------------------------------

  /// Nothing: what it starts with is not known, and no engine relies on it.
  std::optional<Reference> start(StateSpace& space, std::optional<Value> initial) const {
    Reference reference(family_);
    if (kCollections.contains(family_) || family_ == Family::set) {
      const auto content = specification_.initial_values(initial);
      if (!content && initial) return std::nullopt;
      if (content)
        for (const Value v : *content) reference.put(v);
    } else if (family_ == Family::map) {
      reference.set_default(initial.value_or(Value::nil()));
    } else if (const auto reads = specification_.find(Role::reads)) {
      const auto trial = std::find_if(trials_.begin(), trials_.end(),
                                      [&](const Trial& t) { return t.method == *reads; });
      const std::vector<Value> seen = space.results(space.initial(), label_of(*trial));
      if (seen.size() != 1) return std::nullopt;
      reference.set_default(seen[0]);
      if (seen[0].is_integer()) reference.set_number(seen[0].as_integer());
    } else {
      reference.set_number(permits(space));
    }
    return reference;
  }

  std::int64_t permits(StateSpace& space) const {
    const MethodId acquires = *specification_.find(Role::acquires);
    const bool waits = methods()[acquires].returns_nothing;
    const BoundLabel label{acquires, {}, waits ? Value::nil() : Value::boolean(true), true};
    std::vector<StateId> to = {space.initial()};
    for (std::int64_t n = 0; n < kMany; ++n) {
      const StateId from = to.front();
      to.clear();
      space.step(from, label, to);
      if (to.empty()) return n;
    }
    return kMany;
  }

  BoundLabel label_of(const Trial& trial) const { return {trial.method, trial.args}; }

  struct Pair {
    StateId state;
    Reference reference;
    std::size_t parent;
    const Trial* trial;  // from the parent
  };

  std::string walk(std::optional<Value> initial) {
    const auto space = specification_.states(initial);
    const auto first = start(*space, initial);
    if (!first) return {};
    std::deque<Pair> pairs = {{space->initial(), *first, 0, nullptr}};
    std::map<std::pair<StateId, Reference>, std::size_t> known = {{{space->initial(), *first}, 0}};
    std::vector<StateId> to;
    for (std::size_t at = 0; at < pairs.size(); ++at) {
      for (const Trial& trial : trials_) {
        BoundLabel label = label_of(trial);
        const std::vector<Value> seen = space->results(pairs[at].state, label);
        const auto expected = pairs[at].reference.run(methods()[trial.method], trial.args);
        if (!same_results(seen, expected)) return difference(pairs, at, trial, seen, expected);
        for (const Reference::Outcome& outcome : expected) {
          label.result = outcome.result;
          label.known = true;
          to.clear();
          space->step(pairs[at].state, label, to);
          for (const StateId next : to)
            if (pairs.size() < kPairs && known.try_emplace({next, outcome.after}, 0).second)
              pairs.push_back({next, outcome.after, at, &trial});
        }
      }
    }
    return {};
  }

  static bool same_results(std::vector<Value> seen,
                           const std::vector<Reference::Outcome>& expected) {
    std::vector<Value> wanted;
    for (const Reference::Outcome& outcome : expected) wanted.push_back(outcome.result);
    std::sort(seen.begin(), seen.end());
    std::sort(wanted.begin(), wanted.end());
    return seen == wanted;
  }

  std::string difference(const std::deque<Pair>& pairs, std::size_t at, const Trial& trial,
                         const std::vector<Value>& seen,
                         const std::vector<Reference::Outcome>& expected) const {
    std::vector<std::string> path;
    for (; at != 0; at = pairs[at].parent) path.push_back(call(*pairs[at].trial));
    std::reverse(path.begin(), path.end());
    std::vector<Value> wanted;
    for (const Reference::Outcome& outcome : expected) wanted.push_back(outcome.result);
    return fmt::format("{}{} {}, where that of {} {}",
                       path.empty() ? "" : fmt::format("after {}, ", fmt::join(path, ", ")),
                       call(trial), returns(seen), a_family(), returns(wanted));
  }

  std::string call(const Trial& trial) const {
    std::vector<std::string> args;
    for (const Value v : trial.args) args.push_back(v.to_string());
    return fmt::format("{}({})", methods()[trial.method].name, fmt::join(args, ", "));
  }

  static std::string returns(const std::vector<Value>& results) {
    std::vector<std::string> texts;
    for (const Value v : results) texts.push_back(v.to_string());
    return texts.empty() ? "blocks" : fmt::format("returns {}", fmt::join(texts, " or "));
  }

  // ---- A long sequence ------------------------------------------------------------------------

  /// Values in, and out again; or a number up.
  std::string run_for_long() const {
    const auto replay = specification_.replay({});
    if (kCollections.contains(family_)) {
      const auto content = specification_.initial_values({});
      return content && !content->empty() ? "" : fill_and_drain(*replay);
    }
    const auto up =
        specification_.find(family_ == Family::counter ? Role::increments : Role::releases);
    if (!up || !methods()[*up].args.empty() || !methods()[*up].returns_nothing ||
        family_ == Family::mutex)
      return {};
    for (std::int64_t i = 1; i <= kMany; ++i)
      if (!replay->apply({*up, {}, Value::nil(), true})) return after_many(i, *up);
    const auto reads = specification_.find(Role::reads);
    if (!reads) return {};
    const auto space = specification_.states({});
    const std::vector<Value> first = space->results(space->initial(), {*reads, {}});
    const Value now = Value::integer(first.front().as_integer() + kMany);
    return replay->apply({*reads, {}, now, true}) ? "" : after_many(kMany, *reads);
  }

  std::string fill_and_drain(Replay& replay) const {
    const MethodId add = *specification_.find(Role::adds), take = *specification_.find(Role::takes);
    std::vector<Value> items;
    for (std::int64_t i = 1; i <= kMany; ++i) {
      const Value v = Value::integer(i);
      if (!accepts(add, std::span(&v, 1))) break;
      if (!replay.apply({add, std::span(&v, 1), Value::nil(), true})) return after_many(i, add);
      items.push_back(v);
    }
    if (family_ == Family::stack || family_ == Family::max_priority_queue)
      std::reverse(items.begin(), items.end());
    for (const Value v : items)
      if (!replay.apply({take, {}, v, true}))
        return after_many(static_cast<std::int64_t>(items.size()), take);
    return {};
  }

  std::string after_many(std::int64_t calls, MethodId method) const {
    return fmt::format("after {} calls, {} no longer behaves like the method of {}", calls,
                       methods()[method].name, a_family());
  }

  const Specification& specification_;
  const Family family_;
  std::vector<Trial> trials_;
};

}  // namespace

std::string why_not_of_family(const Specification& specification, Family family) {
  try {
    return Conformance(specification, family).run();
  } catch (const std::exception& e) { return e.what(); }
}

}  // namespace plumb
