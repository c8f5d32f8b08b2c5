// SPDX-License-Identifier: MIT
#include "base/json.hpp"

#include <charconv>
#include <cmath>

#include "base/utf8.hpp"

namespace plumb {
namespace {

void add_escape(std::string& out, std::uint32_t unit) {
  constexpr char digits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += digits[unit >> shift & 15];
}

// Where it needs one; else the result is null.
const char* short_escape(std::uint32_t point) {
  switch (point) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return nullptr;
  }
}

}  // namespace

class JsonPrinter {
 public:
  JsonPrinter(const JsonStyle& style, std::string& out) : style_(style), out_(out) {}

  void print(const Json& json) {
    if (const auto* const flag = std::get_if<bool>(&json.content_))
      out_ += *flag ? "true" : "false";
    else if (const auto* const number = std::get_if<std::int64_t>(&json.content_))
      out_ += std::to_string(*number);
    else if (const auto* const count = std::get_if<std::uint64_t>(&json.content_))
      out_ += std::to_string(*count);
    else if (const auto* const real = std::get_if<double>(&json.content_)) print_real(*real);
    else if (const auto* const text = json.text()) print_text(*text);
    else if (const auto* const items = json.items()) print_items(*items);
    else if (const auto* const members = json.members()) print_members(*members);
    else out_ += "null";
  }

 private:
  void print_items(const Json::Array& items) {
    out_ += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_ += ',';
      print(items[i]);
    }
    out_ += ']';
  }

  void print_members(const Json::Object& members) {
    out_ += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out_ += ',';
      print_text(members[i].first);
      out_ += ':';
      print(members[i].second);
    }
    out_ += '}';
  }

  void print_text(std::string_view text) {
    out_ += '"';
    while (!text.empty()) {
      const Utf8Character c = first_character(text);
      const std::uint32_t point = c.valid ? c.point : 0xfffd;
      // A report may be looked at on a terminal.
      const bool plain = !is_control(point) && !(style_.ascii && point >= 0x7f);
      if (const char* const escape = short_escape(point)) out_ += escape;
      else if (plain) out_ += c.valid ? text.substr(0, c.bytes) : std::string_view("\xef\xbf\xbd");
      else if (point < 0x10000) add_escape(out_, point);
      else {
        add_escape(out_, 0xd7c0 + (point >> 10));
        add_escape(out_, 0xdc00 + (point & 0x3ff));
      }
      text.remove_prefix(c.bytes);
    }
    out_ += '"';
  }

  // The shortest digits that read as the same number, and never as an integer: 0.001, 1.0, 1e-05.
  void print_real(double real) {
    if (!std::isfinite(real)) {
      out_ += "null";
      return;
    }
    char buffer[32];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, real, std::chars_format::scientific);
    std::string_view text(buffer, static_cast<std::size_t>(end.ptr - buffer));
    if (text.starts_with('-')) {
      out_ += '-';
      text.remove_prefix(1);
    }
    const std::size_t e = text.find('e');
    std::string digits(text.substr(0, 1));
    if (e > 2) digits += text.substr(2, e - 2);
    int exponent = 0;
    const char* const at = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
    std::from_chars(at, text.data() + text.size(), exponent);
    const int length = static_cast<int>(digits.size()), point = exponent + 1;
    if (point > -4 && point <= 0) {
      out_ += "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
    } else if (point > 0 && point <= 15) {
      if (point >= length) digits.append(static_cast<std::size_t>(point - length), '0') += ".0";
      else digits.insert(static_cast<std::size_t>(point), ".");
      out_ += digits;
    } else {
      if (length > 1) digits.insert(1, ".");
      out_ += digits;
      out_ += text.substr(e);
    }
  }

  const JsonStyle& style_;
  std::string& out_;
};

Json& Json::operator[](std::string_view name) {
  if (std::holds_alternative<std::monostate>(content_)) content_ = Object();
  Object& members = std::get<Object>(content_);
  for (auto& [known, value] : members)
    if (known == name) return value;
  return members.emplace_back(std::string(name), Json()).second;
}

void Json::push_back(Json item) {
  if (std::holds_alternative<std::monostate>(content_)) content_ = Array();
  std::get<Array>(content_).push_back(std::move(item));
}

std::size_t Json::size() const {
  return items() ? items()->size() : members() ? members()->size() : 0;
}

std::optional<std::uint64_t> Json::count() const {
  if (const auto* number = std::get_if<std::uint64_t>(&content_)) return *number;
  const auto* number = std::get_if<std::int64_t>(&content_);
  if (number == nullptr || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

const Json* Json::find(std::string_view name) const {
  if (members())
    for (const auto& [known, value] : *members())
      if (known == name) return &value;
  return nullptr;
}

std::string_view Json::text(std::string_view name) const {
  const Json* const member = find(name);
  return member && member->text() ? std::string_view(*member->text()) : std::string_view();
}

const Json::Array& Json::items(std::string_view name) const {
  static const Array none;
  const Json* const member = find(name);
  return member && member->items() ? *member->items() : none;
}

std::string Json::dump(const JsonStyle& style) const {
  std::string out;
  JsonPrinter(style, out).print(*this);
  return out;
}

}  // namespace plumb
