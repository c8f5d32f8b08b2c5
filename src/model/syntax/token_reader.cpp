// SPDX-License-Identifier: MIT
#include "model/syntax/token_reader.hpp"

#include <fmt/format.h>

#include <set>

#include "model/syntax/diagnostic.hpp"

namespace plumb::model {

bool is_reserved(std::string_view word) {
  static const std::set<std::string, std::less<>> words = {
      "any",       "assert",  "at",     "atomic", "await",  "bit",   "bool",   "break",  "choose",
      "const",     "clients", "downto", "else",   "enum",   "false", "for",    "free",   "if",
      "linearize", "local",   "new",    "null",   "object", "op",    "repeat", "return", "self",
      "shared",    "spec",    "state",  "to",     "true",   "until", "while",  "CAS",    "DCAS",
      "FAA",       "LL",      "SC",     "SWAP",   "min",    "max"};
  return words.contains(word);
}

std::string TokenReader::shown(const Token& token) {
  return token.kind == TokenKind::end ? "end of the file" : fmt::format("'{}'", token.text);
}

void TokenReader::expect(std::string_view text, std::string_view example) {
  if (!accept(text))
    reject(peek().place, fmt::format("expected '{}' before {}", text, shown(peek())),
           fmt::format("write: {}", example));
}

std::string TokenReader::name(std::string_view what) {
  const Token& token = peek();
  if (token.kind != TokenKind::name)
    reject(token.place, fmt::format("expected the name of {} before {}", what, shown(token)),
           "a name begins with a letter");
  if (is_reserved(token.text))
    reject(token.place, fmt::format("'{}' is a word of the language", token.text),
           "choose another name");
  return take().text;
}

}  // namespace plumb::model
