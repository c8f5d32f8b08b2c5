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

std::optional<ClockTime> split_time(double d) {
  if (!(std::abs(d) < 9e18)) return std::nullopt;
  double whole;
  const double part = std::modf(d, &whole);  // exact, and of the same sign
  return ClockTime{static_cast<std::int64_t>(whole), part};
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

std::optional<ClockTime> to_clock_time(element e) {
  if (e.type() == element_type::INT64) return ClockTime{e.get_int64().value_unsafe(), 0};
  if (e.type() == element_type::DOUBLE) return split_time(e.get_double().value_unsafe());
  return std::nullopt;
}

std::optional<ClockTime> to_clock_time(std::string_view text) {
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  double real = 0;
  if (const auto r = std::from_chars(text.data(), end, whole); r.ptr == end && r.ec == std::errc())
    return ClockTime{whole, 0};
  if (const auto r = std::from_chars(text.data(), end, real); r.ptr == end && r.ec == std::errc())
    return split_time(real);
  return std::nullopt;
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
