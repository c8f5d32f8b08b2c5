// SPDX-License-Identifier: MIT
#include "lineup/by_specification.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "check/problem/partition.hpp"
#include "check/property/quasi/permuting.hpp"
#include "history/parse_value.hpp"
#include "lineup/relaxed.hpp"
#include "lineup/to_history.hpp"

namespace plumb::lineup {
namespace {

bool means(const Specification& specification, const std::string& a, const std::string& b) {
  const auto method = specification.find(a);
  return method && method == specification.find(b);
}

bool is_in(const Specification& specification, const QuasiSet& set, const std::string& method) {
  return std::ranges::any_of(
      set.operations, [&](const std::string& name) { return means(specification, name, method); });
}

std::string_view type_word(Value sample) {
  switch (sample.kind()) {
    case Value::Kind::nil: return "nothing";
    case Value::Kind::boolean: return "a boolean";
    case Value::Kind::integer: return "an integer";
    case Value::Kind::real: return "a real number";
    case Value::Kind::string: return "a string";
    case Value::Kind::list: return "a list";
    case Value::Kind::opaque: break;  // no JSON
  }
  return "another type";
}

// A method that returns nothing: its result is not recorded, unless nil is a result (empty). One
// that may fail returns false only then, and true means that it was done, as `nothing` does.
bool fits(const Specification& specification, const Invocation& it, MethodId method, Value sample) {
  const Method& wanted = specification.methods()[method];
  if (sample.is_nil()) return wanted.returns_nothing || wanted.nil_is_unrecorded;
  if (wanted.returns_nothing && it.may_fail && sample.is_boolean()) return true;
  const std::vector<Value> args = argument_values(it);
  return !specification.reject({method, args}).empty() ||  // for another reason
         specification.reject({method, args, sample, true}).empty();
}

// The sets, as far as the history calls their operations: about others nothing can be asked.
QuasiOptions asked_of(const BySpecification& by, const plumb::History& history) {
  QuasiOptions asked = by.quasi;
  const auto is_called = [&](const std::string& name) {
    for (OperationId op = 0; op < history.size(); ++op) {
      if (means(*by.specification, name, std::string(history.call_of(op).method))) return true;
    }
    return false;
  };
  for (QuasiSet& set : asked.sets)
    std::erase_if(set.operations, [&](const std::string& name) { return !is_called(name); });
  std::erase_if(asked.sets, [](const QuasiSet& set) { return set.operations.empty(); });
  return asked;
}

// What a test puts in, and what takes it out again.
class Contents {
 public:
  Contents(const BySpecification& by, const Object& object) : by_(by), object_(object) {}

  bool removes(int invocation) const {
    const Invocation& it = of(invocation);
    return argument_text(it).empty() &&
           std::ranges::any_of(by_.quasi.sets, [&](const QuasiSet& set) {
             return is_in(*by_.specification, set, it.method);
           });
  }
  bool adds(int invocation) const {
    return !removes(invocation) && !argument_text(of(invocation)).empty();
  }

 private:
  const Invocation& of(int invocation) const {
    return object_.invocations[static_cast<std::size_t>(invocation)];
  }
  const BySpecification& by_;
  const Object& object_;
};

}  // namespace

std::string wrong_question(const BySpecification& by, const Object& object) {
  if (!by.is_relaxed()) return {};
  // All methods at once, none of which returns.
  Matrix test;
  ObservedHistory history;
  for (int i = 0; i < static_cast<int>(object.invocations.size()); ++i) {
    test.columns.push_back({i});
    history.events.push_back({i, false, 0});
  }
  const plumb::History called = to_history(test, object, history, Results(), true);
  const Status status = quasi::check_question(by.quasi, called, {by.specification});
  if (!status.ok())
    return "--quasi: " + status.error().message + " (" + status.error().remedy + ")";
  if (by.counts_permutations && !permutes(by))
    return "--count-permutations: " + std::string(to_string(by.quasi.relaxation)) +
           " has none (slot, all and def4 have)";
  return {};
}

std::string wrong_result(const Specification& specification, const Object& object,
                         const Invocation& invocation) {
  const auto method = specification.find(invocation.method);
  const auto sample = parse_value(invocation.sample);
  if (!method || !sample || invocation.weak_read ||
      fits(specification, invocation, *method, *sample))
    return {};
  const Method& wanted = specification.methods()[*method];
  const std::string_view change = wanted.returns_nothing ? "drops the result"
                                  : sample->is_nil()     ? "returns it"
                                                         : "converts the result";
  return fmt::format(
      "{0} of {1} returns {2}, but {3} of {4} returns {5}{6} (describe a lambda that {7}, or "
      "name a specification whose {0} returns {2})",
      invocation.method, object.name, type_word(*sample), wanted.name, specification.name(),
      wanted.result, wanted.nil_word.empty() ? "" : " or " + wanted.nil_word, change);
}

Result<QuasiReport> decide(const BySpecification& by, const plumb::History& history, bool minimise,
                           const JudgementLimits& limits) {
  CheckOptions options;
  options.specification = by.specification;
  options.minimise = minimise;
  options.jobs = 1;
  options.timeout_seconds = limits.seconds;
  options.memory_bytes = limits.memory_bytes;
  options.interrupt = limits.interrupt;
  if (by.is_relaxed()) {
    const QuasiOptions asked = asked_of(by, history);
    if (!asked.sets.empty()) return check_quasi(history, asked, options);
  }
  Result<CheckReport> checked = plumb::check(history, options);
  if (!checked.ok()) return checked.error();
  QuasiReport report;
  report.check = *std::move(checked);
  report.asked = by.quasi;
  return report;
}

PermutationCount count_permutations(const BySpecification& by, const plumb::History& history,
                                    const JudgementLimits& limits) {
  PermutationCount count;
  CheckOptions whole;
  whole.specification = by.specification;
  whole.partition = false;
  const Result<Partitioning> parts = make_partitions(history, whole);
  if (!parts.ok()) return {0, 0, Verdict::undecided};
  const quasi::Factors factors = quasi::bind(asked_of(by, history).sets, *by.specification);
  for (const Partition& part : parts->partitions) {  // there is one object
    Budget budget(limits.seconds, limits.memory_bytes, limits.interrupt);
    const Answer answer = quasi::decide_roundup_literal(part.problem, by.quasi.relaxation, factors,
                                                        budget, by.quasi.dedup, true);
    count.sequentializations += answer.stats.configurations;
    count.permutations += answer.stats.steps;
    count.verdict = answer.verdict;
    count.stopped = budget.stopped();
  }
  return count;
}

bool permutes(const BySpecification& by) {
  return by.is_relaxed() && quasi::permutes(by.quasi.relaxation);
}

Matrix drained(Matrix test, const Object& object, const BySpecification& by) {
  if (!permutes(by)) return test;
  const Contents contents(by, object);
  int removal = 0;
  while (removal < static_cast<int>(object.invocations.size()) && !contents.removes(removal))
    ++removal;
  if (removal == static_cast<int>(object.invocations.size())) return test;
  std::ptrdiff_t inside = std::ranges::count_if(
      cells(test), [&](const Cell& cell) { return contents.adds(cell.invocation); });
  // Removals of before may have come too early.
  inside -= std::ranges::count_if(test.final, [&](int i) { return contents.removes(i); });
  for (; inside > 0; --inside) test.final.push_back(removal);
  return test;
}

bool puts_in_more(const BySpecification& by, const Matrix& test, const Object& object) {
  if (!permutes(by)) return false;
  const Contents contents(by, object);
  int inside = 0;
  for (const Cell& cell : cells(test)) {
    if (contents.adds(cell.invocation)) ++inside;
    else if (contents.removes(cell.invocation)) --inside;
  }
  return inside > 0;
}

bool leaves_values(const BySpecification& by, const Matrix& test, const Object& object,
                   const ObservedHistory& history, const Results& results) {
  if (!permutes(by)) return false;
  const Contents contents(by, object);
  const std::vector<Cell> all = cells(test);
  int inside = 0;
  for (const ObservedEvent& event : history.events) {
    const int invocation = all[static_cast<std::size_t>(event.operation)].invocation;
    const Invocation& it = object.invocations[static_cast<std::size_t>(invocation)];
    if (!event.is_return) inside += contents.adds(invocation) ? 1 : 0;
    else if (contents.removes(invocation) && !is_failure(it, results.text(event.result))) --inside;
  }
  return inside > 0;
}

}  // namespace plumb::lineup
