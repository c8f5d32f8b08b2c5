// SPDX-License-Identifier: MIT
// Tokens into a tree, by recursive descent: one function per rule of docs/language.md. A semicolon
// may end a statement and is never needed, because no statement begins with something that could
// continue an expression.
#include "model/syntax/parser.hpp"

#include <fmt/format.h>

#include "model/syntax/diagnostic.hpp"
#include "model/syntax/expressions.hpp"

namespace plumb::model {
namespace {

class Parser : ExpressionParser {
 public:
  explicit Parser(std::string_view text) : ExpressionParser(text) {}

  ModelText model() {
    ModelText model;
    while (peek().kind != TokenKind::end) declaration(model);
    model.frees = frees_;
    return model;
  }

 private:
  void declaration(ModelText& model) {
    const Token& first = peek();
    if (accept("const")) {
      do model.constants.push_back(constant());
      while (accept(","));
      accept(";");
    } else if (accept("enum")) {
      model.enumerations.push_back(enumeration());
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
      specification(model, first.place);
    } else if (accept("clients")) {
      all_clients(model, first.place);
    } else {
      reject(first.place, fmt::format("unexpected {}", shown(first)),
             "a model consists of const, enum, record, node, object, spec and clients");
    }
  }

  ConstText constant() {
    ConstText constant;
    constant.place = peek().place;
    constant.name = name("a constant");
    expect("=", "const NAME = value");
    constant.value = expression();
    return constant;
  }

  EnumText enumeration() {
    EnumText e;
    e.place = peek().place;
    e.name = name("an enumeration");
    expect("{", "enum NAME { A, B }");
    do {
      const Place place = peek().place;
      e.values.emplace_back(name("a value"), place);
    } while (accept(","));
    expect("}", "enum NAME { A, B }");
    return e;
  }

  void specification(ModelText& model, Place place) {
    if (model.spec || model.spec_file)
      reject(place, "a second spec", "a model has one specification");
    if (peek().kind == TokenKind::text) {
      model.spec_file = {peek().place, peek().text};
      take();
    } else {
      model.spec = part("state", place);
    }
  }

  void all_clients(ModelText& model, Place place) {
    if (!model.clients.empty())
      reject(place, "a second clients block", "put all clients into one block");
    model.clients_place = place;
    expect("{", "clients { 2 x any }");
    while (!accept("}")) {
      model.clients.push_back(clients());
      accept(";");
    }
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
        reject(
            peek().place, fmt::format("unexpected {}", shown(peek())),
            object
                ? "an object contains shared and private variables, init, invariant, assert, proc "
                  "and op"
                : "a specification contains 'state' variables and 'op' operations");
      }
    }
    return part;
  }

  HistoryAssertionText history_assertion() {
    constexpr std::string_view kForm = "assert soar(history), clmt(history) or dummy(history)";
    HistoryAssertionText assertion;
    assertion.place = take().place;
    if (!is("soar") && !is("clmt") && !is("dummy"))
      reject(peek().place, fmt::format("unknown assertion on histories: {}", shown(peek())),
             fmt::format("write: {}; a condition on variables is an invariant", kForm));
    assertion.predicate = take().text;
    expect("(", kForm);
    if (!is("history"))
      reject(peek().place,
             fmt::format("{} is asserted of the history, not of {}", assertion.predicate,
                         shown(peek())),
             fmt::format("write: assert {}(history)", assertion.predicate));
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
    op.end = last_place();
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

  std::unique_ptr<Stmt> statement() {
    auto s = std::make_unique<Stmt>();
    const Token& first = peek();
    s->place = first.place;
    if (compound(*s) || simple(*s)) return s;
    if (first.kind != TokenKind::name)
      reject(first.place, fmt::format("expected a statement before {}", shown(first)),
             "is a '}' missing, or one too many?");
    assignment(*s);
    return s;
  }

  /// A statement with statements inside; false: it is none.
  bool compound(Stmt& s) {
    if (accept("if")) {
      s.kind = StmtKind::branch;
      s.value = expression();
      s.body = block();
      if (accept("else")) {
        if (is("if")) s.other.push_back(statement());
        else s.other = block();
      }
    } else if (accept("while")) {
      s.kind = StmtKind::loop_while;
      s.value = expression();
      s.body = block();
    } else if (accept("for")) {
      s.kind = StmtKind::loop_for;
      s.name = name("a loop's variable");
      expect("=", "for i = 0 to K - 1 { ... }");
      s.value = expression();
      s.down = is("downto");
      if (!accept("downto")) expect("to", "for i = 0 to K - 1 { ... }");
      s.bound = expression();
      s.body = block();
    } else if (accept("repeat")) {
      s.kind = StmtKind::loop_repeat;
      s.body = block();
      if (accept("until")) s.value = expression();
    } else if (accept("atomic")) {
      s.kind = StmtKind::atomic;
      s.body = block();
    } else {
      return false;
    }
    return true;
  }

  /// A statement that begins with a keyword; false: it is none.
  bool simple(Stmt& s) {
    // On the next line another statement begins.
    const auto same_line = [&] { return peek().place.line == s.place.line; };
    if (accept("local")) {
      s.kind = StmtKind::local;
      s.name = name("a local variable");
      if (accept(":")) s.type = type();
      if (accept("=")) s.value = expression();
    } else if (accept("break")) {
      s.kind = StmtKind::leave;
    } else if (accept("return")) {
      s.kind = StmtKind::give_back;
      if (peek().kind != TokenKind::end && same_line() && !is("}") && !is(";"))
        s.value = expression();
    } else if (accept("await")) {
      s.kind = StmtKind::await;
      s.value = expression();
    } else if (accept("assert")) {
      s.kind = StmtKind::assertion;
      s.value = expression();
    } else if (accept("linearize")) {
      s.kind = StmtKind::linearize;
      if (is("if") && same_line()) {
        take();
        s.value = expression();
      }
    } else if (accept("free")) {
      s.kind = StmtKind::release;
      s.value = expression();
      frees_ = true;
    } else {
      return false;
    }
    return true;
  }

  /// An assignment, or a call.
  void assignment(Stmt& s) {
    s.value = primary();
    if (accept("=")) {
      s.kind = StmtKind::assign;
      s.target = std::move(s.value);
      if (s.target->kind != ExprKind::name && s.target->kind != ExprKind::index &&
          s.target->kind != ExprKind::field)
        reject(s.place, "nothing can be assigned to this", "write: variable = value");
      s.value = expression();
    } else if (s.value->kind != ExprKind::call) {
      reject(peek().place, fmt::format("expected '=' before {}", shown(peek())),
             "a statement is an assignment, a call, a CAS or the like, or begins with a keyword");
    }
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

  bool frees_ = false;
};

}  // namespace

ModelText parse(std::string_view text) { return Parser(text).model(); }

}  // namespace plumb::model
