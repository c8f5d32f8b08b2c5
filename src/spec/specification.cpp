// SPDX-License-Identifier: MIT
#include "plumb/specification.hpp"

#include "spec/conformance.hpp"
#include "spec/names.hpp"

namespace plumb {

StateSpace::~StateSpace() = default;
Replay::~Replay() = default;
Specification::~Specification() = default;

std::optional<MethodId> Specification::find(std::string_view method) const {
  const auto all = methods();
  for (MethodId id = 0; id < all.size(); ++id) {
    if (same_name(all[id].name, method)) return id;
    for (const std::string& alias : all[id].aliases)
      if (same_name(alias, method)) return id;
  }
  return std::nullopt;
}

std::optional<MethodId> Specification::find(Role role) const {
  const auto all = methods();
  for (MethodId id = 0; id < all.size(); ++id)
    if (all[id].role == role) return id;
  return std::nullopt;
}

void Specification::check_family() const {
  std::call_once(family_is_checked_, [this] {
    const Family claimed = claimed_family();
    if (claimed == Family::none) return;
    // Those that come with Plumb are checked by its tests, once, not by every run.
    if (find_specification(name()) != this) refused_family_ = why_not_of_family(*this, claimed);
    if (refused_family_.empty()) family_ = claimed;
  });
}

Family Specification::family() const {
  check_family();
  return family_;
}

const std::string& Specification::refused_family() const {
  check_family();
  return refused_family_;
}

}  // namespace plumb
