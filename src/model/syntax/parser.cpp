// SPDX-License-Identifier: MIT
// Tokens into a tree, by recursive descent: one function a rule of docs/language.md. A semicolon
// may end a statement and is never needed, because no statement begins with something that could go
// on an expression.
#include "model/syntax/parser.hpp"

#include <fmt/format.h>

#include <set>

#include "model/syntax/diagnostic.hpp"
#include "model/syntax/lexer.hpp"

namespace plumb::model {
namespace {

constexpr std::uint32_t kLongest = 1000;
constexpr int kDeepest = 200;  // nesting; a file of brackets must not exhaust the stack

const std::set<std::string, std::less<>> kReserved = {
    "any",       "assert",  "at",     "atomic", "await",  "bit",   "bool",   "break",  "choose",
    "const",     "clients", "downto", "else",   "enum",   "false", "for",    "free",   "if",
    "linearize", "local",   "new",    "null",   "object", "op",    "repeat", "return", "self",
    "shared",    "spec",    "state",  "to",     "true",   "until", "while",  "CAS",    "DCAS",
    "FAA",       "LL",      "SC",     "SWAP",   "min",    "max"};

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(tokens_of(text)) {}

  ModelText model() {
    ModelText model;
    while (peek().kind != TokenKind::end) {
      const Token& first = peek();
      if (accept("const")) {
        do {
          ConstText constant;
          constant.place = peek().place;
          constant.name = name("a constant");
          expect("=", "const NAME = value");
          constant.value = expression();
          model.constants.push_back(std::move(constant));
        } while (accept(","));
        accept(";");
      } else if (accept("enum")) {
        EnumText e;
        e.place = peek().place;
        e.name = name("an enumeration");
        expect("{", "enum NAME { A, B }");
        do {
          const Place place = peek().place;
          e.values.emplace_back(name("a value"), place);
        } while (accept(","));
        expect("}", "enum NAME { A, B }");
        model.enumerations.push_back(std::move(e));
      } else if (accept("record")) {
        model.records.push_back(fields("record NAME { a : 0..3, b : bool }"));
      } else if (accept("node")) {
        model.nodes.push_back(fields("node NAME[4] { value : 0..3, next : *NAME }"));
        if (!model.nodes.back().count)
          reject(model.nodes.back().place, "how many nodes are there?",
                 fmt::format("memory is bounded: node {}[4] {{ ... }}", model.nodes.back().name));
      } else if (accept("object")) {
        if (model.object) reject(first.place, "a second object", "a model has one object");
        const std::string called = name("an object");
        model.object = part("shared", first.place);
        model.object->name = called;
      } else if (accept("spec")) {
        if (model.spec || model.spec_file)
          reject(first.place, "a second spec", "a model has one specification");
        if (peek().kind == TokenKind::text) {
          model.spec_file = {peek().place, peek().text};
          take();
        } else {
          model.spec = part("state", first.place);
        }
      } else if (accept("clients")) {
        if (!model.clients.empty())
          reject(first.place, "clients for the second time", "put all of them into one block");
        model.clients_place = first.place;
        expect("{", "clients { 2 x any }");
        while (!accept("}")) {
          model.clients.push_back(clients());
          accept(";");
        }
      } else {
        reject(first.place, fmt::format("unexpected {}", shown(first)),
               "a model consists of const, enum, record, node, object, spec and clients");
      }
    }
    model.frees = frees_;
    return model;
  }

 private:
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token& take() {
    const Token& token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool is(std::string_view text, std::size_t ahead = 0) const {
    const Token& token = peek(ahead);
    return token.kind != TokenKind::end && token.kind != TokenKind::text && token.text == text;
  }
  bool accept(std::string_view text) {
    if (!is(text)) return false;
    take();
    return true;
  }
  static std::string shown(const Token& token) {
    return token.kind == TokenKind::end ? "end of the file" : fmt::format("'{}'", token.text);
  }
  void expect(std::string_view text, std::string_view example) {
    if (!accept(text))
      reject(peek().place, fmt::format("expected '{}' before {}", text, shown(peek())),
             fmt::format("the form is: {}", example));
  }
  std::string name(std::string_view what) {
    const Token& token = peek();
    if (token.kind != TokenKind::name)
      reject(token.place, fmt::format("expected the name of {} before {}", what, shown(token)),
             "a name begins with a letter");
    if (kReserved.contains(token.text))
      reject(token.place, fmt::format("'{}' is a word of the language", token.text),
             "choose another name");
    return take().text;
  }

  FieldsText fields(std::string_view form) {
    FieldsText f;
    f.place = peek().place;
    f.name = name("a type");
    if (accept("[")) {
      f.count = expression();
      expect("]", form);
    }
    expect("{", form);
    do f.fields.push_back(parameter("a field"));
    while (accept(",") || accept(";"));
    expect("}", form);
    return f;
  }

  ParameterText parameter(std::string_view what) {
    ParameterText p;
    p.place = peek().place;
    p.name = name(what);
    if (accept(":")) p.type = type();
    return p;
  }

  PartText part(std::string_view variable, Place place) {
    const bool object = variable == "shared";
    PartText part;
    part.place = place;
    expect("{", variable == "state" ? "spec { state ... op ... }, or spec \"FILE.plumb\""
                                    : "object NAME { shared ... op ... }");
    while (!accept("}")) {
      if (accept(";")) continue;
      if (accept(variable)) {
        do part.variables.push_back(variable_text());
        while (accept(","));
      } else if (accept("op")) {
        part.ops.push_back(op("an operation"));
      } else if (object && accept("private")) {
        do part.privates.push_back(variable_text());
        while (accept(","));
      } else if (object && accept("proc")) {
        part.procedures.push_back(op("a procedure"));
      } else if (object && is("init")) {
        if (part.init) reject(peek().place, "a second init", "put all of it into one block");
        part.init.emplace();
        part.init->place = take().place;
        part.init->name = "init";
        part.init->body = block();
      } else if (object && accept("invariant")) {
        part.invariants.push_back(expression());
      } else if (object && is("assert")) {
        if (part.assertion)
          reject(peek().place, "a second assertion on the history", "ask one after the other");
        part.assertion = history_assertion();
      } else {
        reject(peek().place, fmt::format("unexpected {}", shown(peek())),
               object ? "here stand shared and private variables, init, invariant, assert, proc "
                        "and op"
                      : "here stand 'state' variables and 'op' operations");
      }
    }
    return part;
  }

  HistoryAssertionText history_assertion() {
    constexpr std::string_view kForm = "assert soar(history), clmt(history) or dummy(history)";
    HistoryAssertionText assertion;
    assertion.place = take().place;
    if (!is("soar") && !is("clmt") && !is("dummy"))
      reject(peek().place,
             fmt::format("nothing is known of histories that is called {}", shown(peek())),
             fmt::format("the form is: {}; a condition on variables is an invariant", kForm));
    assertion.predicate = take().text;
    expect("(", kForm);
    if (!is("history"))
      reject(peek().place,
             fmt::format("{} is asserted of the history, not of {}", assertion.predicate,
                         shown(peek())),
             fmt::format("the form is: assert {}(history)", assertion.predicate));
    take();
    expect(")", kForm);
    return assertion;
  }

  VariableText variable_text() {
    VariableText v;
    v.place = peek().place;
    v.name = name("a variable");
    if (accept(":")) v.type = type();
    if (accept("=")) {
      if (accept("[")) {
        v.bracketed = true;
        do {
          v.initial.push_back(expression());
          if (accept("...")) {
            v.repeats_last = true;
            break;
          }
        } while (accept(","));
        expect("]", "[1, 0...]");
      } else {
        v.initial.push_back(expression());
      }
    }
    return v;
  }

  TypeText type() {
    TypeText t;
    t.place = peek().place;
    if (is("safe") || is("regular")) t.steadiness = take().text;
    else accept("atomic");  // as all others are
    const bool named = peek().kind == TokenKind::name && !is("..", 1) && !is("+", 1) &&
                       !is("-", 1) && !is("*", 1) && !is("/", 1) && !is("min") && !is("max");
    if (accept("*")) {
      t.pointer = true;
      t.name = name("a node");
    } else if (named) {
      t.name = take().text;
    } else {
      t.low = sum();
      expect("..", "0..K-1");
      in_range_ = true;  // in 0..K[4] the bracket is the array's
      t.high = sum();
      in_range_ = false;
    }
    if (accept("[")) {
      t.size = expression();
      expect("]", "bit[K]");
    }
    return t;
  }

  OpText op(std::string_view what) {
    constexpr std::string_view kForm = "op name(parameter : 0..3) { ... }";
    OpText op;
    op.place = peek().place;
    op.name = name(what);
    expect("(", kForm);
    if (!accept(")")) {
      do op.parameters.push_back(parameter("a parameter"));
      while (accept(","));
      expect(")", kForm);
    }
    if (accept("requires")) op.requires_ = expression();
    op.body = block();
    op.end = tokens_[at_ - 1].place;
    return op;
  }

  Block block() {
    deeper();
    expect("{", "{ statements }");
    Block body;
    while (!accept("}")) {
      if (accept(";")) continue;
      body.push_back(statement());
    }
    --depth_;
    return body;
  }

  void deeper() {
    if (++depth_ > kDeepest)
      reject(peek().place, "nested too deeply", fmt::format("at most {} levels", kDeepest));
  }

  std::unique_ptr<Stmt> statement() {
    auto s = std::make_unique<Stmt>();
    const Token& first = peek();
    s->place = first.place;
    if (accept("local")) {
      s->kind = StmtKind::local;
      s->name = name("a local variable");
      if (accept(":")) s->type = type();
      if (accept("=")) s->value = expression();
    } else if (accept("if")) {
      s->kind = StmtKind::branch;
      s->value = expression();
      s->body = block();
      if (accept("else")) {
        if (is("if")) s->other.push_back(statement());
        else s->other = block();
      }
    } else if (accept("while")) {
      s->kind = StmtKind::loop_while;
      s->value = expression();
      s->body = block();
    } else if (accept("for")) {
      s->kind = StmtKind::loop_for;
      s->name = name("a loop's variable");
      expect("=", "for i = 0 to K - 1 { ... }");
      s->value = expression();
      s->down = is("downto");
      if (!accept("downto")) expect("to", "for i = 0 to K - 1 { ... }");
      s->bound = expression();
      s->body = block();
    } else if (accept("repeat")) {
      s->kind = StmtKind::loop_repeat;
      s->body = block();
      if (accept("until")) s->value = expression();
    } else if (accept("break")) {
      s->kind = StmtKind::leave;
    } else if (accept("return")) {
      s->kind = StmtKind::give_back;
      const Token& next = peek();
      if (next.kind != TokenKind::end && next.place.line == first.place.line && !is("}") &&
          !is(";"))
        s->value = expression();
    } else if (accept("atomic")) {
      s->kind = StmtKind::atomic;
      s->body = block();
    } else if (accept("await")) {
      s->kind = StmtKind::await;
      s->value = expression();
    } else if (accept("assert")) {
      s->kind = StmtKind::assertion;
      s->value = expression();
    } else if (accept("linearize")) {
      s->kind = StmtKind::linearize;
      // On the next line `if` begins a statement of its own.
      if (is("if") && peek().place.line == first.place.line) {
        take();
        s->value = expression();
      }
    } else if (accept("free")) {
      s->kind = StmtKind::release;
      s->value = expression();
      frees_ = true;
    } else if (first.kind == TokenKind::name) {
      s->value = primary();
      if (accept("=")) {
        s->kind = StmtKind::assign;
        s->target = std::move(s->value);
        if (s->target->kind != ExprKind::name && s->target->kind != ExprKind::index &&
            s->target->kind != ExprKind::field)
          reject(s->place, "nothing can be assigned to this", "the form is: variable = value");
        s->value = expression();
      } else if (s->value->kind != ExprKind::call) {
        reject(peek().place, fmt::format("expected '=' before {}", shown(peek())),
               "a statement is an assignment, a call, a CAS or the like, or begins with a keyword");
      }
    } else {
      reject(first.place, fmt::format("expected a statement before {}", shown(first)),
             "is a '}' missing, or one too many?");
    }
    return s;
  }

  static ExprPtr node(ExprKind kind, Place place, std::string text = {}) {
    auto e = std::make_unique<Expr>();
    e->kind = kind;
    e->place = place;
    e->text = std::move(text);
    return e;
  }

  ExprPtr binary(ExprPtr left, ExprPtr (Parser::*next)()) {
    const Token& op = take();
    ExprPtr e = node(ExprKind::binary, op.place, op.text);
    chain(*e, std::move(left));
    e->kids.push_back((this->*next)());
    return e;
  }

  // a + b + c + ... and a.b.c... grow without nesting, but whoever walks them goes as deep.
  static void chain(Expr& e, ExprPtr left) {
    e.depth = left->depth + 1;
    if (e.depth > kLongest)
      reject(e.place, "this expression is too long", fmt::format("at most {} parts", kLongest));
    e.kids.push_back(std::move(left));
  }

  ExprPtr expression() {
    deeper();
    ExprPtr e = conjunction();
    while (is("||")) e = binary(std::move(e), &Parser::conjunction);
    --depth_;
    return e;
  }
  ExprPtr conjunction() {
    ExprPtr e = comparison();
    while (is("&&")) e = binary(std::move(e), &Parser::comparison);
    return e;
  }
  ExprPtr comparison() {
    ExprPtr e = sum();
    if (is("==") || is("!=") || is("<") || is("<=") || is(">") || is(">="))
      e = binary(std::move(e), &Parser::sum);
    return e;
  }
  ExprPtr sum() {
    ExprPtr e = product();
    while (is("+") || is("-")) e = binary(std::move(e), &Parser::product);
    return e;
  }
  ExprPtr product() {
    ExprPtr e = unary();
    while (is("*") || is("/") || is("%")) e = binary(std::move(e), &Parser::unary);
    return e;
  }
  ExprPtr unary() {
    if (!is("!") && !is("-")) return primary();
    deeper();
    const Token& op = take();
    ExprPtr e = node(ExprKind::unary, op.place, op.text);
    e->kids.push_back(unary());
    --depth_;
    return e;
  }
  ExprPtr primary() {
    const Token& first = take();
    if (first.kind == TokenKind::number) {
      ExprPtr e = node(ExprKind::number, first.place);
      e->value = first.value;
      return e;
    }
    if (first.kind == TokenKind::text)
      reject(first.place, "a text can not stand here", "only spec takes one: spec \"FILE.plumb\"");
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
    if (first.text == "choose") {
      ExprPtr e = node(ExprKind::choose, first.place);
      expect("(", "choose(0..K-1)");
      e->kids.push_back(sum());
      expect("..", "choose(0..K-1)");
      e->kids.push_back(sum());
      expect(")", "choose(0..K-1)");
      return e;
    }
    if (first.text == "null") return node(ExprKind::null, first.place);
    if (first.text == "new") {
      ExprPtr e = node(ExprKind::fresh, first.place, name("a node"));
      if (accept("(")) arguments(*e);
      return e;
    }
    static const std::set<std::string, std::less<>> functions = {"CAS", "DCAS", "FAA", "LL",
                                                                 "SC",  "SWAP", "min", "max"};
    const bool named = first.kind == TokenKind::name && !kReserved.contains(first.text);
    if (functions.contains(first.text) || (named && !in_range_ && is("("))) {
      ExprPtr e = node(ExprKind::call, first.place, first.text);
      expect("(", first.text + "(...)");
      arguments(*e);
      return e;
    }
    if (named) {
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
    reject(first.place, fmt::format("expected an expression before {}", shown(first)),
           "a number, a variable, self, or (...)");
  }

  // "a, b)" or "x = a, y = b)"
  void arguments(Expr& e) {
    if (accept(")")) return;
    do {
      const bool labelled = peek().kind == TokenKind::name && is("=", 1);
      e.labels.push_back(labelled ? name("a field") : "");
      if (labelled) take();
      e.kids.push_back(expression());
    } while (accept(","));
    expect(")", e.text + "(...)");
  }

  ClientsText clients() {
    constexpr std::string_view kForm =
        "2 x any, 1 x write(any), 2 x { lock() ; unlock() } at most 4";
    ClientsText c;
    c.place = peek().place;
    c.count = sum();
    expect("x", kForm);
    if (accept("{")) {
      while (!accept("}")) {
        c.steps.push_back(client_choice());
        accept(";");
      }
    } else {
      c.steps.push_back(client_choice());
    }
    if (accept("at")) {
      expect("most", kForm);
      c.at_most = sum();
    }
    if (c.steps.empty()) reject(c.place, "clients that do nothing", "name a call, or any");
    return c;
  }

  std::vector<ClientCallText> client_choice() {
    std::vector<ClientCallText> choice;
    do {
      ClientCallText call;
      call.place = peek().place;
      if (!accept("any")) {
        call.op = name("an operation");
        expect("(", "write(any)");
        if (!accept(")")) {
          do {
            if (accept("any")) call.args.push_back(nullptr);
            else call.args.push_back(expression());
          } while (accept(","));
          expect(")", "write(any)");
        }
      }
      choice.push_back(std::move(call));
    } while (accept("|"));
    return choice;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool in_range_ = false;
  bool frees_ = false;
};

}  // namespace

ModelText parse(std::string_view text) { return Parser(text).model(); }

}  // namespace plumb::model
