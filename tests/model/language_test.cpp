// SPDX-License-Identifier: MIT
// What the language takes, and what it says about what it does not take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "model/program.hpp"

namespace plumb::model {
namespace {

using ::testing::HasSubstr;

const std::string kRest = "\nspec { state s = 0 op f() { s = 0 } }\nclients { 1 x any }\n";

std::string object(const std::string& body) {
  return "object O { shared x : 0..3 = 0, y : bit[2] = 0\n  op f() {\n" + body + "\n  }\n}" + kRest;
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
        Wrong{"client", "object O { op f() { } }\nspec { op f() { } }\nclients { 1 x g() }", 3, 15,
              "no operation 'g'"},
        Wrong{"too many", "object O { op f() { } }\nspec { op f() { } }\nclients { 99 x any }", 3,
              11, "too many processes"},
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
    std::ifstream in(entry.path());
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
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
