// SPDX-License-Identifier: MIT
// spec "FILE": another model, an operation at a time, is as good as a specification that is written
// out.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "how_many.hpp"
#include "model/code/sequential.hpp"
#include "model_files.hpp"
#include "random_models.hpp"
#include "refine/verify.hpp"
#include "switches.hpp"

namespace plumb::refine {
namespace {

using ::testing::HasSubstr;

/// The text from a word at the beginning of a line up to another one; and without it.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find("\n" + from) + 1;
  return text.substr(begin, text.find("\n" + to) + 1 - begin);
}
std::string with_spec_file(std::string text, const std::string& file) {
  const std::string spec = between(text, "spec", "clients");
  return text.replace(text.find(spec), spec.size(), "spec \"" + file + "\"\n");
}
void replace(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

TEST(SpecFile, JudgesStacksLikeTheInlineSpecification) {
  for (const std::string file :
       {"stack_treiber.plumb", "stack_treiber_free.plumb", "stack_elimination_twice.plumb"}) {
    const std::string text = file_contents(kModelFiles + file);
    const model::Compiled inline_spec = model::compile(text);
    ASSERT_TRUE(inline_spec.program) << file;
    const std::string other = with_spec_file(text, "stack_coarse.plumb");
    const model::Compiled compiled = compile_among(
        {{"stack_coarse.plumb", file_contents(kModelFiles + "stack_coarse.plumb")}}, other);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, file, other);
    const auto expected = verify(*inline_spec.program, text, {});
    const auto report = verify(*compiled.program, other, {});
    ASSERT_TRUE(expected.ok() && report.ok()) << report.error().to_string();
    EXPECT_EQ(report->found.verdict, expected->found.verdict) << file;
    EXPECT_EQ(report->found.kind, expected->found.kind) << file;
    EXPECT_EQ(report->found.states, expected->found.states) << file;
    EXPECT_EQ(report->trace.size(), expected->trace.size()) << file;
  }
}

/// The specification of a random model as an object: what it does at once is one atomic block.
std::string spec_as_object(const std::string& text) {
  std::string object = between(text, "spec", "clients");
  replace(object, "spec {", "object S {");
  replace(object, "  state ", "  shared ");
  replace(object, "(v) {\n", "(v : 0..1) { atomic {\n");
  replace(object, "\n  }\n", "\n  } }\n");
  return text.substr(0, text.find("object O")) + object;
}

/// The object of a random model itself: that, uninterrupted, is what its specification says.
/// Nothing if it knows processes.
std::string object_itself(const std::string& text) {
  std::string object = text.substr(0, text.find("\nspec") + 1);
  for (const std::string line : {"  shared o : process, k : bit[process], n : process[process]\n",
                                 "  private w : Pair\n", "  private h : *N\n"})
    replace(object, line, "");
  return object;
}

TEST(RandomSpecFile, AgreesWithTheSameSpecificationInline) {
  const std::uint64_t count = how_many(60, 1000);
  std::uint64_t violations = 0, themselves = 0, with_nodes = 0;
  Draws draws(count);
  if (count >= 60) {  // not for a sanitizer
    draws.until("violations", violations, count / 10 + 1);
    draws.until("as their own specification", themselves, count / 10 + 1);
    draws.until("of these with nodes", with_nodes);
  }
  for (const std::uint64_t i : draws) {
    std::mt19937 random = source_of(i);
    const std::string text = random_model(random);
    const model::Compiled inline_spec = model::compile(text);
    ASSERT_TRUE(inline_spec.program);
    const auto expected = verify(*inline_spec.program, text, {});
    ASSERT_TRUE(expected.ok());
    violations += expected->found.verdict == Verdict::violation;
    const std::string other = with_spec_file(text, "spec.plumb");
    for (const bool itself : {false, true}) {
      const std::string object = itself ? object_itself(text) : spec_as_object(text);
      const model::Compiled compiled = compile_among({{"spec.plumb", object}}, other);
      if (itself && !compiled.program) continue;
      ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "own.plumb", other) << object;
      for (const int mask : {0, (1 << kSwitches) - 1}) {
        const auto report = verify(*compiled.program, other, {.reductions = switched(mask)});
        ASSERT_TRUE(report.ok()) << report.error().to_string() << other << object;
        ASSERT_EQ(report->found.verdict, expected->found.verdict)
            << "seed " << seed_of(i) << ", reductions " << mask << "\n"
            << other << object;
        EXPECT_EQ(report->trace.size(), expected->trace.size()) << other << object;
      }
      themselves += itself;
      with_nodes += itself && object.find("node N") != std::string::npos;
    }
  }
  EXPECT_EQ(draws.lacks(), "");
}

const std::string kClients = "clients { 2 x any at most 2 }\n";
const std::string kLock =
    "object L { shared held : bool\n"
    "  op lock() { atomic { await !held  held = true } }\n"
    "  op unlock() { held = false } }\n";

// A lock that spins is the same specification as one that waits.
TEST(SpecFile, WhatNeverReturnsAloneBlocks) {
  const std::string spin =
      "object L { shared held : bool\n"
      "  op lock() { repeat { } until CAS(held, false, true) }\n"
      "  op unlock() { held = false } }\n";
  const std::string clients = "clients { 2 x { lock() ; unlock() } }\n";
  for (const std::string& spec : {kLock, spin}) {
    const std::string text = kLock + "spec \"lock.plumb\"\n" + clients;
    const model::Compiled compiled = compile_among({{"lock.plumb", spec}}, text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "own.plumb", text);
    const auto report = verify(*compiled.program, text, {});
    ASSERT_TRUE(report.ok()) << report.error().to_string();
    EXPECT_EQ(report->found.verdict, Verdict::holds);
  }
}

TEST(SpecFile, MayChooseAndMayHaveMoreOperations) {
  const std::string spec =
      "object C { shared x : 0..3\n"
      "  op f() { local a = choose(1..2)  x = a  return a }\n"
      "  op more() { x = 0 } }\n";
  for (const auto& [result, verdict] : {std::pair{"1", Verdict::holds},
                                        {"2", Verdict::holds},
                                        {"choose(1..2)", Verdict::holds},
                                        {"3", Verdict::violation}}) {
    const std::string text =
        fmt::format("object O {{ op f() {{ return {} }} }}\nspec \"c.plumb\"\n", result) + kClients;
    const model::Compiled compiled = compile_among({{"c.plumb", spec}}, text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "own.plumb", text);
    const auto report = verify(*compiled.program, text, {});
    ASSERT_TRUE(report.ok()) << report.error().to_string();
    EXPECT_EQ(report->found.verdict, verdict) << result;
  }
}

TEST(SpecFile, ComparesEnumsByNameAndRecordsByFields) {
  const std::string types = "enum Colour { red, green }\nrecord Pair { a : 0..2, c : Colour }\n";
  const std::string spec =
      "object S { op f(p : Pair) { return p.c } op g(c : Colour) { return Pair(a = 1, c = c) } }\n";
  std::string text = types + spec + "spec \"s.plumb\"\n" + kClients;
  replace(text, "object S", "object O");
  const std::pair<std::string, bool> others[] = {
      {"const TWO = 2\nenum Other { red, green }\n"
       "record Pair { a : 0..TWO, c : Other }\n",
       true},
      {"enum Colour { green, red }\nrecord Pair { a : 0..2, c : Colour }\n", false},
      {"enum Colour { red, green }\nrecord Pair { a : 0..3, c : Colour }\n", false},
      {"enum Colour { red, green }\nrecord Pair { b : 0..2, c : Colour }\n", false}};
  for (const auto& [other, same] : others) {
    std::string object = spec;
    if (other.find("Other") != std::string::npos) replace(object, "Colour", "Other");
    if (other.find("b :") != std::string::npos) replace(object, "a = 1", "b = 1");
    const model::Compiled compiled = compile_among({{"s.plumb", other + object}}, text);
    EXPECT_EQ(compiled.program.has_value(), same)
        << to_string(compiled.diagnostic, "own.plumb", text) << other;
    if (!same) { EXPECT_THAT(compiled.diagnostic.message, HasSubstr("another type")); }
    if (!compiled.program) continue;
    const auto report = verify(*compiled.program, text, {});
    ASSERT_TRUE(report.ok()) << report.error().to_string();
    EXPECT_EQ(report->found.verdict, Verdict::holds);
  }
}

TEST(SpecFile, TakesSettingsInEachFileThatDeclaresThem) {
  const ImaginedFiles files = {{"s.plumb",
                                "const K = 2, MOST = 9\n"
                                "object S { shared x : 0..MOST op f(v : 0..K) { x = v } }\n"}};
  const std::string text =
      "const K = 2, N = 2\nobject O { op f(v : 0..K) { } }\nspec \"s.plumb\"\n"
      "clients { N x any at most 1 }\n";
  const auto constants = [&](const model::Settings& settings) {
    const model::Compiled compiled = compile_among(files, text, settings);
    EXPECT_TRUE(compiled.program) << to_string(compiled.diagnostic, "own.plumb", text);
    EXPECT_EQ(compiled.unknown_setting, "");
    return std::pair{compiled.program->constants, compiled.program->spec_model->program.constants};
  };
  using Constants = std::vector<std::pair<std::string, std::int64_t>>;
  EXPECT_EQ(constants({{"K", 3}}),
            (std::pair{Constants{{"K", 3}, {"N", 2}}, Constants{{"K", 3}, {"MOST", 9}}}));
  EXPECT_EQ(constants({{"MOST", 5}, {"N", 1}}),
            (std::pair{Constants{{"K", 2}, {"N", 1}}, Constants{{"K", 2}, {"MOST", 5}}}));
  EXPECT_EQ(compile_among(files, text, {{"K", 1}, {"L", 1}}).unknown_setting, "L");
}

struct WrongFile {
  std::string name, spec;
  std::string file;  // empty: the model's own
  std::uint32_t line, column;
  std::string message;
};
void PrintTo(const WrongFile& wrong, std::ostream* out) { *out << wrong.name; }

class RejectedFile : public ::testing::TestWithParam<WrongFile> {};
TEST_P(RejectedFile, WithItsPlaceAndAHint) {
  const std::string text =
      "object O {\n  op f(v : 0..2) { return 0 } }\nspec \"s.plumb\"\n" + kClients;
  const model::Compiled compiled = compile_among({{"s.plumb", GetParam().spec}}, text);
  ASSERT_FALSE(compiled.program);
  EXPECT_EQ(compiled.diagnostic.file, GetParam().file);
  EXPECT_EQ(compiled.diagnostic.place.line, GetParam().line);
  EXPECT_EQ(compiled.diagnostic.place.column, GetParam().column);
  EXPECT_THAT(compiled.diagnostic.message, HasSubstr(GetParam().message));
  EXPECT_NE(compiled.diagnostic.hint, "");
  EXPECT_THAT(to_string(compiled.diagnostic, "own.plumb", text),
              HasSubstr(GetParam().file.empty() ? "own.plumb:3:6: " : "s.plumb:"));
}
INSTANTIATE_TEST_SUITE_P(
    SpecFile, RejectedFile,
    ::testing::Values(
        WrongFile{"syntax", "object S {\n op f( }", "s.plumb", 2, 8, "expected the name"},
        WrongFile{"no object", "const K = 1", "s.plumb", 1, 1, "there is no object"},
        WrongFile{"private", "object S {\n private p : bit op f(v : 0..2) { return 0 } }",
                  "s.plumb", 2, 10, "a private variable in a specification"},
        WrongFile{"self", "object S { op f(v : 0..2) {\n return self } }", "s.plumb", 2, 9,
                  "self in a specification"},
        WrongFile{"process", "object S { shared p : process\n op f(v : 0..2) { return 0 } }",
                  "s.plumb", 1, 23, "a process in a specification"},
        WrongFile{"by process",
                  "object S { shared p : bit[process]\n op f(v : 0..2) { return 0 } }", "s.plumb",
                  1, 27, "processes in a specification"},
        WrongFile{"requires", "object S { op f(v : 0..2) requires v > 0 { return 0 } }", "s.plumb",
                  1, 38, "requires in a specification"},
        WrongFile{"wrong from the start",
                  "object S { shared x : bit\n invariant x == 1 op f(v : 0..2) { return 0 } }",
                  "s.plumb", 2, 1, "wrong from the start"},
        WrongFile{"no operation", "object S { op g() { } }", "", 3, 6, "has no operation 'f'"},
        WrongFile{"parameters", "object S {\n op f() { return 0 } }", "", 3, 6,
                  "'f' in s.plumb:2 has 0 parameters, but 1 in the object"},
        WrongFile{"type", "object S { op f(v : bool) { return 0 } }", "", 3, 6,
                  "takes another type for 'v'"},
        WrongFile{"range", "object S { op f(v : 0..1) { return 0 } }", "", 3, 6,
                  "takes 0..1 for 'v', but the object 0..2"},
        WrongFile{"result", "object S { op f(v : 0..2) { } }", "", 3, 6,
                  "returns nothing, but a value in the object"},
        WrongFile{"type of the result", "object S { op f(v : 0..2) { return true } }", "", 3, 6,
                  "returns another type"}),
    [](const auto& info) {
      std::string name = info.param.name;
      std::replace(name.begin(), name.end(), ' ', '_');
      return name;
    });

TEST(SpecFile, RefusesCircles) {
  const std::string object = "object O { op f() { } }\n";
  const auto model = [&](const std::string& file) {
    return object + "spec \"" + file + "\"\n" + kClients;
  };
  const ImaginedFiles files = {{"own.plumb", model("own.plumb")},
                               {"a.plumb", model("sub/b.plumb")},
                               {"sub/b.plumb", model("../a.plumb")},
                               {"sub/c.plumb", model("d.plumb")},
                               {"sub/d.plumb", object},
                               {"e.plumb", model("gone.plumb")}};
  const auto message = [&](const std::string& file) {
    const model::Compiled compiled = compile_among(files, model(file));
    EXPECT_EQ(compiled.diagnostic.file, "");
    return compiled.program ? "" : compiled.diagnostic.message;
  };
  EXPECT_EQ(message("own.plumb"), "this model is its own specification");
  EXPECT_EQ(message("./sub/../own.plumb"), "this model is its own specification");
  EXPECT_EQ(message("a.plumb"),
            "specifications that refer to each other in a cycle: own.plumb, a.plumb, sub/b.plumb, "
            "a.plumb");
  EXPECT_EQ(message("sub/c.plumb"), "");
  // Only its object is needed.
  EXPECT_EQ(message("e.plumb"), "");
}

// Where a specification cannot say what happens, there is no verdict.
TEST(SpecFile, GoesWrongLikeAnyOther) {
  const std::pair<std::string, std::string> wrong[] = {
      {"object S { op f() {\n assert false } }", "an assertion fails"},
      {"object S { shared x : 0..1\n invariant x == 0\n op f() { x = 1 } }", "invariant"},
      {"node N[1] { v : bit, next : *N }\nobject S { shared p : *N\n"
       " op f() { local q = p  p = new N(next = q) } }",
       "'f' finds no free node: declare more"}};
  for (const auto& [spec, message] : wrong) {
    const std::string text = "object O { op f() { } }\nspec \"s.plumb\"\n" + kClients;
    const model::Compiled compiled = compile_among({{"s.plumb", spec}}, text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "own.plumb", text);
    const auto report = verify(*compiled.program, text, {});
    ASSERT_FALSE(report.ok()) << spec;
    EXPECT_EQ(report.error().kind, ErrorKind::bad_input);
    EXPECT_EQ(report.error().file, "s.plumb");
    EXPECT_GT(report.error().line, 0u);
    EXPECT_THAT(report.error().message, HasSubstr(message));
  }
}

}  // namespace
}  // namespace plumb::refine
