// SPDX-License-Identifier: MIT
// What queue, stack, priority queue, bag and set have in common: elements.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/describe.hpp"

namespace plumb {

/// An element of a container: any value but nil, which is the answer of an empty container.
struct Item {
  Value value;
};

template <>
struct Convert<Item> {
  static std::string refuse(Value v) {
    return v.is_nil() ? "a value other than null (which means empty)" : "";
  }
  static Item from(Value v) { return {v}; }
  static Value to(Item item) { return item.value; }
};

/// A container's initial value is the list of its elements; nil is an empty one.
using InitialItems = std::optional<std::vector<Item>>;

inline std::vector<Value> values_of(const InitialItems& items) {
  std::vector<Value> values;
  if (items)
    for (const Item item : *items) values.push_back(item.value);
  return values;
}

/// For Description::initial_values().
inline std::vector<Value> listed_values(std::optional<Value> initial) {
  if (!initial || initial->is_nil()) return {};
  return {initial->as_list().begin(), initial->as_list().end()};
}

}  // namespace plumb
