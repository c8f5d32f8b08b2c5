// SPDX-License-Identifier: MIT
// What the objects of each family do, role by role: what a specification that claims a family is
// compared with. Simple rather than fast, and written apart from the specifications.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "plumb/specification.hpp"

namespace plumb {

class Reference {
 public:
  explicit Reference(Family family) : family_(family) {}

  /// What it starts with.
  void put(Value item);                                       // collections and sets
  void set_default(Value value) { default_ = value; }         // what cells read as at first
  void set_number(std::int64_t number) { number_ = number; }  // a count, or permits

  struct Outcome;
  /// Every way in which the method can return; none: it blocks.
  /// Requires: arity(family, method) is that many.
  std::vector<Outcome> run(const Method& method, std::span<const Value> args) const;

  /// How many arguments a method with that role takes; nothing: objects of that family have none.
  static std::optional<std::size_t> arity(Family family, const Method& method);

  auto operator<=>(const Reference&) const = default;

 private:
  std::vector<Outcome> run_cell(const Method& method, std::span<const Value> args) const;
  std::vector<Outcome> run_set(Role role, std::span<const Value> args) const;
  std::vector<Outcome> run_collection(const Method& method, std::span<const Value> args) const;
  std::vector<Outcome> run_counter(const Method& method, std::span<const Value> args) const;
  std::vector<Outcome> run_permits(const Method& method) const;
  std::vector<Value> next_to_leave() const;

  Family family_;
  std::vector<Value> items_;      // oldest first; of sets, bags and priority queues sorted
  std::map<Value, Value> cells_;  // by key: those that were written
  Value default_;                 // what the others read as
  std::int64_t number_ = 0;
};

struct Reference::Outcome {
  Value result;
  Reference after;
};

}  // namespace plumb
