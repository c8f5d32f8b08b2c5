// SPDX-License-Identifier: MIT
#include "check/monitors/collection_reader.hpp"

#include <algorithm>

#include "spec/families.hpp"

namespace plumb {

bool CollectionReader::decline(std::string why) {
  reason = std::move(why);
  return false;
}

bool CollectionReader::read_labels() {
  const auto methods = problem_.specification->methods();
  codes_.reserve(problem_.labels.size());
  for (const BoundLabel& label : problem_.labels) {
    const Role role = methods[label.method].role;
    if (role == Role::adds) {
      codes_.push_back(numbers_.number(label.args[0]) << 1);
    } else if (role != Role::takes) {
      return decline(methods[label.method].name + " is neither an add nor a removal");
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

void CollectionReader::add(std::uint32_t number, std::uint32_t l, std::uint32_t a, OperationId op) {
  const auto element = static_cast<std::uint32_t>(out_.elements.size());
  if (element_of_[number] == kNone) element_of_[number] = element;
  else added_again_.emplace_back(number, element);
  out_.elements.push_back({l, a, 0, 0, op, kNone});
  out_.elements.back().stay(out_.end);
}

bool CollectionReader::read_initial() {
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
  for (std::uint32_t i = 0; i < n; ++i) add(number[i], 2 * i, 2 * i + 1, Element::kInitial | i);
  return true;
}

bool CollectionReader::read_adds() {
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

bool CollectionReader::is_added_again(std::uint32_t number) const {
  const auto at = std::lower_bound(added_again_.begin(), added_again_.end(),
                                   std::pair<std::uint32_t, std::uint32_t>{number, 0});
  return at != added_again_.end() && at->first == number;
}

bool CollectionReader::read_takes() {
  for (OperationId id = 0; id < problem_.ops.size(); ++id) {
    const Problem::Op& op = problem_.ops[id];
    const std::uint32_t code = codes_[op.label];
    if (code < kFoundNothing && !(code & 1)) continue;
    const std::uint32_t call = op.call + out_.shift, ret = op.ret + out_.shift;
    if (code == kFoundNothing) {
      if (op.completed()) out_.empties.push_back({id, call, ret});
    } else if (code == kTookSomething) {
      if (op.completed())
        return decline(std::string(out_.take_name(id)) + " has no recorded result");
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
bool CollectionReader::tell_apart() {
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
    if (!tell_apart(number, elements, takes)) return false;
  }
  std::sort(out_.again.begin(), out_.again.end());
  return true;
}

bool CollectionReader::tell_apart(std::uint32_t number, const std::vector<std::uint32_t>& elements,
                                  const std::vector<OperationId>& takes) {
  if (takes.size() > elements.size() || takes.size() + 1 < elements.size())
    return not_apart(number);
  for (std::size_t i = 0; i < takes.size(); ++i) {
    const Problem::Op& op = problem_.ops[takes[i]];
    const std::uint32_t ret = op.ret + out_.shift;
    if (i + 1 < elements.size() && ret > out_.elements[elements[i + 1]].l) return not_apart(number);
    Element& e = out_.elements[elements[i]];
    if (ret < e.l)
      note({takes.begin(), takes.begin() + static_cast<std::ptrdiff_t>(i) + 1},
           numbers_[number].to_string() + " was taken before it was added");
    e.leave(takes[i], op.call + out_.shift, ret);
  }
  for (const OperationId op : takes) out_.again.emplace_back(numbers_[number], op);
  return true;
}

bool CollectionReader::not_apart(std::uint32_t number) {
  return decline("the value " + numbers_[number].to_string() +
                 " is added again while it may be inside");
}

void CollectionReader::take(OperationId id, std::uint32_t element, Value v) {
  const Problem::Op& op = problem_.ops[id];
  if (element == kNone) return note({id}, "no operation had added " + v.to_string());
  Element& e = out_.elements[element];
  if (!e.stays()) return note({e.take, id}, v.to_string() + " was taken twice");
  if (op.ret + out_.shift < e.l)
    return note({id}, v.to_string() + " was taken before it was added");
  e.leave(id, op.call + out_.shift, op.ret + out_.shift);
}

// A violation; the first of them stays.
void CollectionReader::note(std::vector<OperationId> core, std::string why) {
  const auto last = [this](const std::vector<OperationId>& ops) {
    std::uint32_t ret = 0;
    for (const OperationId op : ops) ret = std::max(ret, problem_.ops[op].ret);
    return ret;
  };
  if (!conflict.core.empty() && last(conflict.core) <= last(core)) return;
  conflict.core = std::move(core);
  conflict.reason = std::move(why);
}

// Leaves out elements that need not exist, and removals that cannot be.
void CollectionReader::tidy() {
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

}  // namespace plumb
