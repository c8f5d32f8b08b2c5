// SPDX-License-Identifier: MIT
#include "model/syntax/expressions.hpp"

#include <fmt/format.h>

#include <set>

#include "model/syntax/diagnostic.hpp"

namespace plumb::model {
namespace {

constexpr std::uint32_t kLongest = 1000;
constexpr int kDeepest = 200;  // nesting; a file of brackets must not exhaust the stack

ExprPtr node(ExprKind kind, Place place, std::string text = {}) {
  auto e = std::make_unique<Expr>();
  e->kind = kind;
  e->place = place;
  e->text = std::move(text);
  return e;
}

// a + b + c + ... and a.b.c... grow without nesting, but a walk over them goes as deep.
void chain(Expr& e, ExprPtr left) {
  e.depth = left->depth + 1;
  if (e.depth > kLongest)
    reject(e.place, "this expression is too long", fmt::format("at most {} parts", kLongest));
  e.kids.push_back(std::move(left));
}

}  // namespace

void ExpressionParser::deeper() {
  if (++depth_ > kDeepest)
    reject(peek().place, "nested too deeply", fmt::format("at most {} levels", kDeepest));
}

ExprPtr ExpressionParser::binary(ExprPtr left, ExprPtr (ExpressionParser::*next)()) {
  const Token& op = take();
  ExprPtr e = node(ExprKind::binary, op.place, op.text);
  chain(*e, std::move(left));
  e->kids.push_back((this->*next)());
  return e;
}

ExprPtr ExpressionParser::expression() {
  deeper();
  ExprPtr e = conjunction();
  while (is("||")) e = binary(std::move(e), &ExpressionParser::conjunction);
  --depth_;
  return e;
}
ExprPtr ExpressionParser::conjunction() {
  ExprPtr e = comparison();
  while (is("&&")) e = binary(std::move(e), &ExpressionParser::comparison);
  return e;
}
ExprPtr ExpressionParser::comparison() {
  ExprPtr e = sum();
  if (is("==") || is("!=") || is("<") || is("<=") || is(">") || is(">="))
    e = binary(std::move(e), &ExpressionParser::sum);
  return e;
}
ExprPtr ExpressionParser::sum() {
  ExprPtr e = product();
  while (is("+") || is("-")) e = binary(std::move(e), &ExpressionParser::product);
  return e;
}
ExprPtr ExpressionParser::product() {
  ExprPtr e = unary();
  while (is("*") || is("/") || is("%")) e = binary(std::move(e), &ExpressionParser::unary);
  return e;
}
ExprPtr ExpressionParser::unary() {
  if (!is("!") && !is("-")) return primary();
  deeper();
  const Token& op = take();
  ExprPtr e = node(ExprKind::unary, op.place, op.text);
  e->kids.push_back(unary());
  --depth_;
  return e;
}
ExprPtr ExpressionParser::primary() {
  const Token& first = take();
  if (first.kind == TokenKind::number) {
    ExprPtr e = node(ExprKind::number, first.place);
    e->value = first.value;
    return e;
  }
  if (first.kind == TokenKind::text)
    reject(first.place, "a text is not allowed here", "only spec takes one: spec \"FILE.plumb\"");
  if (first.text == "(") {
    ExprPtr e = expression();
    expect(")", "( expression )");
    return e;
  }
  if (first.text == "true" || first.text == "false") {
    ExprPtr e = node(ExprKind::truth, first.place);
    e->value = first.text == "true";
    return e;
  }
  if (first.text == "self") return node(ExprKind::self, first.place);
  if (first.text == "null") return node(ExprKind::null, first.place);
  if (first.text == "choose") return choose(first.place);
  if (first.text == "new") {
    ExprPtr e = node(ExprKind::fresh, first.place, name("a node"));
    if (accept("(")) arguments(*e);
    return e;
  }
  static const std::set<std::string, std::less<>> functions = {"CAS", "DCAS", "FAA", "LL",
                                                               "SC",  "SWAP", "min", "max"};
  const bool named = first.kind == TokenKind::name && !is_reserved(first.text);
  if (functions.contains(first.text) || (named && !in_range_ && is("("))) {
    ExprPtr e = node(ExprKind::call, first.place, first.text);
    expect("(", first.text + "(...)");
    arguments(*e);
    return e;
  }
  if (named) return variable(first);
  reject(first.place, fmt::format("expected an expression before {}", shown(first)),
         "a number, a variable, self, or (...)");
}

ExprPtr ExpressionParser::choose(Place place) {
  ExprPtr e = node(ExprKind::choose, place);
  expect("(", "choose(0..K-1)");
  e->kids.push_back(sum());
  expect("..", "choose(0..K-1)");
  e->kids.push_back(sum());
  expect(")", "choose(0..K-1)");
  return e;
}

// "x", "x[i]", "x.f.g"
ExprPtr ExpressionParser::variable(const Token& first) {
  ExprPtr e = node(ExprKind::name, first.place, first.text);
  if (!in_range_ && accept("[")) {
    e->kind = ExprKind::index;
    e->kids.push_back(expression());
    expect("]", "variable[index]");
  }
  while (accept(".")) {
    ExprPtr field = node(ExprKind::field, peek().place);
    field->text = name("a field");
    chain(*field, std::move(e));
    e = std::move(field);
  }
  return e;
}

// "a, b)" or "x = a, y = b)"
void ExpressionParser::arguments(Expr& e) {
  if (accept(")")) return;
  do {
    const bool labelled = peek().kind == TokenKind::name && is("=", 1);
    e.labels.push_back(labelled ? name("a field") : "");
    if (labelled) take();
    e.kids.push_back(expression());
  } while (accept(","));
  expect(")", e.text + "(...)");
}

}  // namespace plumb::model
