// SPDX-License-Identifier: MIT
#include "check/monitors/collection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "check/monitors/collection_parts.hpp"
#include "check/monitors/collection_reader.hpp"
#include "check/monitors/monitors.hpp"
#include "check/monitors/open_removals.hpp"

namespace plumb {
namespace {

// Where a removal is open, it might take an element whose own removal is weakened, so all of these
// elements' operations are needed.
void need_all(Conflict& conflict, const Collection& collection,
              std::vector<std::uint32_t> elements) {
  for (const std::uint32_t i : elements) {
    conflict.needs(collection.elements[i].add);
    conflict.needs(collection.elements[i].take);
  }
  conflict.elements.insert(conflict.elements.end(), elements.begin(), elements.end());
}

// The removals of values that are added again say which element is which.
void need_removals_of_the_same(Conflict& conflict, const Collection& collection) {
  if (collection.again.empty()) return;
  for (const std::uint32_t i : conflict.elements) {
    const Value value = collection.value_of(collection.elements[i]);
    for (auto at = std::lower_bound(collection.again.begin(), collection.again.end(),
                                    std::pair{value, OperationId{0}});
         at != collection.again.end() && at->first == value; ++at)
      conflict.needs(at->second);
  }
}

Answer violated(Answer answer, const Collection& collection, Conflict conflict) {
  const Problem& problem = *collection.problem;
  need_removals_of_the_same(conflict, collection);
  answer.verdict = Verdict::violation;
  answer.reason = std::move(conflict.reason);
  std::erase_if(conflict.core, [&](OperationId op) { return !problem.ops[op].completed(); });
  std::sort(conflict.core.begin(), conflict.core.end());
  conflict.core.erase(std::unique(conflict.core.begin(), conflict.core.end()), conflict.core.end());
  answer.core = std::move(conflict.core);
  // What is called after that return, or returns after it, is not needed: it is weaker than weak.
  answer.failing_event = 0;
  for (const OperationId op : answer.core)
    answer.failing_event = std::max(answer.failing_event, problem.ops[op].ret);
  for (std::uint32_t position = 0; position < answer.failing_event; ++position)
    answer.covered += problem.events[position].is_return();
  return answer;
}

// Some removals did not return, and there is no best choice of what they took.
Answer decide_by_assignment(Answer answer, Collection& collection, const CollectionRule& rule,
                            Budget& budget) {
  RemovalAssignment assignment(collection, rule, budget);
  answer.verdict = assignment.run();
  if (answer.verdict == Verdict::undecided)
    answer.reason = budget.exhausted()
                        ? describe_stop(budget)
                        : fmt::format("{} removals did not return: too many possibilities",
                                      collection.open.size());
  if (answer.verdict != Verdict::violation) return answer;
  Conflict conflict;
  need_all(conflict, collection, assignment.gathered());
  for (const OperationId op : assignment.empties()) conflict.needs(op);
  conflict.reason = fmt::format(
      "{} cannot be explained, whatever the removals that did not return may have taken",
      collection.list(assignment.gathered()));
  return violated(std::move(answer), collection, std::move(conflict));
}

// All removals returned, or those that did not are served in order.
Answer decide_directly(Answer answer, Collection& collection, const CollectionRule& rule) {
  const auto staying =
      collection.open.empty() ? std::vector<std::uint32_t>{} : serve_in_order(collection);
  auto conflict = rule.find_conflict(collection);
  if (!conflict) {
    answer.verdict = Verdict::holds;
    return answer;
  }
  if (collection.open.empty()) {
    *conflict = shrink(collection, rule, std::move(*conflict));
    if (collection.rivals) need_all(*conflict, collection, conflict->elements);
    return violated(std::move(answer), collection, std::move(*conflict));
  }
  // The same ones are served in the same way if those before them are there as well.
  need_all(*conflict, collection, conflict->elements);
  std::ptrdiff_t last = 0;
  for (std::size_t k = 0; k < staying.size(); ++k)
    if (std::find(conflict->elements.begin(), conflict->elements.end(), staying[k]) !=
        conflict->elements.end())
      last = static_cast<std::ptrdiff_t>(k) + 1;
  need_all(*conflict, collection, {staying.begin(), staying.begin() + last});
  conflict->needs(conflict->empty);
  return violated(std::move(answer), collection, std::move(*conflict));
}

std::string why_no_collection(const Problem& problem, const CollectionRule& rule) {
  if (problem.specification->family() != rule.family())
    return fmt::format("not a {}", to_string(rule.family()));
  if (problem.stuck) return "the history is stuck";
  if (problem.origin) return "it starts in the middle of a history";
  if (problem.chained()) return "operations of one process overlap";
  return {};
}

}  // namespace

void Conflict::needs(OperationId op) {
  if (op < Element::kInitial) core.push_back(op);
}

Value Collection::value_of(const Element& e) const {
  return !e.is_operation() ? initial[e.add - Element::kInitial]
                           : problem->labels[problem->ops[e.add].label].args[0];
}

std::string Collection::list(const std::vector<std::uint32_t>& some) const {
  constexpr std::size_t kMost = 5;
  const std::size_t shown = some.size() > kMost ? kMost - 1 : some.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == some.size() ? " and " : ", ";
    text += value_of(elements[some[i]]).to_string();
  }
  if (shown < some.size()) text += fmt::format(" and {} others", some.size() - shown);
  return text;
}

const char* Collection::take_name(OperationId op) const {
  const MethodId method = problem->labels[problem->ops[op].label].method;
  return problem->specification->methods()[method].name.c_str();
}

std::size_t Collection::bytes() const {
  return elements.capacity() * sizeof(Element) + empties.capacity() * sizeof(Empty) +
         open.capacity() * sizeof(Open) + order.capacity() * sizeof order[0];
}

Answer decide_collection(const Problem& problem, Budget& budget,
                         std::shared_ptr<const CollectionRule> rule) {
  if (std::string why = why_no_collection(problem, *rule); !why.empty())
    return not_for(rule->engine(), std::move(why));
  Answer answer;
  answer.engine = rule->engine();
  Charge charge(budget);
  const auto may_hold = [&](std::size_t bytes) {
    answer.stats.bytes = std::max(answer.stats.bytes, bytes);
    if (charge.hold(bytes) && !budget.exhausted()) return true;
    answer.reason = describe_stop(budget);
    return false;
  };
  auto collection = std::make_shared<Collection>();
  {
    CollectionReader reader(problem);
    if (!reader.read()) return not_for(rule->engine(), reader.reason);
    if (!reader.conflict.core.empty())
      return violated(std::move(answer), reader.collection(), std::move(reader.conflict));
    *collection = std::move(reader.collection());
    if (!may_hold(reader.bytes() + collection->bytes())) return answer;
  }
  rule->prepare(*collection);
  // Rules take three numbers per event at most.
  if (!may_hold(collection->bytes() + problem.events.size() * 12)) return answer;

  const bool named = std::any_of(collection->open.begin(), collection->open.end(),
                                 [](const auto& open) { return open.element != kNone; });
  const bool choose = !collection->open.empty() && (named || !rule->first_come_first_served());
  answer = choose ? decide_by_assignment(std::move(answer), *collection, *rule, budget)
                  : decide_directly(std::move(answer), *collection, *rule);
  if (answer.verdict != Verdict::holds) return answer;
  for (const Problem::Op& op : problem.ops) answer.covered += op.completed();
  answer.prove = [collection, rule] { return rule->make_order(*collection); };
  return answer;
}

}  // namespace plumb
