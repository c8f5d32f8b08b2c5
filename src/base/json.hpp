// SPDX-License-Identifier: MIT
// JSON that is written: a tree, made in place and printed once. Everybody who writes JSON uses it,
// so that it looks the same everywhere and a parser is compiled only where JSON is read
// (json_reader.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace plumb {

struct JsonStyle {
  bool ascii = false;  // all other characters are escaped by their numbers
};

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;
  Json(std::nullptr_t) {}
  template <std::same_as<bool> T>  // and no pointer, which would become one
  Json(T value) : content_(value) {}
  Json(double value) : content_(value) {}
  template <std::signed_integral T>
  Json(T value) : content_(std::int64_t{value}) {}
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) Json(T value) : content_(std::uint64_t{value}) {}
  Json(std::string value) : content_(std::move(value)) {}
  Json(std::string_view value) : content_(std::string(value)) {}
  Json(const char* value) : content_(std::string(value)) {}
  Json(Array items) : content_(std::move(items)) {}
  Json(Object members) : content_(std::move(members)) {}
  template <class T>
  requires std::convertible_to<const T&, Json> Json(const std::vector<T>& items)
      : content_(Array(items.begin(), items.end())) {}

  static Json array(Array items = {}) { return items; }
  static Json object(Object members = {}) { return members; }

  /// The member of that name; it is added where there is none. Null becomes an object.
  Json& operator[](std::string_view name);
  /// Null becomes an array.
  void push_back(Json item);
  Json& back() { return std::get<Array>(content_).back(); }
  /// Items or members; 0 of all else.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  // ---- what was read (json_reader.hpp); null pointers where it is something else

  bool is_object() const { return members() != nullptr; }
  const Object* members() const { return std::get_if<Object>(&content_); }
  Object* members() { return std::get_if<Object>(&content_); }
  const Array* items() const { return std::get_if<Array>(&content_); }
  const std::string* text() const { return std::get_if<std::string>(&content_); }
  const bool* flag() const { return std::get_if<bool>(&content_); }
  /// An integer from 0 on, whether it was made signed or not.
  std::optional<std::uint64_t> count() const;
  const double* real() const { return std::get_if<double>(&content_); }
  /// Null: this is no object, or has no such member.
  const Json* find(std::string_view name) const;
  /// The text, or the items, of that member; empty where there is none.
  std::string_view text(std::string_view name) const;
  const Array& items(std::string_view name) const;

  /// Text that is not UTF-8 has U+FFFD in its place.
  std::string dump(const JsonStyle& style = {}) const;

 private:
  friend class JsonPrinter;
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      content_;
};

}  // namespace plumb
