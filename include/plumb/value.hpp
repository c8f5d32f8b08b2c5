// SPDX-License-Identifier: MIT
// Values: what operations take and return. 64 bits, cheap to copy, compare and hash.
//
//   Value v = Value::integer(7);
//   Value s = Value::string("x");             // interned: equal strings share one node
//   Value l = Value::list({v, s});
//   v.to_string()  == "7",  l.to_string() == "[7,\"x\"]"
//
// Nil, booleans and integers of up to 61 bits live in the word itself; everything else points to
// an immutable node that is interned for the life of the process, so equality is one comparison.
// Thread safety: all functions may be called from any thread.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "plumb/export.hpp"

namespace plumb {

/// Nil, a boolean, an integer, or an interned string, list or real: 64 bits, compared as a word.
class PLUMB_API Value {
 public:
  /// In the order in which values of different kinds compare.
  enum class Kind : std::uint8_t { nil, boolean, integer, real, string, list, opaque };

  constexpr Value() = default;  // nil
  static constexpr Value nil() { return Value(); }
  static constexpr Value boolean(bool b) { return Value(kBoolean | (b ? 8u : 0u)); }
  static Value integer(std::int64_t i) {
    const std::int64_t inlined = static_cast<std::int64_t>(static_cast<std::uint64_t>(i) << 3) >> 3;
    return inlined == i ? Value((static_cast<std::uint64_t>(i) << 3) | kInteger) : wide_integer(i);
  }
  static Value real(double d);
  static Value string(std::string_view text);
  static Value list(std::span<const Value> items);
  static Value list(std::initializer_list<Value> items) {
    return list(std::span<const Value>(items.begin(), items.size()));
  }
  /// A value of the input that Plumb does not look into (a JSON object, say), kept as its text.
  static Value opaque(std::string_view text);

  Kind kind() const;
  bool is_nil() const { return bits_ == 0; }
  bool is_boolean() const { return (bits_ & 7) == kBoolean; }
  bool is_integer() const { return (bits_ & 7) == kInteger || kind() == Kind::integer; }
  bool is_string() const { return kind() == Kind::string; }
  bool is_list() const { return kind() == Kind::list; }

  /// Requires: the value is of that kind.
  bool as_boolean() const { return bits_ & 8; }
  std::int64_t as_integer() const {
    return (bits_ & 7) == kInteger ? static_cast<std::int64_t>(bits_) >> 3 : as_wide_integer();
  }
  double as_real() const;
  std::string_view as_text() const;  // string or opaque
  std::span<const Value> as_list() const;

  /// JSON text, except that an opaque value prints as it was read.
  std::string to_string() const;
  /// What string(text).to_string() is, without keeping it.
  static std::string quoted(std::string_view text);

  /// Depends on the contents only, never on addresses.
  std::uint64_t hash() const;

  friend bool operator==(Value a, Value b) { return a.bits_ == b.bits_; }
  /// A total order: by kind, then by contents. Integers and reals compare as numbers, exactly; 1
  /// comes before 1.0.
  friend std::strong_ordering operator<=>(Value a, Value b) { return a.compare(b); }

  /// How much memory interned values take: part of every memory budget.
  static std::size_t interned_bytes();

 private:
  struct Node;
  static constexpr std::uint64_t kBoolean = 1, kInteger = 2, kNode = 3;
  explicit constexpr Value(std::uint64_t bits) : bits_(bits) {}
  static Value wide_integer(std::int64_t i);
  std::int64_t as_wide_integer() const;
  const Node* node() const { return reinterpret_cast<const Node*>(bits_ & ~std::uint64_t{7}); }
  static Value intern(Kind kind, std::uint64_t hash, std::string_view text,
                      std::span<const Value> items, std::uint64_t word);
  std::strong_ordering compare(Value other) const;

  std::uint64_t bits_ = 0;
};

/// The same, but 1 and 1.0 are equivalent, also inside of lists.
PLUMB_API std::weak_ordering compare_numbers(Value a, Value b);

}  // namespace plumb

template <>
struct std::hash<plumb::Value> {
  std::size_t operator()(plumb::Value v) const { return v.hash(); }
};
