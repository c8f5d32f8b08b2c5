// SPDX-License-Identifier: MIT
#include "history/json_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "history/print.hpp"

namespace plumb {

using simdjson::dom::element;
using simdjson::dom::element_type;

namespace {

// Writes into one string whatever the depth: nested objects are neither copied nor interned.
bool append_canonical(std::string& out, element e) {
  switch (e.type()) {
    case element_type::ARRAY: {
      const simdjson::dom::array items = e.get_array().value_unsafe();
      out += '[';
      bool first = true;
      for (const element item : items) {
        if (!std::exchange(first, false)) out += ',';
        if (!append_canonical(out, item)) return false;
      }
      out += ']';
      return true;
    }
    case element_type::OBJECT: {
      const simdjson::dom::object object = e.get_object().value_unsafe();
      std::vector<std::pair<std::string, element>> fields;  // keys as they are written
      for (const auto field : object)
        append_json_string(fields.emplace_back(std::string(), field.value).first, field.key);
      std::stable_sort(fields.begin(), fields.end(), [](const auto& a, const auto& b) {
        return json_key_less(a.first, b.first);
      });
      out += '{';
      bool first = true;
      for (const auto& [key, value] : fields) {
        if (!std::exchange(first, false)) out += ',';
        (out += key) += ':';
        if (!append_canonical(out, value)) return false;
      }
      out += '}';
      return true;
    }
    case element_type::STRING: append_json_string(out, e.get_string().value_unsafe()); return true;
    default: {
      const std::optional<Value> value = to_value(e);
      if (value) out += value->to_string();
      return value.has_value();
    }
  }
}

}  // namespace

std::optional<Value> to_value(element e) {
  switch (e.type()) {
    case element_type::NULL_VALUE: return Value::nil();
    case element_type::BOOL: return Value::boolean(e.get_bool().value_unsafe());
    case element_type::INT64: return Value::integer(e.get_int64().value_unsafe());
    case element_type::UINT64: return std::nullopt;  // only what does not fit into INT64
    case element_type::DOUBLE: return Value::real(e.get_double().value_unsafe());
    case element_type::STRING: return Value::string(e.get_string().value_unsafe());
    case element_type::ARRAY: {
      const simdjson::dom::array items = e.get_array().value_unsafe();
      std::vector<Value> values;
      for (const element item : items) {
        const std::optional<Value> value = to_value(item);
        if (!value) return std::nullopt;
        values.push_back(*value);
      }
      return Value::list(values);
    }
    case element_type::OBJECT: {
      std::string text;
      if (!append_canonical(text, e)) return std::nullopt;
      return Value::opaque(text);
    }
  }
  return std::nullopt;
}

namespace {

// Where the value of that key stands in the text of an object. Requires: it is a number.
std::string_view number_text(std::string_view object, std::string_view key) {
  int depth = 0;
  std::size_t begin = 0;  // of the last string at the top
  for (std::size_t i = 0; i < object.size(); ++i) {
    const char c = object[i];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    begin = i + 1;
    while (object[++i] != '"')
      if (object[i] == '\\') ++i;
    const std::size_t colon = object.find_first_not_of(" \t\r\n", i + 1);
    if (depth != 1 || object.substr(begin, i - begin) != key || object[colon] != ':') continue;
    const std::size_t first = object.find_first_not_of(" \t\r\n", colon + 1);
    return object.substr(first, object.find_first_of(",} \t\r\n", first) - first);
  }
  return {};
}

}  // namespace

std::optional<ClockTime> to_clock_time(element e, std::string_view object, std::string_view key) {
  if (e.type() == element_type::INT64) return ClockTime{e.get_int64().value_unsafe(), 0};
  if (e.type() == element_type::DOUBLE) return to_clock_time(number_text(object, key));
  return std::nullopt;
}

std::optional<std::string> repeated_key(element e) {
  if (e.type() == element_type::ARRAY) {
    const simdjson::dom::array items = e.get_array().value_unsafe();
    for (const element item : items)
      if (auto key = repeated_key(item)) return key;
  }
  if (e.type() != element_type::OBJECT) return std::nullopt;
  const simdjson::dom::object fields = e.get_object().value_unsafe();
  std::vector<std::string_view> keys;
  for (const auto field : fields) {
    keys.push_back(field.key);
    if (auto key = repeated_key(field.value)) return key;
  }
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice == keys.end()) return std::nullopt;
  return std::string(*twice);
}

std::string json_error(simdjson::error_code code) {
  switch (code) {
    case simdjson::UTF8_ERROR: return "the text is not valid UTF-8";
    case simdjson::UNCLOSED_STRING: return "a string without its closing quote";
    case simdjson::UNESCAPED_CHARS: return "a control character in a string";
    case simdjson::STRING_ERROR: return "a string with a bad escape";
    case simdjson::NUMBER_ERROR: return "a bad number, or one of more than 64 bits";
    case simdjson::DEPTH_ERROR: return "arrays or objects that are nested too deeply";
    default: return "not a JSON object";
  }
}

}  // namespace plumb
