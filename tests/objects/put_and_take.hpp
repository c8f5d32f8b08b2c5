// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <type_traits>

namespace plumb::objects {

// Every family has its own words for the same two things.

/// Returns: whether there was room. Where there are priorities, the value is its own.
template <class Object>
bool put(Object& object, int value) {
  const auto call = [&](auto method) {
    if constexpr (std::is_void_v<decltype(method())>) return method(), true;
    else return method();
  };
  if constexpr (requires { object.enq(value); }) return call([&] { return object.enq(value); });
  else if constexpr (requires { object.enq(value, value); }) return object.enq(value, value), true;
  else if constexpr (requires { object.push(value); })
    return call([&] { return object.push(value); });
  else if constexpr (requires { object.enqueue(value); }) return object.enqueue(value), true;
  else if constexpr (requires { object.add_last(value); }) return object.add_last(value), true;
  else return object.add(value), true;
}

template <class Object>
std::optional<int> take(Object& object) {
  if constexpr (requires { object.deq(); }) return object.deq();
  else if constexpr (requires { object.deq_min(); }) return object.deq_min();
  else if constexpr (requires { object.pop(); }) return object.pop();
  else if constexpr (requires { object.try_dequeue(); }) return object.try_dequeue();
  else if constexpr (requires { object.try_pop(); }) return object.try_pop();
  else if constexpr (requires { object.try_take(); }) return object.try_take();
  else if constexpr (requires { object.poll_first(); }) return object.poll_first();
  else if constexpr (requires { object.take_first(); }) return object.take_first();
  else return object.remove_min();
}

}  // namespace plumb::objects
