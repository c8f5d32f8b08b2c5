// SPDX-License-Identifier: MIT
#include "history/edn.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "history/print.hpp"

namespace plumb {
namespace {

bool blank(int c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == ','; }

bool ends_word(int c) {
  return c == Characters::kEnd || blank(c) ||
         std::string_view("()[]{}\";").find(static_cast<char>(c)) != std::string_view::npos;
}

char closing(int open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 63));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 63));
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  }
}

}  // namespace

bool EdnParser::fail(std::string message, std::string remedy) {
  if (error_.message.empty()) {
    if (in_.status().ok()) error_ = bad_input(std::move(message), std::move(remedy), in_.line());
    else error_ = in_.status().error();
  }
  return false;
}

bool EdnParser::too_deep() {
  if (depth_ <= kDeepest) return false;
  fail(fmt::format("forms that are nested more than {} deep", kDeepest), "flatten the value");
  return true;
}

bool EdnParser::drop() {
  std::string ignored;
  return text(ignored);
}

int EdnParser::next_form() {
  for (; !set_ahead_;) {
    const int c = in_.peek();
    if (blank(c)) {
      in_.get();
    } else if (c == ';') {
      std::string line;
      while (in_.peek() != '\n' && in_.peek() != Characters::kEnd) {
        const int d = in_.get();
        if (comment && line.size() < limit_) line += static_cast<char>(d);
      }
      if (comment && comment->empty())
        *comment = line.substr(std::min(line.find_first_not_of("; \t"), line.size()));
    } else if (c == '#') {
      in_.get();
      const int d = in_.peek();
      if (d == '{') {
        set_ahead_ = true;
      } else if (d == '_') {
        in_.get();
        ++depth_;
        if (too_deep() || next_form() == Characters::kEnd || !drop()) {
          fail("a dropped form (#_) that does not end", "complete it");
          return Characters::kEnd;
        }
        --depth_;
      } else if (d == '#') {
        in_.get();  // ##NaN, ##Inf: the sign is no part of the name
      } else {
        word_.clear();
        if (!word()) return Characters::kEnd;
      }
    } else {
      return c;
    }
    if (!error_.message.empty()) return Characters::kEnd;
  }
  return '#';
}

bool EdnParser::word() {
  while (!ends_word(in_.peek())) {
    if (in_.taken() - form_start_ > limit_)
      return fail(fmt::format("a form of more than {} bytes", limit_), "split it");
    word_ += static_cast<char>(in_.get());
  }
  return in_.status().ok() || fail("", "");
}

bool EdnParser::escape() {
  const int c = in_.get();
  switch (c) {
    case 'n': word_ += '\n'; return true;
    case 't': word_ += '\t'; return true;
    case 'r': word_ += '\r'; return true;
    case 'b': word_ += '\b'; return true;
    case 'f': word_ += '\f'; return true;
    case '"':
    case '\\': word_ += static_cast<char>(c); return true;
    case 'u': break;
    default: return fail("a string with a bad escape", "one of \\n \\t \\r \\b \\f \\u0041");
  }
  const auto unit = [&](unsigned& out) {
    out = 0;
    for (int i = 0; i < 4; ++i) {
      const int h = in_.get();
      if (h >= '0' && h <= '9') out = out << 4 | static_cast<unsigned>(h - '0');
      else if (h >= 'a' && h <= 'f') out = out << 4 | static_cast<unsigned>(h - 'a' + 10);
      else if (h >= 'A' && h <= 'F') out = out << 4 | static_cast<unsigned>(h - 'A' + 10);
      else return false;
    }
    return true;
  };
  unsigned code = 0, low = 0;
  if (!unit(code)) return fail("a bad \\u escape", "four hexadecimal digits follow \\u");
  if (code >= 0xd800 && code < 0xe000) {  // half of a surrogate pair
    if (code >= 0xdc00 || in_.get() != '\\' || in_.get() != 'u' || !unit(low) || low < 0xdc00 ||
        low >= 0xe000)
      return fail("half of a surrogate pair", "write both halves, or the character itself");
    code = 0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00));
  }
  append_utf8(word_, code);
  return true;
}

bool EdnParser::quoted() {
  in_.get();
  for (;;) {
    const int c = in_.get();
    if (c == Characters::kEnd)
      return fail("a string without its closing quote", "the file is truncated: create it again");
    if (in_.taken() - form_start_ > limit_)
      return fail(fmt::format("a form of more than {} bytes", limit_), "split it");
    if (c == '"') break;
    if (c != '\\') word_ += static_cast<char>(c);
    else if (!escape()) return false;
  }
  return simdjson::validate_utf8(word_) || fail("the text is not valid UTF-8", "write it as UTF-8");
}

bool EdnParser::atom(Token& out) {
  word_.clear();
  const int c = in_.peek();
  out.kind = Atom::string;
  if (c == '"') return quoted();
  if (c == '\\') {  // a character: the next one is part of it even if it is a bracket
    in_.get();
    if (in_.peek() != Characters::kEnd) word_ += static_cast<char>(in_.get());
    if (!word()) return false;
    return simdjson::validate_utf8(word_) ||
           fail("the text is not valid UTF-8", "write it as UTF-8");
  }
  if (!word()) return false;
  if (word_.empty())
    return c == Characters::kEnd
               ? fail("the text ends within a form", "the file is truncated: create it again")
               : fail("a closing bracket without an opening one", "remove it");
  if (!simdjson::validate_utf8(word_))
    return fail("the text is not valid UTF-8", "write it as UTF-8");
  out.kind = Atom::name;
  if (word_[0] == ':') {
    word_.erase(0, 1);
    return !word_.empty() || fail("a keyword without a name", "write a name after the colon");
  }
  if (word_ == "nil") out.kind = Atom::nil;
  if (word_ == "true") out.kind = Atom::yes;
  if (word_ == "false") out.kind = Atom::no;
  const std::size_t sign = word_[0] == '-' || word_[0] == '+' ? 1 : 0;
  if (word_.size() == sign || word_[sign] < '0' || word_[sign] > '9') return true;
  // Numbers. N and M mark big ones; what does not fit is refused, never rounded.
  std::string_view digits = word_;
  if (digits[0] == '+') digits.remove_prefix(1);
  const bool big = digits.back() == 'N', decimal = digits.back() == 'M';
  if (big || decimal) digits.remove_suffix(1);
  const char* const end = digits.data() + digits.size();
  const auto whole = std::from_chars(digits.data(), end, out.integer);
  if (whole.ptr == end && !decimal) {
    if (whole.ec != std::errc())
      return fail("an integer of more than 64 bits", "write it as a string");
    out.kind = Atom::integer;
    return true;
  }
  const auto real = std::from_chars(digits.data(), end, out.real);
  if (real.ptr == end && real.ec == std::errc() && !big) out.kind = Atom::real;
  else if (digits.find('/') == std::string_view::npos) return fail("a bad number", "correct it");
  return true;
}

bool EdnParser::name(std::string& out) {
  Token token;
  const int c = next_form();
  if (c == '#' || c == '{' || c == '[' || c == '(')
    return fail("a keyword is expected here", "write a keyword, such as :read");
  if (!atom(token)) return false;
  if (token.kind != Atom::name && token.kind != Atom::string)
    return fail("a keyword is expected here", "write a keyword, such as :read");
  out = word_;
  return true;
}

bool EdnParser::value(Value& out) {
  const int c = next_form();
  if (!error_.message.empty()) return false;
  if (c == '{') {
    std::string json;
    if (!text(json)) return false;
    out = Value::opaque(json);
    return true;
  }
  if (c != '[' && c != '(' && c != '#') {
    Token token;
    if (!atom(token)) return false;
    switch (token.kind) {
      case Atom::nil: out = Value::nil(); break;
      case Atom::yes: out = Value::boolean(true); break;
      case Atom::no: out = Value::boolean(false); break;
      case Atom::integer: out = Value::integer(token.integer); break;
      case Atom::real: out = Value::real(token.real); break;
      case Atom::name:
      case Atom::string: out = Value::string(word_); break;
    }
    return true;
  }
  in_.get();
  set_ahead_ = false;
  const char close = c == '#' ? '}' : closing(c);
  ++depth_;
  if (too_deep()) return false;
  std::vector<Value> items;
  while (next_form() != close)
    if (!value(items.emplace_back())) return false;
  in_.get();
  --depth_;
  if (c == '#') std::sort(items.begin(), items.end());
  out = Value::list(items);
  return true;
}

// Maps, and what is in them, go through text alone: nothing of them is interned but the whole.
bool EdnParser::text(std::string& out) {
  const int c = next_form();
  if (!error_.message.empty()) return false;
  const bool map = c == '{', set = c == '#';
  if (!map && !set && c != '[' && c != '(') {
    Token token;
    if (!atom(token)) return false;
    switch (token.kind) {
      case Atom::nil: out += "null"; break;
      case Atom::yes: out += "true"; break;
      case Atom::no: out += "false"; break;
      case Atom::integer: out += std::to_string(token.integer); break;
      case Atom::real: append_json_real(out, token.real); break;
      case Atom::name:
      case Atom::string: append_json_string(out, word_); break;
    }
    return true;
  }
  in_.get();
  set_ahead_ = false;
  const char close = set ? '}' : closing(c);
  ++depth_;
  if (too_deep()) return false;
  std::vector<std::pair<std::string, std::string>> entries;  // of a list and a set: no second
  bool names = true;
  while (next_form() != close) {
    auto& [key, content] = entries.emplace_back();
    if (!text(key)) return false;
    names = names && key[0] == '"';
    if (!map) continue;
    if (next_form() == close) return fail("a map with a key without a value", "complete the map");
    if (!text(content)) return false;
  }
  in_.get();
  --depth_;
  if (map || set)
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return json_key_less(a.first, b.first); });
  // JSON knows string keys only. Others must not be confused with strings: a list of pairs.
  const bool pairs = map && !names;
  out += pairs ? "{\"#map\":[" : map ? "{" : "[";
  bool first = true;
  for (const auto& [key, content] : entries) {
    if (!std::exchange(first, false)) out += ',';
    if (pairs) (((out += '[') += key) += ',') += content + ']';
    else if (map) ((out += key) += ':') += content;
    else out += key;
  }
  out += pairs ? "]}" : map ? "}" : "]";
  return true;
}

}  // namespace plumb
