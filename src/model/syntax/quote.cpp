// SPDX-License-Identifier: MIT
// Where a statement ends follows from the tokens alone: no statement begins with something
// that could continue an expression (parser.cpp), so it ends where two operands stand side by side.
#include "model/syntax/quote.hpp"

#include <algorithm>
#include <array>

namespace plumb::model {
namespace {

// Words that are followed by an operand, or by a name.
constexpr std::array<std::string_view, 13> kPrefixes = {
    "local", "return", "await",  "assert", "until", "if",  "while",
    "for",   "to",     "downto", "atomic", "new",   "free"};

bool is_prefix(const Token& t) {
  return std::find(kPrefixes.begin(), kPrefixes.end(), t.text) != kPrefixes.end();
}
bool ends_operand(const Token& t) {
  if (t.kind == TokenKind::symbol) return t.text == ")" || t.text == "]";
  return !is_prefix(t);
}
bool begins_operand(const Token& t) {
  return t.kind != TokenKind::symbol && t.text != "to" && t.text != "downto";
}
// Whether a new statement begins between the two.
bool apart(const Token& last, const Token& next) {
  const bool marks = last.text == "linearize" && next.text == "if" &&
                     last.place.line == next.place.line;  // linearize if v == 0
  return ends_operand(last) && begins_operand(next) && !marks;
}
bool before(Place a, Place b) { return a.line != b.line ? a.line < b.line : a.column < b.column; }

// "B[v] = 1", "min(v + 1, SIZE)", "-1", "0..K"
bool spaced(const Token* older, const Token& left, const Token& right) {
  const auto one_of = [](const Token& t, std::string_view all) {
    return t.kind == TokenKind::symbol && t.text.size() == 1 &&
           all.find(t.text) != std::string_view::npos;
  };
  if (one_of(right, "),];") || one_of(left, "([!.") || one_of(right, ".")) return false;
  if (left.text == ".." || right.text == "..") return false;
  if (one_of(right, "(["))
    return left.kind == TokenKind::symbol ? !one_of(left, ")]") : is_prefix(left);
  const bool sign = left.text == "-" && (!older || !ends_operand(*older));
  return !sign;
}

}  // namespace

std::string Quotes::at(Place place) const {
  auto begin = std::lower_bound(tokens_.begin(), tokens_.end(), place,
                                [](const Token& t, Place p) { return before(t.place, p); });
  if (begin == tokens_.end() || begin->kind == TokenKind::end) return {};
  // The place of a condition behind `until` may be that of its operator.
  for (auto back = begin; back != tokens_.begin(); --back) {
    const Token& last = *(back - 1);
    if (last.text == "until") begin = back - 1;
    if (last.text == "{" || last.text == "}" || last.text == ";" || last.text == "until" ||
        apart(last, *back))
      break;
  }
  const bool whole = begin->text == "atomic";
  std::string out;
  int depth = 0;
  for (auto t = begin; t->kind != TokenKind::end; ++t) {
    if (t != begin) {
      const Token& last = *(t - 1);
      if (depth == 0 && (t->text == "}" || t->text == ";" || t->text == "{") &&
          !(whole && t == begin + 1))
        break;
      if (depth == 0 && apart(last, *t)) break;
      if (last.text == "return" && last.place.line != t->place.line) break;
      if (whole && depth > 0 && last.text != ";" && last.text != "{" && t->text != "}" &&
          t->text != ";" && apart(last, *t))
        out += ";";
      if (spaced(t - begin > 1 ? &*(t - 2) : nullptr, last, *t)) out += " ";
    }
    out += t->text;
    if (t->text == "{" || t->text == "(" || t->text == "[") ++depth;
    if (t->text == "}" || t->text == ")" || t->text == "]") --depth;
    if (whole && depth == 0 && t->text == "}") break;
  }
  return out;
}

}  // namespace plumb::model
