// SPDX-License-Identifier: MIT
// What the language takes, and what it says about what it does not take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "model/code/program.hpp"
#include "support/file_contents.hpp"

namespace plumb::model {
namespace {

using ::testing::HasSubstr;

const std::string kRest = "\nspec { state s = 0 op f() { s = 0 } }\nclients { 1 x any }\n";

std::string object(const std::string& body) {
  return "object O { shared x : 0..3 = 0, y : bit[2] = 0\n  op f() {\n" + body + "\n  }\n}" + kRest;
}

std::string nodes(const std::string& body) {
  return "node N[2] { v : 0..3, next : *N }\nnode M[2] { v : 0..3 }\n"
         "object O { shared x : 0..3 = 0, p : *N  op f() {\n" +
         body + "\n  }\n}" + kRest;
}

std::string procedure(const std::string& procedures, const std::string& body) {
  return "object O { shared x : 0..3 " + procedures + " op f() {\n" + body + "\n  }\n}" + kRest;
}

std::string plus(int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += "+1";
  return text;
}

struct Wrong {
  std::string name, text;
  std::uint32_t line, column;
  std::string message;
};
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.name; }

class Rejected : public ::testing::TestWithParam<Wrong> {};
TEST_P(Rejected, WithItsPlaceAndAHint) {
  const Compiled compiled = compile(GetParam().text);
  ASSERT_FALSE(compiled.program);
  EXPECT_EQ(compiled.diagnostic.place.line, GetParam().line);
  EXPECT_EQ(compiled.diagnostic.place.column, GetParam().column);
  EXPECT_THAT(compiled.diagnostic.message, HasSubstr(GetParam().message));
  EXPECT_NE(compiled.diagnostic.hint, "");
}
INSTANTIATE_TEST_SUITE_P(
    Language, Rejected,
    ::testing::Values(
        Wrong{"empty", "", 1, 1, "no object"},
        Wrong{"mark that reads", object("linearize if x == 0"), 3, 1, "shared access in linearize"},
        Wrong{"mark of a specification",
              "object O { op f() { } }\nspec { op f() { linearize } }\nclients { 1 x any }\n", 2,
              17, "linearize in a specification"},
        Wrong{"mark of init", "object O { shared x : bit\n init { linearize } op f() { } }" + kRest,
              2, 9, "linearize in init"},
        Wrong{"predicate", "object O {\n  assert x == 0 op f() { } }" + kRest, 2, 10,
              "unknown assertion on histories: 'x'"},
        Wrong{"predicate of a variable",
              "object O { shared x : bit\n  assert soar(x) op f() { } }" + kRest, 2, 15,
              "soar is asserted of the history, not of 'x'"},
        Wrong{"predicate of more", "object O {\n  assert clmt(history, 1) op f() { } }" + kRest, 2,
              22, "expected ')' before ','"},
        Wrong{"predicate of nothing", "object O {\n  assert clmt op f() { } }" + kRest, 2, 15,
              "expected '(' before 'op'"},
        Wrong{"two predicates",
              "object O { assert soar(history)\n  assert clmt(history) op f() { } }" + kRest, 2, 3,
              "a second assertion on the history"},
        Wrong{"predicate in an operation", object("local history = 0  assert soar(history)"), 3, 27,
              "no procedure 'soar'"},
        Wrong{"predicate of a specification",
              "object O { op f() { } }\nspec { assert soar(history) op f() { } }\n"
              "clients { 1 x any }",
              2, 8, "unexpected 'assert'"},
        Wrong{"open text", "object O { op f() { } }\nspec \"x.plumb\nclients { 1 x any }", 2, 6,
              "this text does not end"},
        Wrong{"text as a value", object("x = \"1\""), 3, 5, "a text is not allowed here"},
        Wrong{"text that looks like a word", "object O { \"op\" f() { } }" + kRest, 1, 12,
              "unexpected 'op'"},
        Wrong{"two specifications", "object O { op f() { } }\nspec \"x.plumb\"" + kRest, 3, 1,
              "a second spec"},
        Wrong{"no files", "object O { op f() { } }\nspec \"x.plumb\"\nclients { 1 x any }", 2, 6,
              "x.plumb: there are no files"},
        Wrong{"text with an escape", "object O { op f() { } }\nspec \"\x1b[2J\"", 2, 6,
              "unexpected character in this text"},
        Wrong{"character", "const K = $", 1, 11, "character"},
        Wrong{"number", "const K = 99999999999", 1, 11, "too large"},
        Wrong{"const", "const K = L", 1, 11, "not a constant"},
        Wrong{"zero", "const K = 1 / 0", 1, 13, "division by zero"},
        Wrong{"twice", "const K = 1, K = 2", 1, 14, "declared already"},
        Wrong{"reserved", "const while = 1", 1, 7, "word of the language"},
        Wrong{"two accesses", object("x = x + 1"), 3, 1, "2 shared accesses"},
        Wrong{"two in a condition", object("if x == 1 && y[0] == 1 { }"), 3, 1,
              "2 shared accesses"},
        Wrong{"index is an access", object("y[x] = 1"), 3, 1, "2 shared accesses"},
        Wrong{"cas of cas", object("local b = CAS(x, x, 1)"), 3, 1, "2 shared accesses"},
        Wrong{"unknown", object("z = 1"), 3, 1, "unknown name 'z'"},
        Wrong{"out of scope", object("if true { local a = 1 }\na = 2"), 4, 1, "unknown name 'a'"},
        Wrong{"array", object("y = 1"), 3, 1, "is an array"},
        Wrong{"no array", object("x[0] = 1"), 3, 1, "not an array"},
        Wrong{"truth", object("x = true"), 3, 5, "expected a number, not a bool"},
        Wrong{"condition", object("if 1 { }"), 3, 4, "expected a bool, not a number"},
        Wrong{"break", object("break"), 3, 1, "outside of a loop"},
        Wrong{"break atomic", object("while true { atomic { break } }"), 3, 23, "out of an atomic"},
        Wrong{"atomic twice", object("atomic { atomic { } }"), 3, 10, "inside atomic"},
        Wrong{"returns", object("if true { return 1 }\nreturn"), 4, 1, "always or never"},
        Wrong{"result", object("return 1"), 6, 23, "returns nothing here"},
        Wrong{"statement", object("x"), 4, 3, "expected '='"},
        Wrong{"cas arguments", object("CAS(x, 1)"), 3, 1, "takes 3 arguments"},
        Wrong{"cas of a local", object("local a = 0\nCAS(a, 0, 1)"), 4, 5, "not a shared"},
        Wrong{"unbounded", "object O { shared x = 0 op f() { } }" + kRest, 1, 19, "unbounded"},
        Wrong{"parameter", "object O { op f(v) { } }" + kRest, 1, 17, "has no type"},
        Wrong{"empty range", "object O { shared x : 3..1 op f() { } }" + kRest, 1, 23, "is empty"},
        Wrong{"initial", "object O { shared x : 0..1 = 2 op f() { } }" + kRest, 1, 30,
              "not in 0..1"},
        Wrong{"cells", "object O { shared x : bit[3] = [1, 0] op f() { } }" + kRest, 1, 19,
              "2 initial"},
        Wrong{"type", "object O { shared x : word op f() { } }" + kRest, 1, 23, "unknown type"},
        Wrong{"no spec", "object O { op f() { } }\nclients { 1 x any }", 1, 1, "no specification"},
        Wrong{"no clients", "object O { op f() { } }\nspec { op f() { } }", 1, 1, "no clients"},
        Wrong{"missing op", "object O { op f() { } op g() { } }" + kRest, 2, 1, "operation 'g'"},
        Wrong{"extra op", "object O { op g() { } }" + kRest, 2, 23, "no operation 'f'"},
        Wrong{"self in spec",
              "object O { op f() { } }\nspec { op f() { await self == 1 } }\n"
              "clients { 1 x any }",
              2, 23, "self in a specification"},
        Wrong{"process in spec",
              "object O { op f() { } }\nspec { state p : process op f() { } }\nclients { 1 x any }",
              2, 18, "a process in a specification"},
        Wrong{"process as parameter", "object O { op f(p : process) { } }" + kRest, 1, 17,
              "that clients see"},
        Wrong{"process as number",
              "object O { shared p : process op f() { local a = p  if a < 1 { } } }" + kRest, 1, 56,
              "expected a number, not a process"},
        Wrong{"number as process", "object O { shared p : process op f() { p = 1 } }" + kRest, 1,
              44, "expected a process, not a number"},
        Wrong{"index by number", "object O { shared b : bit[process] op f() { b[0] = 1 } }" + kRest,
              1, 47, "expected a process, not a number"},
        Wrong{"safe by process",
              "object O { shared b : safe bit[process] op f() { b[self] = 1 } }" + kRest, 1, 32,
              "a safe register for each process"},
        Wrong{"client", "object O { op f() { } }\nspec { op f() { } }\nclients { 1 x g() }", 3, 15,
              "no operation 'g'"},
        Wrong{"too many", "object O { op f() { } }\nspec { op f() { } }\nclients { 99 x any }", 3,
              11, "too many processes"},
        Wrong{"nodes without a number", "node N { v : bit }" + kRest, 1, 6, "how many nodes"},
        Wrong{"a field without a type", "node N[1] { v }" + kRest, 1, 13, "has no type"},
        Wrong{"a field twice", "record R { v : bit, v : bit }" + kRest, 1, 21, "second field"},
        Wrong{"a large record", "record R { a : 0..99999, b : 0..99999 }" + kRest, 1, 26,
              "too many values"},
        Wrong{"no such node", "node N[1] { v : *M }" + kRest, 1, 17, "no nodes 'M'"},
        Wrong{"node as a type", nodes("local q : N"), 4, 11, "unknown type 'N'"},
        Wrong{"two accesses to nodes", nodes("local a = p.v"), 4, 1, "2 shared accesses"},
        Wrong{"no such field", nodes("local q = p\nq.w = 1"), 5, 3, "no field 'w'"},
        Wrong{"field of a number", nodes("x.v = 1"), 4, 3, "has no fields"},
        Wrong{"field of null", nodes("local q = null"), 4, 1, "type of the pointer 'q'"},
        Wrong{"arithmetic with pointers", nodes("local q = p\nx = q + 1"), 5, 5,
              "expected a number, not a *N"},
        Wrong{"order of pointers", nodes("local q = p\nif q < q { }"), 5, 4, "expected a number"},
        Wrong{"another node", nodes("local q = new M\np = q"), 5, 5, "expected a *N, not a *M"},
        Wrong{"new without names", nodes("local q = new N(1)"), 4, 17, "no field name"},
        Wrong{"new with another name", nodes("local q = new N(w = 1)"), 4, 21, "no field 'w'"},
        Wrong{"free of a number", nodes("free 1"), 4, 6, "only nodes"},
        Wrong{"pointer as a result", nodes("local q = p\nreturn q"), 5, 8, "clients see"},
        Wrong{"pointer as a parameter",
              "node N[1] { v : bit }\nobject O { op f(p : *N) { } }" + kRest, 2, 17, "clients see"},
        Wrong{"pointer in a specification",
              "node N[1] { v : bit }\nobject O { op f() { } }\nspec { state p : *N op f() { } }\n"
              "clients { 1 x any }",
              3, 18, "a pointer in a specification"},
        Wrong{"init goes wrong",
              "node N[1] { v : bit }\nobject O { shared p : *N\ninit {\n p.v = 1 }\nop f() { } }" +
                  kRest,
              4, 1, "wrong from the start: a null pointer"},
        Wrong{"init without nodes",
              "node N[1] { v : bit }\nobject O { shared p : *N\ninit {\n p = new N p = new N }\n"
              "op f() { } }" +
                  kRest,
              4, 1, "too few nodes"},
        Wrong{"init chooses",
              "object O { shared x : bit init { x = choose(0..1) } op f() { } }" + kRest, 1, 38,
              "choose outside"},
        Wrong{"a wrong invariant",
              "object O { shared x : bit\ninvariant x == 1\nop f() { } }" + kRest, 2, 1,
              "the invariant does not hold"},
        Wrong{"an invariant that acts",
              "object O { shared x : bit\ninvariant CAS(x, 0, 1)\nop f() { } }" + kRest, 2, 11,
              "must not change anything"},
        Wrong{"recursion", procedure("proc g() { h() } proc h() { g() }", "g()"), 1, 56,
              "'g' calls itself"},
        Wrong{"no procedure", procedure("", "g()"), 2, 1, "no procedure 'g'"},
        Wrong{"arguments", procedure("proc g(a : bit) { x = a }", "g()"), 2, 1,
              "takes 1 arguments"},
        Wrong{"not alone", procedure("proc g() { return x }", "x = g() + 1"), 2, 5,
              "does not stand alone"},
        Wrong{"no value", procedure("proc g() { x = 1 }", "local a = g()"), 2, 11,
              "returns nothing"},
        Wrong{"nothing but null", procedure("proc g() { return null }", "g()"), 1, 33,
              "pointer type of the result of 'g'"},
        Wrong{"never called", procedure("proc g() { x = 1 }", ""), 1, 33, "never called"},
        Wrong{"two procedures", procedure("proc g() { x = 1 } proc g() { x = 1 }", "g()"), 1, 52,
              "second procedure"},
        Wrong{"sees no locals of the caller", procedure("proc g() { x = a }", "local a = 1\ng()"),
              1, 43, "unknown name 'a'"},
        Wrong{"requires looks at shared variables",
              "object O { shared x : bit op f() requires x == 1 { } }" + kRest, 1, 45,
              "shared access in requires"},
        Wrong{"private in init", "object O { private x : bit init { x = 1 } op f() { } }" + kRest,
              1, 35, "private to each process"},
        Wrong{"private array", "object O { private x : bit[2] op f() { } }" + kRest, 1, 24,
              "array is not allowed here"},
        Wrong{"LL of a local", object("local a = 0\nlocal b = LL(a)"), 4, 14, "not a shared"},
        Wrong{"DCAS of a shared value", object("DCAS(x, y[0], x, 0, 1, 1)"), 3, 1,
              "2 shared accesses"},
        Wrong{"CAS of a safe register",
              "object O { shared x : safe bit op f() {\nCAS(x, 0, 1) } }" + kRest, 2, 5,
              "not atomic"},
        Wrong{"a safe write at once",
              "object O { shared x : safe bit op f() {\natomic { x = 1 } } }" + kRest, 2, 10,
              "takes two steps"},
        Wrong{"a safe local", object("local a : safe bit"), 3, 11, "is not allowed here"},
        Wrong{"a safe state",
              "object O { op f() { } }\nspec { state s : regular bit op f() { } }\n"
              "clients { 1 x any }",
              2, 18, "in a specification"},
        Wrong{"a safe pointer",
              "node N[1] { v : bit }\nobject O { shared p : safe *N op f() { } }" + kRest, 2, 23,
              "of such values"},
        Wrong{
            "CAS of a field",
            "record R { a : bit, b : bit }\nobject O { shared x : R op f() {\nCAS(x.a, 0, 1) } }" +
                kRest,
            3, 7, "a field of a record"},
        Wrong{"a long chain", "const K = 1" + plus(2000), 1, 2010, "too long"},
        Wrong{"unclosed", "object O { op f() { ", 1, 21, "statement before end of the file"},
        Wrong{"deep", "const K = " + std::string(500, '('), 1, 211, "too deeply"}));

TEST(Language, AnErrorShowsTheLineAndACaret) {
  const std::string text = object("  x = x + 1");
  const Compiled compiled = compile(text);
  EXPECT_EQ(to_string(compiled.diagnostic, "m.plumb", text),
            "m.plumb:3:3: 2 shared accesses in one step\n"
            "  3 |   x = x + 1\n"
            "    |   ^\n"
            "  hint: read into a local first, or put the statement into atomic { }\n");
}

TEST(Language, SettingsOverrideConstants) {
  const std::string text =
      "const N = 1, M = N + 1\nobject O { op f() { } }\nspec { op f() { } }\nclients { M x any }";
  EXPECT_EQ(compile(text).program->processes(), 2u);
  EXPECT_EQ(compile(text, {{"N", 3}}).program->processes(), 4u);
  EXPECT_EQ(compile(text, {{"X", 3}}).unknown_setting, "X");
}

TEST(Language, CallsAreAllCombinationsOfArguments) {
  const auto program =
      compile(
          "enum E { A, B, C }\nobject O { op f(a : E, b : bool) { } op g() { } }\n"
          "spec { op f(a, b) { } op g() { } }\n"
          "clients { 1 x any; 1 x f(B, any) | g(); 2 x { g(); f(any, true) } at most 3 }")
          .program;
  ASSERT_TRUE(program);
  EXPECT_EQ(program->classes[0].steps[0].size(), 7u);
  EXPECT_EQ(program->classes[1].steps[0].size(), 3u);
  EXPECT_EQ(program->classes[2].steps.size(), 2u);
  EXPECT_EQ(program->classes[2].at_most, 3);
}

// Whatever is in the file, it is compiled or refused.
TEST(Language, DamagedModelsAreRefusedOrCompiled) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const std::string pieces[] = {
      "{", "}", "(",    ")",   "[",  "]",      "..",           "...",          "=",  "0", "1", "99",
      "-", "x", "self", "any", "op", "atomic", "choose(0..1)", "CAS(H, v, 1)", "\n", "/", "%"};
  std::size_t compiled = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PLUMB_SOURCE_DIR "/models")) {
    if (entry.path().extension() != ".plumb") continue;
    const std::string whole = file_contents(entry.path());
    for (int i = 0; i < 300; ++i) {
      std::string text = whole;
      for (std::size_t n = 1 + below(3); n > 0; --n) {
        const std::size_t at = below(text.size());
        switch (below(3)) {
          case 0: text.erase(at, 1 + below(12)); break;
          case 1: text.insert(at, pieces[below(std::size(pieces))]); break;
          case 2: text[at] = static_cast<char>(below(256)); break;
        }
      }
      const Compiled result = compile(text);
      compiled += result.program.has_value();
      if (!result.program) { EXPECT_NE(to_string(result.diagnostic, "m", text), ""); }
    }
  }
  EXPECT_GT(compiled, 0u);
}

}  // namespace
}  // namespace plumb::model
