// SPDX-License-Identifier: MIT
#include "plumb/family.hpp"

#include <fmt/format.h>

#include "spec/families.hpp"

namespace plumb {

std::string_view to_string(Family family) {
  switch (family) {
    case Family::none: return "none";
    case Family::cell: return "register";
    case Family::array: return "array";
    case Family::map: return "map";
    case Family::multi_register: return "multi-register";
    case Family::set: return "set";
    case Family::queue: return "queue";
    case Family::stack: return "stack";
    case Family::max_priority_queue: return "priority queue";
    case Family::min_priority_queue: return "priority queue (smallest first)";
    case Family::bag: return "bag";
    case Family::counter: return "counter";
    case Family::mutex: return "mutex";
    case Family::semaphore: return "semaphore";
  }
  return "?";
}

std::string_view to_string(Role role) {
  switch (role) {
    case Role::none: return "none";
    case Role::reads: return "reads";
    case Role::writes: return "writes";
    case Role::swaps: return "swaps";
    case Role::adds: return "adds";
    case Role::takes: return "takes";
    case Role::peeks: return "peeks";
    case Role::removes: return "removes";
    case Role::contains: return "contains";
    case Role::counts: return "counts";
    case Role::increments: return "increments";
    case Role::decrements: return "decrements";
    case Role::acquires: return "acquires";
    case Role::releases: return "releases";
  }
  return "?";
}

std::string refused_family_note(const Specification& s) {
  if (s.refused_family().empty()) return {};
  return fmt::format("{} is not the {} that it is described as: {}", s.name(),
                     to_string(s.claimed_family()), s.refused_family());
}

}  // namespace plumb
