// SPDX-License-Identifier: MIT
#include "check/monitors/collection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "check/monitors/monitors.hpp"
#include "check/problem/value_numbers.hpp"
#include "spec/families.hpp"

namespace plumb {
namespace {

constexpr OperationId kInitial = Element::kInitial;
// What an element that stays has for b and r: it is inside in all gaps to the end, and whoever
// leaves at the end leaves before it.
constexpr std::uint32_t kStaysCall = 1, kStaysReturn = 2;

bool completed(const Problem& problem, OperationId op) {
  return op < kInitial && problem.ops[op].completed();
}

void leave(Collection& collection, Element& e, OperationId op, std::uint32_t call,
           std::uint32_t ret) {
  e.take = op;
  e.b = op == kNone ? collection.end + kStaysCall : std::max(call, e.l);
  e.r = op == kNone ? collection.end + kStaysReturn : ret;
}
void stay(Collection& collection, Element& e) { leave(collection, e, kNone, 0, 0); }

// ---- The pre-pass.

class Reader {
 public:
  explicit Reader(const Problem& problem) : problem_(problem), numbers_(problem.ops.size() / 2) {
    out_.problem = &problem;
  }

  /// Returns: whether it is a collection whose elements can be told apart; else see `reason`.
  bool read() {
    return read_labels() && read_initial() && read_adds() && read_takes() && tell_apart() &&
           (tidy(), true);
  }
  std::string reason;
  /// A violation that was found on the way, if its core is not empty.
  Conflict conflict;
  Collection& collection() { return out_; }
  std::size_t bytes() const {
    return numbers_.bytes() + codes_.capacity() * 4 + element_of_.capacity() * 4;
  }

 private:
  // What a label does: a number of a value, and whether it is taken; or one of these.
  static constexpr std::uint32_t kFoundNothing = kNone - 1, kTookSomething = kNone;

  bool decline(std::string why) {
    reason = std::move(why);
    return false;
  }

  bool read_labels() {
    const auto methods = problem_.specification->methods();
    codes_.reserve(problem_.labels.size());
    for (const BoundLabel& label : problem_.labels) {
      const Role role = methods[label.method].role;
      if (role == Role::adds) {
        codes_.push_back(numbers_.number(label.args[0]) << 1);
      } else if (role != Role::takes) {
        return decline(methods[label.method].name + " looks at more than one element");
      } else if (!label.known) {
        codes_.push_back(kTookSomething);
      } else if (label.result.is_nil()) {
        codes_.push_back(kFoundNothing);
      } else {
        codes_.push_back(numbers_.number(label.result) << 1 | 1);
      }
    }
    return true;
  }

  void add(std::uint32_t number, std::uint32_t l, std::uint32_t a, OperationId op) {
    const auto element = static_cast<std::uint32_t>(out_.elements.size());
    if (element_of_[number] == kNone) element_of_[number] = element;
    else added_again_.emplace_back(number, element);
    out_.elements.push_back({l, a, 0, 0, op, kNone});
    stay(out_, out_.elements.back());
  }

  bool read_initial() {
    const auto initial = initial_content(*problem_.specification, problem_.initial);
    if (!initial) return decline("the initial content is not known");
    out_.initial = *initial;
    const auto n = static_cast<std::uint32_t>(initial->size());
    out_.shift = 2 * n;
    out_.end = out_.shift + static_cast<std::uint32_t>(problem_.events.size());
    std::vector<std::uint32_t> number;
    for (const Value v : *initial) number.push_back(numbers_.number(v));
    element_of_.assign(numbers_.size(), kNone);
    out_.elements.reserve(std::min(numbers_.size(), problem_.ops.size() + n));
    for (std::uint32_t i = 0; i < n; ++i) add(number[i], 2 * i, 2 * i + 1, kInitial | i);
    return true;
  }

  bool read_adds() {
    for (OperationId id = 0; id < problem_.ops.size(); ++id) {
      const Problem::Op& op = problem_.ops[id];
      const std::uint32_t code = codes_[op.label];
      if (code >= kFoundNothing || (code & 1)) continue;
      const std::uint32_t a = op.completed() ? op.ret + out_.shift : out_.end;
      add(code >> 1, op.call + out_.shift, a, id);
    }
    std::sort(added_again_.begin(), added_again_.end());
    return true;
  }
  bool is_added_again(std::uint32_t number) const {
    const auto at = std::lower_bound(added_again_.begin(), added_again_.end(),
                                     std::pair<std::uint32_t, std::uint32_t>{number, 0});
    return at != added_again_.end() && at->first == number;
  }

  bool read_takes() {
    for (OperationId id = 0; id < problem_.ops.size(); ++id) {
      const Problem::Op& op = problem_.ops[id];
      const std::uint32_t code = codes_[op.label];
      if (code < kFoundNothing && !(code & 1)) continue;
      const std::uint32_t call = op.call + out_.shift, ret = op.ret + out_.shift;
      if (code == kFoundNothing) {
        if (op.completed()) out_.empties.push_back({id, call, ret});
      } else if (code == kTookSomething) {
        if (op.completed())
          return decline(std::string(out_.take_name(id)) + " does not say what it took");
        out_.open.push_back({id, call, kNone});
      } else if (!added_again_.empty() && is_added_again(code >> 1)) {
        if (!op.completed()) return not_apart(code >> 1);
        taken_again_.push_back({code >> 1, ret, id});
      } else {
        const std::uint32_t element = element_of_[code >> 1];
        if (op.completed()) take(id, element, numbers_[code >> 1]);
        else if (element != kNone) out_.open.push_back({id, call, element});
      }
    }
    return true;
  }

  // Of each value that is added again: which removal took which element.
  bool tell_apart() {
    std::sort(taken_again_.begin(), taken_again_.end());
    auto added = added_again_.begin();
    auto taken = taken_again_.begin();
    while (added != added_again_.end()) {
      const std::uint32_t number = added->first;
      std::vector<std::uint32_t> elements = {element_of_[number]};
      for (; added != added_again_.end() && added->first == number; ++added)
        elements.push_back(added->second);
      std::vector<OperationId> takes;
      for (; taken != taken_again_.end() && taken->number == number; ++taken)
        takes.push_back(taken->op);
      if (takes.size() > elements.size() || takes.size() + 1 < elements.size())
        return not_apart(number);
      for (std::size_t i = 0; i < takes.size(); ++i) {
        const Problem::Op& op = problem_.ops[takes[i]];
        const std::uint32_t ret = op.ret + out_.shift;
        if (i + 1 < elements.size() && ret > out_.elements[elements[i + 1]].l)
          return not_apart(number);
        Element& e = out_.elements[elements[i]];
        if (ret < e.l)
          note({takes.begin(), takes.begin() + static_cast<std::ptrdiff_t>(i) + 1},
               numbers_[number].to_string() + " was taken before it was added");
        leave(out_, e, takes[i], op.call + out_.shift, ret);
      }
      for (const OperationId op : takes) out_.again.emplace_back(numbers_[number], op);
    }
    std::sort(out_.again.begin(), out_.again.end());
    return true;
  }
  bool not_apart(std::uint32_t number) {
    return decline("the value " + numbers_[number].to_string() +
                   " is added again while it may be inside");
  }

  void take(OperationId id, std::uint32_t element, Value v) {
    const Problem::Op& op = problem_.ops[id];
    if (element == kNone) return note({id}, "nobody had added " + v.to_string());
    Element& e = out_.elements[element];
    if (!e.stays()) return note({e.take, id}, v.to_string() + " was taken twice");
    if (op.ret + out_.shift < e.l)
      return note({id}, v.to_string() + " was taken before it was added");
    leave(out_, e, id, op.call + out_.shift, op.ret + out_.shift);
  }
  // A violation; the first of them stays.
  void note(std::vector<OperationId> core, std::string why) {
    const auto last = [this](const std::vector<OperationId>& ops) {
      std::uint32_t ret = 0;
      for (const OperationId op : ops) ret = std::max(ret, problem_.ops[op].ret);
      return ret;
    };
    if (!conflict.core.empty() && last(conflict.core) <= last(core)) return;
    conflict.core = std::move(core);
    conflict.reason = std::move(why);
  }

  // Leaves out elements that need not exist, and removals that can not be.
  void tidy() {
    auto& elements = out_.elements;
    std::uint32_t kept = 0;
    bool moved = false;
    for (std::uint32_t i = 0; i < elements.size(); ++i) {
      const bool superfluous = elements[i].stays() && elements[i].a == out_.end;
      if (superfluous && !moved) {
        moved = true;
        new_number_.resize(elements.size());
        for (std::uint32_t j = 0; j < i; ++j) new_number_[j] = j;
      }
      if (moved) new_number_[i] = superfluous ? kNone : kept;
      if (superfluous) continue;
      elements[i].a = std::min(elements[i].a, elements[i].r);
      if (kept != i) elements[kept] = elements[i];
      ++kept;
    }
    elements.resize(kept);
    std::erase_if(out_.open, [&](Collection::Open& open) {
      if (open.element == kNone) return false;
      if (moved) open.element = new_number_[open.element];
      if (open.element == kNone) return true;
      out_.rivals = out_.rivals || !elements[open.element].stays();
      return !elements[open.element].stays();
    });
  }

  const Problem& problem_;
  Collection out_;
  ValueNumbers numbers_;
  std::vector<std::uint32_t> codes_;                                  // by label
  std::vector<std::uint32_t> element_of_;                             // by number: the first
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added_again_;  // number, element
  struct Taken {
    std::uint32_t number, ret;
    OperationId op;
    auto operator<=>(const Taken&) const = default;
  };
  std::vector<Taken> taken_again_;
  std::vector<std::uint32_t> new_number_;  // of elements, where some were left out
};

// ---- Parts of a collection.

// Only these elements (ascending) and empty removals; moments are numbered anew.
Collection part_of(const Collection& whole, const CollectionRule& rule,
                   const std::vector<std::uint32_t>& elements,
                   const std::vector<OperationId>& empties) {
  Collection part;
  part.problem = whole.problem;
  part.initial = whole.initial;
  part.open = whole.open;
  for (const std::uint32_t i : elements) part.elements.push_back(whole.elements[i]);
  for (const Collection::Empty& empty : whole.empties)
    if (std::binary_search(empties.begin(), empties.end(), empty.op)) part.empties.push_back(empty);

  std::vector<std::uint32_t> moments;
  const auto each_moment = [&](const auto& visit) {
    for (Element& e : part.elements) visit(e.l), visit(e.a), visit(e.b), visit(e.r);
    for (Collection::Empty& e : part.empties) visit(e.call), visit(e.ret);
    for (Collection::Open& o : part.open) visit(o.call);
  };
  each_moment([&](std::uint32_t moment) {
    if (moment < whole.end) moments.push_back(moment);
  });
  std::sort(moments.begin(), moments.end());
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  part.end = static_cast<std::uint32_t>(moments.size());
  each_moment([&](std::uint32_t& moment) {
    if (moment >= whole.end) moment = moment - whole.end + part.end;
    else
      moment = static_cast<std::uint32_t>(std::lower_bound(moments.begin(), moments.end(), moment) -
                                          moments.begin());
  });
  for (Collection::Open& o : part.open) {
    if (o.element == kNone) continue;
    const auto at = std::lower_bound(elements.begin(), elements.end(), o.element);
    const bool here = at != elements.end() && *at == o.element;
    // No element has the number kNone - 1.
    o.element = here ? static_cast<std::uint32_t>(at - elements.begin()) : kNone - 1;
  }
  rule.prepare(part);
  return part;
}

// Leaves out elements as long as the others contradict each other all the same.
Conflict shrink(const Collection& whole, const CollectionRule& rule, Conflict conflict) {
  constexpr std::size_t kMost = 200;
  if (conflict.elements.size() > kMost) return conflict;
  std::sort(conflict.elements.begin(), conflict.elements.end());
  for (std::size_t i = conflict.elements.size(); i-- > 0;) {
    if (i >= conflict.elements.size()) continue;
    std::vector<std::uint32_t> fewer = conflict.elements;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    std::vector<OperationId> empties;
    if (conflict.empty != kNone) empties.push_back(conflict.empty);
    auto smaller = rule.find_conflict(part_of(whole, rule, fewer, empties));
    if (!smaller) continue;
    for (std::uint32_t& e : smaller->elements) e = fewer[e];
    std::sort(smaller->elements.begin(), smaller->elements.end());
    conflict = std::move(*smaller);
  }
  return conflict;
}

// ---- Open removals.

// Looks for removals of the elements that stayed. Elements that contradict each other are gathered;
// assignments are looked for among them alone, and then tried on the whole.
class Assignment {
 public:
  Assignment(Collection& whole, const CollectionRule& rule, Budget& budget)
      : whole_(whole), rule_(rule), budget_(budget),
        patience_(10'000'000 + 64 * std::uint64_t{whole.elements.size()}) {}

  /// The whole collection has the assignment if it holds.
  Verdict run() {
    for (;;) {
      part_ = part_of(whole_, rule_, gathered_, empties_);
      used_.assign(part_.open.size(), false);
      find_alike();
      const Verdict verdict = fit();
      if (verdict != Verdict::holds) return verdict;
      std::vector<std::pair<std::uint32_t, std::size_t>> choices;
      for (std::uint32_t i = 0; i < part_.elements.size(); ++i)
        for (std::size_t o = 0; o < part_.open.size(); ++o)
          if (part_.elements[i].take == part_.open[o].op) choices.emplace_back(gathered_[i], o);
      for (const auto& [i, o] : choices)
        leave(whole_, whole_.elements[i], whole_.open[o].op, whole_.open[o].call, whole_.end);
      if (!patient(whole_)) return Verdict::undecided;
      const auto conflict = rule_.find_conflict(whole_);
      if (!conflict) return Verdict::holds;
      for (const auto& [i, o] : choices) stay(whole_, whole_.elements[i]);
      merge(gathered_, conflict->elements);
      if (conflict->empty != kNone) merge(empties_, {conflict->empty});
    }
  }
  const std::vector<std::uint32_t>& gathered() const { return gathered_; }
  const std::vector<OperationId>& empties() const { return empties_; }

 private:
  template <class T>
  static void merge(std::vector<T>& into, const std::vector<T>& more) {
    into.insert(into.end(), more.begin(), more.end());
    std::sort(into.begin(), into.end());
    into.erase(std::unique(into.begin(), into.end()), into.end());
  }
  bool patient(const Collection& collection) {
    const std::uint64_t work = 10 + collection.elements.size();
    if (work > patience_) return false;
    patience_ -= work;
    return !budget_.exhausted();
  }
  // Removals are alike if, from the first one's call to the last one's, nothing happens but calls
  // of open ones: whatever they do can be done after all of these.
  void find_alike() {
    std::vector<std::uint32_t> happened(part_.end + 3);
    for (const Element& e : part_.elements)
      for (const std::uint32_t moment : {e.l, e.a, e.b, e.r}) happened[moment] = 1;
    for (const Collection::Empty& e : part_.empties) happened[e.call] = happened[e.ret] = 1;
    for (std::size_t i = 1; i < happened.size(); ++i) happened[i] += happened[i - 1];
    alike_.clear();
    for (const Collection::Open& open : part_.open) alike_.push_back(happened[open.call]);
  }
  Verdict fit() {
    if (!patient(part_)) return Verdict::undecided;
    const auto conflict = rule_.find_conflict(part_);
    if (!conflict) return Verdict::holds;
    for (const std::uint32_t i : conflict->elements) {
      if (!part_.elements[i].stays()) continue;
      std::uint32_t tried = kNone;  // those that are alike, once
      for (std::size_t o = 0; o < part_.open.size(); ++o) {
        const Collection::Open& open = part_.open[o];
        if (used_[o] || (open.element != kNone && open.element != i)) continue;
        if (open.element == kNone && std::exchange(tried, alike_[o]) == alike_[o]) continue;
        leave(part_, part_.elements[i], open.op, open.call, part_.end);
        used_[o] = true;
        const Verdict verdict = fit();
        if (verdict != Verdict::violation) return verdict;
        used_[o] = false;
        stay(part_, part_.elements[i]);
      }
    }
    return Verdict::violation;
  }

  Collection& whole_;
  Collection part_;
  const CollectionRule& rule_;
  Budget& budget_;
  std::uint64_t patience_;  // so many elements may still be looked at
  std::vector<std::uint32_t> gathered_;
  std::vector<OperationId> empties_;
  std::vector<bool> used_;  // by open removal
  std::vector<std::uint32_t> alike_;
};

// In the order of their adds, to the open removals in the order of their calls.
// Returns: those that stayed before, by a.
std::vector<std::uint32_t> serve_in_order(Collection& collection) {
  auto& elements = collection.elements;
  std::vector<std::uint32_t> staying;
  for (std::uint32_t i = 0; i < elements.size(); ++i)
    if (elements[i].stays()) staying.push_back(i);
  std::sort(staying.begin(), staying.end(),
            [&](std::uint32_t i, std::uint32_t j) { return elements[i].a < elements[j].a; });
  for (std::size_t k = 0; k < staying.size() && k < collection.open.size(); ++k) {
    const Collection::Open& open = collection.open[k];
    leave(collection, elements[staying[k]], open.op, open.call, collection.end);
  }
  return staying;
}

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

Answer violation(Answer answer, const Collection& collection, Conflict conflict) {
  const Problem& problem = *collection.problem;
  need_removals_of_the_same(conflict, collection);
  answer.verdict = Verdict::violation;
  answer.reason = std::move(conflict.reason);
  std::erase_if(conflict.core, [&](OperationId op) { return !completed(problem, op); });
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

}  // namespace

void Conflict::needs(OperationId op) {
  if (op < kInitial) core.push_back(op);
}

Value Collection::value_of(const Element& e) const {
  return !e.is_operation() ? initial[e.add - kInitial]
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
  if (problem.specification->family() != rule->family())
    return not_for(rule->engine(), fmt::format("not a {}", to_string(rule->family())));
  if (problem.stuck) return not_for(rule->engine(), "the history is stuck");
  if (problem.origin) return not_for(rule->engine(), "it starts in the middle of a history");
  if (problem.chained()) return not_for(rule->engine(), "clocks make a process overlap itself");

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
    Reader reader(problem);
    if (!reader.read()) return not_for(rule->engine(), reader.reason);
    if (!reader.conflict.core.empty())
      return violation(std::move(answer), reader.collection(), std::move(reader.conflict));
    *collection = std::move(reader.collection());
    if (!may_hold(reader.bytes() + collection->bytes())) return answer;
  }
  rule->prepare(*collection);
  // Rules take three numbers an event at most.
  if (!may_hold(collection->bytes() + problem.events.size() * 12)) return answer;

  const bool named = std::any_of(collection->open.begin(), collection->open.end(),
                                 [](const auto& open) { return open.element != kNone; });
  if (!collection->open.empty() && (named || !rule->first_come_first_served())) {
    Assignment assignment(*collection, *rule, budget);
    const Verdict verdict = assignment.run();
    if (verdict == Verdict::undecided) {
      answer.reason = budget.exhausted()
                          ? describe_stop(budget)
                          : fmt::format("{} removals did not return: too many possibilities",
                                        collection->open.size());
      return answer;
    }
    if (verdict == Verdict::violation) {
      Conflict conflict;
      need_all(conflict, *collection, assignment.gathered());
      for (const OperationId op : assignment.empties()) conflict.needs(op);
      conflict.reason = fmt::format(
          "{} can not be explained, whatever the removals that did not "
          "return may have taken",
          collection->list(assignment.gathered()));
      return violation(std::move(answer), *collection, std::move(conflict));
    }
  } else {
    const auto staying =
        collection->open.empty() ? std::vector<std::uint32_t>{} : serve_in_order(*collection);
    if (auto conflict = rule->find_conflict(*collection)) {
      if (collection->open.empty()) {
        *conflict = shrink(*collection, *rule, std::move(*conflict));
        if (collection->rivals) need_all(*conflict, *collection, conflict->elements);
      } else {
        // The same ones are served in the same way if those before them are there as well.
        need_all(*conflict, *collection, conflict->elements);
        std::size_t last = 0;
        for (std::size_t k = 0; k < staying.size(); ++k)
          if (std::find(conflict->elements.begin(), conflict->elements.end(), staying[k]) !=
              conflict->elements.end())
            last = k + 1;
        need_all(*conflict, *collection,
                 {staying.begin(), staying.begin() + static_cast<std::ptrdiff_t>(last)});
        conflict->needs(conflict->empty);
      }
      return violation(std::move(answer), *collection, std::move(*conflict));
    }
  }

  answer.verdict = Verdict::holds;
  for (const Problem::Op& op : problem.ops) answer.covered += op.completed();
  answer.prove = [collection, rule] { return rule->make_order(*collection); };
  return answer;
}

// ---- For rules.

void Gaps::cover(std::uint32_t first, std::uint32_t last) {
  if (first > last) return;
  const std::uint64_t all = ~std::uint64_t{0};
  const std::uint64_t from = all << first % 64, to = all >> (63 - last % 64);
  if (first / 64 == last / 64) return put(first / 64, from & to);
  put(first / 64, from);
  for (std::uint32_t w = find(first / 64 + 1); w < last / 64; w = find(w + 1)) put(w, all);
  put(last / 64, to);
}

Gaps cores_of(const Collection& collection) {
  Gaps gaps(collection.end);
  for (const Element& e : collection.elements) gaps.cover(e.a + 1, std::min(e.b, collection.end));
  return gaps;
}

std::vector<std::uint32_t> cover_with_cores(const Collection& collection, std::uint32_t first,
                                            std::uint32_t last, const std::vector<bool>* among) {
  const auto& elements = collection.elements;
  std::vector<std::uint32_t> candidates, chosen;
  for (std::uint32_t i = 0; i < elements.size(); ++i)
    if (elements[i].has_core() && elements[i].a < last && elements[i].b >= first &&
        (!among || (*among)[i]))
      candidates.push_back(i);
  std::sort(candidates.begin(), candidates.end(),
            [&](std::uint32_t i, std::uint32_t j) { return elements[i].a < elements[j].a; });
  auto next = candidates.begin();
  while (first <= last && next != candidates.end()) {
    std::uint32_t furthest = *next;
    for (; next != candidates.end() && elements[*next].a < first; ++next)
      if (elements[*next].b > elements[furthest].b) furthest = *next;
    chosen.push_back(furthest);
    first = elements[furthest].b + 1;
  }
  return chosen;
}

std::optional<Conflict> find_covered_empty(const Collection& collection) {
  if (collection.empties.empty()) return {};
  Gaps covered = cores_of(collection);
  const Collection::Empty* found = nullptr;
  for (const Collection::Empty& empty : collection.empties)
    if (covered.first_open(empty.call + 1) > empty.ret && (!found || empty.ret < found->ret))
      found = &empty;
  if (!found) return {};
  Conflict conflict;
  conflict.empty = found->op;
  conflict.elements = cover_with_cores(collection, found->call + 1, found->ret);
  conflict.needs(found->op);
  for (const std::uint32_t i : conflict.elements) conflict.needs(collection.elements[i].add);
  conflict.reason =
      conflict.elements.size() == 1
          ? fmt::format("{} found nothing while {} was inside", collection.take_name(found->op),
                        collection.list(conflict.elements))
          : fmt::format("{} found nothing, but every moment of it is covered: {} overlap",
                        collection.take_name(found->op), collection.list(conflict.elements));
  return conflict;
}

std::vector<std::uint32_t> by_moment(const Collection& collection, std::uint32_t Element::*what) {
  std::vector<std::uint32_t> elements(collection.end, kNone);
  for (std::uint32_t i = 0; i < collection.elements.size(); ++i)
    if (const std::uint32_t moment = collection.elements[i].*what; moment < collection.end)
      elements[moment] = i;
  return elements;
}

std::vector<OperationId> weave(const Collection& collection,
                               const std::vector<std::uint32_t>& elements,
                               const std::vector<std::uint32_t>& in,
                               const std::vector<std::uint32_t>& out, Gaps& covered) {
  // For each gap a list of indices, in order.
  struct Lists {
    Lists(std::uint32_t gaps, std::size_t size) : first(gaps, kNone), next(size) {}
    void push_front(std::uint32_t gap, std::uint32_t i) { next[i] = first[gap], first[gap] = i; }
    std::vector<std::uint32_t> first, next;
  };
  const std::uint32_t gaps = collection.end + 1;
  const auto n = static_cast<std::uint32_t>(elements.size());
  const auto m = static_cast<std::uint32_t>(collection.empties.size());
  Lists coming(gaps, n), leaving(gaps, n), finding_nothing(m > 0 ? gaps : 0, m);
  for (std::uint32_t i = n; i-- > 0;) {
    if (in[i] != out[i]) coming.push_front(in[i], i);
    if (out[i] < gaps) leaving.push_front(out[i], i);
  }
  for (std::uint32_t i = m; i-- > 0;)
    finding_nothing.push_front(covered.first_open(collection.empties[i].call + 1), i);

  std::vector<OperationId> order;
  order.reserve(2 * n + m);
  const auto add = [&](const Element& e) {
    if (e.is_operation()) order.push_back(e.add);
  };
  for (std::uint32_t gap = 0; gap < gaps; ++gap) {
    for (std::uint32_t i = leaving.first[gap]; i != kNone; i = leaving.next[i]) {
      const Element& e = collection.elements[elements[i]];
      if (in[i] == out[i]) add(e);
      order.push_back(e.take);
    }
    if (m > 0)
      for (std::uint32_t i = finding_nothing.first[gap]; i != kNone; i = finding_nothing.next[i])
        order.push_back(collection.empties[i].op);
    for (std::uint32_t i = coming.first[gap]; i != kNone; i = coming.next[i])
      add(collection.elements[elements[i]]);
  }
  return order;
}

}  // namespace plumb
