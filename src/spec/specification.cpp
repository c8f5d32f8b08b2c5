// SPDX-License-Identifier: MIT
#include "plumb/specification.hpp"

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

}  // namespace plumb
