// SPDX-License-Identifier: MIT
#include "spec/reference.hpp"

#include <algorithm>

#include "spec/families.hpp"

namespace plumb {

std::optional<std::size_t> Reference::arity(Family family, const Method& method) {
  const Role role = method.role;
  const std::size_t key = kKeyed.contains(family) ? 1 : 0;
  const bool is_cell = family == Family::cell || (key && family != Family::set);
  const bool is_collection = kCollections.contains(family);
  const bool has_members = family == Family::set || family == Family::map;
  const bool has_permits = family == Family::mutex || family == Family::semaphore;
  switch (role) {
    case Role::none: return std::nullopt;
    case Role::reads:
      if (is_cell) return key;
      if (family == Family::counter || family == Family::semaphore) return 0;
      return std::nullopt;
    case Role::writes:
      if (is_cell) return key + 1;
      return family == Family::counter ? std::optional<std::size_t>(1) : std::nullopt;
    case Role::swaps: return is_cell ? std::optional(key + 2) : std::nullopt;
    case Role::adds:
      return is_collection || family == Family::set ? std::optional<std::size_t>(1) : std::nullopt;
    case Role::takes:
    case Role::peeks: return is_collection ? std::optional<std::size_t>(0) : std::nullopt;
    case Role::removes:
    case Role::contains: return has_members ? std::optional<std::size_t>(1) : std::nullopt;
    case Role::counts:
      return is_collection || has_members ? std::optional<std::size_t>(0) : std::nullopt;
    case Role::increments:
    case Role::decrements:
      if (family != Family::counter) return std::nullopt;
      return std::min<std::size_t>(method.args.size(), 1);
    case Role::acquires:
    case Role::releases: return has_permits ? std::optional<std::size_t>(0) : std::nullopt;
  }
  return std::nullopt;
}

std::vector<Reference::Outcome> Reference::run(const Method& method,
                                               std::span<const Value> args) const {
  switch (family_) {
    case Family::queue:
    case Family::stack:
    case Family::max_priority_queue:
    case Family::min_priority_queue:
    case Family::bag: return run_collection(method, args);
    case Family::set: return run_set(method.role, args);
    case Family::counter: return run_counter(method, args);
    case Family::mutex:
    case Family::semaphore: return run_permits(method);
    case Family::cell:
    case Family::array:
    case Family::map:
    case Family::multi_register: return run_cell(method, args);
    case Family::none: break;
  }
  return {};
}

std::vector<Reference::Outcome> Reference::run_cell(const Method& method,
                                                    std::span<const Value> args) const {
  const Value key = kKeyed.contains(family_) && !args.empty() ? args[0] : Value::nil();
  const auto at = cells_.find(key);
  const Value now = at == cells_.end() ? default_ : at->second;
  Reference after = *this;
  switch (method.role) {
    case Role::reads: return {{now, after}};
    case Role::writes: after.cells_[key] = args.back(); return {{Value::nil(), after}};
    case Role::swaps:
      if (now != args[args.size() - 2]) return {{Value::boolean(false), after}};
      after.cells_[key] = args.back();
      return {{Value::boolean(true), after}};
    case Role::removes: after.cells_.erase(key); [[fallthrough]];
    case Role::contains: return {{Value::boolean(at != cells_.end()), after}};
    default: return {{Value::integer(static_cast<std::int64_t>(cells_.size())), after}};
  }
}

std::vector<Reference::Outcome> Reference::run_set(Role role, std::span<const Value> args) const {
  Reference after = *this;
  if (role == Role::counts)
    return {{Value::integer(static_cast<std::int64_t>(items_.size())), after}};
  const auto at = std::lower_bound(items_.begin(), items_.end(), args[0]);
  const bool is_there = at != items_.end() && *at == args[0];
  if (role == Role::adds && !is_there) after.put(args[0]);
  if (role == Role::removes && is_there)
    after.items_.erase(after.items_.begin() + (at - items_.begin()));
  return {{Value::boolean(is_there != (role == Role::adds)), after}};
}

void Reference::put(Value item) {
  const bool in_order = family_ == Family::queue || family_ == Family::stack;
  const auto at = in_order ? items_.end() : std::upper_bound(items_.begin(), items_.end(), item);
  if (family_ == Family::set && at != items_.begin() && *(at - 1) == item) return;
  items_.insert(at, item);
}

std::vector<Value> Reference::next_to_leave() const {
  if (items_.empty()) return {};
  switch (family_) {
    case Family::queue:
    case Family::min_priority_queue: return {items_.front()};
    case Family::bag: {
      std::vector<Value> any = items_;
      any.erase(std::unique(any.begin(), any.end()), any.end());
      return any;
    }
    default: return {items_.back()};
  }
}

std::vector<Reference::Outcome> Reference::run_collection(const Method& method,
                                                          std::span<const Value> args) const {
  Reference after = *this;
  if (method.role == Role::counts)
    return {{Value::integer(static_cast<std::int64_t>(items_.size())), after}};
  if (method.role == Role::adds) {
    after.put(args[0]);
    return {{Value::nil(), after}};
  }
  if (items_.empty() && method.blocks) return {};
  if (items_.empty()) return {{Value::nil(), after}};
  std::vector<Outcome> outcomes;
  for (const Value v : next_to_leave()) {
    outcomes.push_back({v, *this});
    auto& rest = outcomes.back().after.items_;
    // Of equal values the one that leaves next: the first, or the last of a stack.
    if (method.role == Role::peeks) continue;
    if (family_ == Family::stack) rest.pop_back();
    else rest.erase(std::find(rest.begin(), rest.end(), v));
  }
  return outcomes;
}

std::vector<Reference::Outcome> Reference::run_counter(const Method& method,
                                                       std::span<const Value> args) const {
  Reference after = *this;
  const Value before = Value::integer(number_);
  if (method.role == Role::reads) return {{before, after}};
  if (method.role == Role::writes) {
    after.number_ = args[0].as_integer();
    return {{Value::nil(), after}};
  }
  const std::int64_t by = args.empty() ? 1 : args[0].as_integer();
  after.number_ += method.role == Role::increments ? by : -by;
  return {{method.returns_nothing ? Value::nil() : before, after}};
}

std::vector<Reference::Outcome> Reference::run_permits(const Method& method) const {
  Reference after = *this;
  if (method.role == Role::reads) return {{Value::integer(number_), after}};
  if (method.role == Role::releases) {
    if (family_ == Family::mutex && number_ == 1) return {};
    ++after.number_;
    return {{Value::nil(), after}};
  }
  const bool waits = method.returns_nothing;
  if (number_ == 0 && waits) return {};
  if (number_ == 0) return {{Value::boolean(false), after}};
  --after.number_;
  return {{waits ? Value::nil() : Value::boolean(true), after}};
}

}  // namespace plumb
