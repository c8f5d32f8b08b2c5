// SPDX-License-Identifier: MIT
// Families that have something in common.
#pragma once

#include <cstdint>

#include "plumb/specification.hpp"

namespace plumb {

/// A set of families, for tables.
class Families {
 public:
  template <class... F>
  constexpr explicit Families(F... families) : bits_((0u | ... | bit(families))) {}
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool contains(Family family) const { return (bits_ & bit(family)) != 0; }

 private:
  static constexpr std::uint32_t bit(Family family) {
    return std::uint32_t{1} << static_cast<unsigned>(family);
  }
  std::uint32_t bits_;
};

/// One value at a time, for each key.
inline constexpr Families kCells(Family::cell, Family::array, Family::map);
/// Values come, wait, and leave once.
inline constexpr Families kCollections(Family::queue, Family::stack, Family::max_priority_queue,
                                       Family::min_priority_queue, Family::bag);
/// A number that goes up and down.
inline constexpr Families kNumbers(Family::counter, Family::mutex, Family::semaphore);
/// Its first argument is a key: what concerns other keys does not matter.
inline constexpr Families kKeyed(Family::array, Family::map, Family::multi_register, Family::set);

/// For the scope of a report: why the family that a specification claims is not used; else empty.
std::string refused_family_note(const Specification& specification);

/// What a collection starts with: nothing, unless its specification says otherwise (which is then
/// checked, as all of a family is). Empty optional: not known.
inline std::optional<std::vector<Value>> initial_content(const Specification& collection,
                                                         std::optional<Value> initial) {
  auto content = collection.initial_values(initial);
  if (!content && !initial) content.emplace();
  return content;
}

/// Whether the operation does nothing but add, remove or look at values one by one (or write and
/// read them): then a value that is put in and never seen explains nothing.
inline bool moves_values(Family family, Role role) {
  if (kCollections.contains(family))
    return role == Role::adds || role == Role::takes || role == Role::peeks;
  return kCells.contains(family) && (role == Role::writes || role == Role::reads);
}

/// What a label does in a collection. Requires: kCollections.contains(its family).
struct Movement {
  std::optional<Value> comes, leaves;
  bool found_nothing = false;
};
inline Movement movement(const Specification& collection, const BoundLabel& label) {
  const Role role = collection.methods()[label.method].role;
  Movement out;
  if (role == Role::adds) out.comes = label.args[0];
  if (role != Role::takes || !label.known) return out;
  if (label.result.is_nil()) out.found_nothing = true;
  else out.leaves = label.result;
  return out;
}

}  // namespace plumb
