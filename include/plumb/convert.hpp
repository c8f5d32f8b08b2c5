// SPDX-License-Identifier: MIT
// From values to C++ types and back, and the hash, the text and the size of a C++ state.
//
//   Convert<int>::from(Value::integer(7)) == 7
//   Convert<bool>::refuse(Value::integer(7)) == "a boolean"      // empty: it can be converted
//
// Types: Value, bool, integers, float and double, std::string, std::optional (nil), std::vector,
// std::pair and std::tuple (lists), std::set and std::multiset (lists in any order). Specialise
// Convert for a type of your own.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/value.hpp"

namespace plumb {

/// refuse(v): empty if `v` is one, else what was expected ("an integer"). from(v) requires that
/// v is not refused.
template <class T>
struct Convert;

/// A type for which there is a Convert.
template <class T>
concept Convertible = requires(const T& x) {
  Convert<T>::to(x);
};

template <>
struct Convert<Value> {
  static std::string refuse(Value) { return {}; }
  static Value from(Value v) { return v; }
  static Value to(Value v) { return v; }
};

template <>
struct Convert<bool> {
  static std::string refuse(Value v) { return v.is_boolean() ? "" : "a boolean"; }
  static bool from(Value v) { return v.as_boolean(); }
  static Value to(bool b) { return Value::boolean(b); }
};

template <std::integral T>
struct Convert<T> {
  static std::string refuse(Value v) {
    if (!v.is_integer()) return "an integer";
    if (std::in_range<T>(v.as_integer())) return {};
    return "an integer from " + std::to_string(std::numeric_limits<T>::min()) + " to " +
           std::to_string(std::numeric_limits<T>::max());
  }
  static T from(Value v) { return static_cast<T>(v.as_integer()); }
  static Value to(T i) { return Value::integer(static_cast<std::int64_t>(i)); }
};

template <std::floating_point T>
struct Convert<T> {
  static std::string refuse(Value v) {
    return v.is_integer() || v.kind() == Value::Kind::real ? "" : "a number";
  }
  static T from(Value v) {
    return static_cast<T>(v.is_integer() ? static_cast<double>(v.as_integer()) : v.as_real());
  }
  static Value to(T d) { return Value::real(static_cast<double>(d)); }
};

template <>
struct Convert<std::string> {
  static std::string refuse(Value v) { return v.is_string() ? "" : "a string"; }
  static std::string from(Value v) { return std::string(v.as_text()); }
  static Value to(const std::string& text) { return Value::string(text); }
};

template <Convertible T>
struct Convert<std::optional<T>> {
  static std::string refuse(Value v) {
    if (v.is_nil()) return {};
    std::string expected = Convert<T>::refuse(v);
    return expected.empty() ? expected : expected + " or null";
  }
  static std::optional<T> from(Value v) {
    if (v.is_nil()) return std::nullopt;
    return Convert<T>::from(v);
  }
  static Value to(const std::optional<T>& o) { return o ? Convert<T>::to(*o) : Value::nil(); }
};

namespace detail {

template <class Container>
struct ConvertContainer {
  using Item = typename Container::value_type;
  static std::string refuse(Value v) {
    if (!v.is_list()) return "a list";
    for (const Value item : v.as_list()) {
      const std::string expected = Convert<Item>::refuse(item);
      if (!expected.empty()) return "a list, each item of it " + expected;
    }
    return {};
  }
  static Container from(Value v) {
    Container all;
    for (const Value item : v.as_list()) all.insert(all.end(), Convert<Item>::from(item));
    return all;
  }
  static Value to(const Container& all) {
    std::vector<Value> items;
    for (const auto& item : all) items.push_back(Convert<Item>::to(item));
    return Value::list(items);
  }
};

template <class Tuple, class... Items>
struct ConvertTuple {
  static std::string refuse(Value v) {
    if (!v.is_list() || v.as_list().size() != sizeof...(Items))
      return "a list of " + std::to_string(sizeof...(Items));
    std::string expected;
    std::size_t i = 0;
    static_cast<void>((((expected = Convert<Items>::refuse(v.as_list()[i++])).empty()) && ...));
    if (expected.empty()) return {};
    return "a list whose item " + std::to_string(i) + " is " + expected;
  }
  static Tuple from(Value v) {
    return [items = v.as_list()]<std::size_t... I>(std::index_sequence<I...>) {
      return Tuple{Convert<Items>::from(items[I])...};
    }
    (std::index_sequence_for<Items...>());
  }
  static Value to(const Tuple& tuple) {
    return std::apply(
        [](const auto&... items) { return Value::list({Convert<Items>::to(items)...}); }, tuple);
  }
};

}  // namespace detail

template <Convertible T>
struct Convert<std::vector<T>> : detail::ConvertContainer<std::vector<T>> {};
template <Convertible T>
struct Convert<std::set<T>> : detail::ConvertContainer<std::set<T>> {};
template <Convertible T>
struct Convert<std::multiset<T>> : detail::ConvertContainer<std::multiset<T>> {};
template <Convertible A, Convertible B>
struct Convert<std::pair<A, B>> : detail::ConvertTuple<std::pair<A, B>, A, B> {};
template <Convertible... T>
struct Convert<std::tuple<T...>> : detail::ConvertTuple<std::tuple<T...>, T...> {};

namespace detail {

// What makes a state out of the tuple that state() returns: scalars, values, strings, optionals,
// tuples, and every container with begin() and end().

template <class T>
concept TupleLike = requires {
  std::tuple_size<T>::value;
};
template <class T>
concept OptionalLike = requires(const T& o) {
  o.has_value();
  *o;
};
/// (A path consists of paths: that is no way to tell it.)
template <class T>
concept Iterable = requires(const T& c) {
  c.begin();
  c.end();
  requires !std::is_same_v<std::decay_t<decltype(*c.begin())>, T>;
};
template <class T>
concept HasState = requires(const T& t) {
  t.state();
};
template <class T>
concept MapLike = Iterable<T> && requires {
  typename T::mapped_type;
};
template <class T>
concept DequeLike = Iterable<T> && requires(const T& c) {
  c[0];
} && requires(T& c) { c.pop_front(); };
template <class T>
concept SetLike = Iterable<T> && requires {
  typename T::key_type;
};
template <class T>
concept Unordered = Iterable<T> && requires {
  typename T::hasher;
};

/// Whether hash_of and text_of know the type.
template <class T>
constexpr bool is_known() {
  if constexpr (std::is_void_v<T>) {
    return false;
  } else if constexpr (HasState<T>) {
    return is_known<std::decay_t<decltype(std::declval<const T&>().state())>>();
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, Value> ||
                       std::is_convertible_v<const T&, std::string_view>) {
    return true;
  } else if constexpr (OptionalLike<T>) {
    return is_known<std::decay_t<decltype(*std::declval<const T&>())>>();
  } else if constexpr (Iterable<T>) {
    return is_known<std::decay_t<decltype(*std::declval<const T&>().begin())>>();
  } else if constexpr (TupleLike<T>) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (is_known<std::decay_t<std::tuple_element_t<I, T>>>() && ...);
    }
    (std::make_index_sequence<std::tuple_size_v<T>>());
  } else {
    return false;
  }
}

constexpr std::uint64_t combine(std::uint64_t seed, std::uint64_t hash) {
  seed = (seed ^ hash) * 0x9e3779b97f4a7c15u;
  return seed ^ seed >> 32;
}

template <class T>
std::uint64_t hash_of(const T& x) {
  if constexpr (HasState<T>) {
    return hash_of(x.state());
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return combine(1, std::hash<T>()(x));
  } else if constexpr (std::is_same_v<T, Value>) {
    return x.hash();
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return std::hash<std::string_view>()(x);
  } else if constexpr (OptionalLike<T>) {
    return x.has_value() ? combine(2, hash_of(*x)) : 3;
  } else if constexpr (Iterable<T>) {
    std::uint64_t hash = 4;
    for (const auto& item : x) {
      // Equal ones may have their items in different orders.
      if constexpr (Unordered<T>) hash += combine(4, hash_of(item));
      else hash = combine(hash, hash_of(item));
    }
    return hash;
  } else {
    static_assert(TupleLike<T>, "state() holds a type that plumb cannot hash");
    std::uint64_t hash = 5;
    std::apply([&](const auto&... items) { ((hash = combine(hash, hash_of(items))), ...); }, x);
    return hash;
  }
}

// Texts differ where what they are of differs, and two that are equal have one text.

template <class T>
std::string number_text(T x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    static_assert(sizeof(T) <= sizeof(long long));
    if constexpr (std::is_signed_v<T>) return std::to_string(static_cast<long long>(x));
    else return std::to_string(static_cast<unsigned long long>(x));
  } else {
    if (std::isnan(x)) return "nan";
    if (x == 0) return "0.0";  // whatever its sign
    char buffer[64];           // as short as it can be told from all others of its type
    std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
  }
}

/// Of an optional that holds what is called `text`. An empty one is called null; if this may also
/// be the name of what is held, it is put in brackets, and so is what then looks like that.
template <class Held>
std::string held_text(std::string text) {
  if constexpr (Iterable<Held> && !OptionalLike<Held> && !HasState<Held>) return text;
  const std::size_t depth = std::min(text.find_first_not_of('['), text.size());
  const std::string brackets(depth, ']');
  return std::string_view(text).substr(depth) == "null" + brackets ? "[" + text + "]" : text;
}

/// The items of a C.
template <class C>
std::string joined(std::vector<std::string> items) {
  if constexpr (Unordered<C>) std::sort(items.begin(), items.end());
  std::string all;
  for (std::size_t i = 0; i < items.size(); ++i) all += (i == 0 ? "" : ",") + items[i];
  return all;
}

template <class T>
std::string text_of(const T& x) {
  if constexpr (HasState<T>) {
    return text_of(x.state());
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<std::underlying_type_t<T>>(x));
  } else if constexpr (std::is_same_v<T, Value>) {
    return x.to_string();
  } else if constexpr (std::is_arithmetic_v<T>) {
    return number_text(x);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    if constexpr (std::is_pointer_v<T>) {
      if (x == nullptr) return "null";
    }
    return Value::quoted(x);
  } else if constexpr (OptionalLike<T>) {
    return x.has_value() ? held_text<std::decay_t<decltype(*x)>>(text_of(*x)) : "null";
  } else if constexpr (Iterable<T>) {
    std::vector<std::string> items;
    for (const auto& item : x) {
      if constexpr (MapLike<T>) items.push_back(text_of(item.first) + ":" + text_of(item.second));
      else items.push_back(text_of(item));
    }
    const std::string all = joined<T>(std::move(items));
    return SetLike<T> ? "{" + all + "}" : "[" + all + "]";
  } else if constexpr (std::tuple_size_v<T> == 1) {
    return text_of(std::get<0>(x));
  } else {
    std::string all;
    std::apply(
        [&](const auto&... items) { ((all += (all.empty() ? "" : ",") + text_of(items)), ...); },
        x);
    return "(" + all + ")";
  }
}

/// What it holds outside of itself, in bytes: an estimate.
template <class T>
std::size_t heap_bytes_of(const T& x) {
  if constexpr (HasState<T>) {
    return heap_bytes_of(x.state());
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return std::string_view(x).size();
  } else if constexpr (OptionalLike<T>) {
    return x.has_value() ? heap_bytes_of(*x) : 0;
  } else if constexpr (Iterable<T>) {
    constexpr std::size_t kBlock = 16;  // what malloc adds to what it is asked for
    constexpr std::size_t kNode = SetLike<T> ? 32 + kBlock : 0;  // of a balanced tree
    std::size_t bytes = kBlock;
    if constexpr (DequeLike<T>) bytes += 576 + kBlock;  // even when it is empty
    for (const auto& item : x) bytes += sizeof(item) + kNode + heap_bytes_of(item);
    return bytes;
  } else if constexpr (TupleLike<T>) {
    return std::apply(
        [](const auto&... items) { return (std::size_t{0} + ... + heap_bytes_of(items)); }, x);
  } else {
    return 0;
  }
}

}  // namespace detail
}  // namespace plumb
