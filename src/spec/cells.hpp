// SPDX-License-Identifier: MIT
// What register, array, multi-register and map have in common: cells that hold one value each.
#pragma once

#include <span>
#include <vector>

#include "plumb/describe.hpp"

namespace plumb {

inline Traffic observes_value(std::span<const Value>, Value result, bool known) {
  if (!known) return {};
  return {.adds = {}, .observes = result, .removes = false};
}

/// A compare-and-set whose arguments start at kFirst.
template <std::size_t kFirst>
Traffic cas_traffic(std::span<const Value> args, Value result, bool known) {
  if (!known) return {.adds = args[kFirst + 1], .observes = {}, .removes = false};
  if (!result.as_boolean()) return {};
  return {.adds = args[kFirst + 1], .observes = args[kFirst], .removes = false};
}

/// It changes nothing if it failed, or if it replaced a value by itself.
template <std::size_t kFirst>
bool cas_is_pure(std::span<const Value> args, Value result) {
  return !result.as_boolean() || args[kFirst] == args[kFirst + 1];
}
inline constexpr char kCasIsPure[] = "if false, or if expect = new";

/// The only value at the start: the given one, or else this integer.
template <int kDefault>
std::vector<Value> one_value(std::optional<Value> initial) {
  return {initial.value_or(Value::integer(kDefault))};
}

}  // namespace plumb
