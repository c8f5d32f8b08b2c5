// SPDX-License-Identifier: MIT
#include "lineup/xml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.hpp"

namespace plumb::lineup {
namespace {

// XML has no control characters and no bytes that are not UTF-8: such a byte is written as one of
// 256 characters for private use, which are U+EF00 and the byte, and is read back from it.
constexpr unsigned kByteCharacters = 0xef00;
bool is_byte_character(std::string_view utf8) {
  return utf8.size() >= 3 && utf8[0] == '\xee' && (utf8[1] & 0xfc) == 0xbc &&
         (utf8[2] & 0xc0) == 0x80;
}

// The bytes of the character with which the text begins; 0: XML has none there.
std::size_t xml_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  const std::string_view it = text.substr(0, length);
  return text::sanitized(it) == it && !is_byte_character(it) ? length : 0;
}

// The character or byte that a reference, without & and ;, stands for.
std::optional<char> referred(std::string_view name) {
  for (const auto& [known, character] : {std::pair<std::string_view, char>{"amp", '&'},
                                         {"lt", '<'},
                                         {"gt", '>'},
                                         {"quot", '"'},
                                         {"apos", '\''}}) {
    if (name == known) return character;
  }
  if (!name.starts_with('#')) return std::nullopt;
  const bool is_hexadecimal = name.starts_with("#x");
  unsigned character = 0;
  const char* const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(name.data() + (is_hexadecimal ? 2 : 1), last, character,
                                            is_hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != last) return std::nullopt;
  if (character >= 0x80 && character - kByteCharacters > 0xff) return std::nullopt;
  return static_cast<char>(character & 0xff);
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\t': out += "&#9;"; break;
      case '\n': out += "&#10;"; break;
      case '\r': out += "&#13;"; break;
      case '\x7f': out += "&#127;"; break;
      default:
        if (const std::size_t length = xml_character(text.substr(i)); length > 0) {
          out += text.substr(i, length);
          i += length - 1;
        } else {
          out += fmt::format("&#x{:X};", kByteCharacters + static_cast<unsigned char>(text[i]));
        }
    }
  }
  return out;
}

std::optional<std::string> from_xml_text(std::string_view text, std::size_t& at) {
  std::string out;
  for (at = 0; at < text.size(); ++at) {
    if (is_byte_character(text.substr(at))) {
      out += static_cast<char>((text[at + 1] & 3) << 6 | (text[at + 2] & 63));
      at += 2;
    } else if (text[at] != '&') {
      out += text[at];
    } else {
      const std::size_t end = std::min(text.find(';', at), text.size());
      const auto character = referred(text.substr(at + 1, end - at - 1));
      if (end == text.size() || !character) return std::nullopt;
      out += *character;
      at = end;
    }
  }
  return out;
}

}  // namespace plumb::lineup
