// SPDX-License-Identifier: MIT
// Native code finds what the interpreter finds: as many states, the same moves, the same
// footprints.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "how_many.hpp"
#include "model_files.hpp"
#include "random_models.hpp"
#include "refine/search/stepper.hpp"
#include "refine/verify.hpp"
#include "support/file_contents.hpp"
#include "switches.hpp"

namespace plumb::refine {
namespace {

/// A cache of its own, so that everything is compiled anew and nothing is left behind.
class Native : public ::testing::Test {
 protected:
  Native() {
    std::string name = std::filesystem::temp_directory_path() / "plumb-test-XXXXXX";
    folder_ = mkdtemp(name.data());
    if (const char* old = std::getenv("XDG_CACHE_HOME")) old_ = old;
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  ~Native() override {
    if (old_) setenv("XDG_CACHE_HOME", old_->c_str(), 1);
    else unsetenv("XDG_CACHE_HOME");
    std::filesystem::remove_all(folder_);
  }
  std::filesystem::path folder_;
  std::optional<std::string> old_;
};

/// Every step of every process from every state that is reached, by both.
struct Compared {
  std::size_t states = 0, differences = 0, asked = 0;
};
Compared compare(const model::Program& program, native::StepsFunction native, std::size_t most) {
  const std::size_t width = program.layout.words;
  const std::vector<std::uint64_t> none(program.initial_shared.size() / 64 + 1);
  Stepper interpreter(program);
  std::vector<native::Step> native_steps(native::kRoom);
  std::vector<std::uint64_t> native_states(native::kRoom * width), words(width);
  const model::Machine machine(program);
  machine.pack(machine.initial().data(), words.data());
  std::vector<std::vector<std::uint64_t>> open = {words};
  std::set<std::vector<std::uint64_t>> seen(open.begin(), open.end());
  Compared result;
  model::Coverage marks = interpreter.coverage();  // none yet
  Steps steps;
  steps.width = width;
  for (; !open.empty() && result.states < most; ++result.states) {
    const std::vector<std::uint64_t> from = open.back();
    open.pop_back();
    for (std::uint32_t p = 0; p < program.processes(); ++p) {
      model::Footprint expected{none, none}, touched{none, none};
      interpreter.watch(&expected);
      steps.clear();
      interpreter.add_steps(from.data(), p, steps);
      const std::uint32_t count =
          native(from.data(), p, native_steps.data(), native_states.data(), touched.reads.data(),
                 touched.writes.data(), marks.code.data(), marks.returned.data());
      bool same = count == steps.list.size() && touched == expected;
      for (std::size_t i = 0; i < steps.list.size(); ++i) {
        const Step& step = steps.list[i];
        if (step.fault) continue;
        const std::vector<std::uint64_t> to(steps.words(i), steps.words(i) + width);
        if (seen.insert(to).second) open.push_back(to);
        same = same && native_steps[i].kind == static_cast<std::uint32_t>(step.kind) &&
               (step.kind != model::StepKind::call || native_steps[i].call == step.call) &&
               native_steps[i].result == step.result && native_steps[i].marks == step.marks &&
               std::equal(to.begin(), to.end(),
                          native_states.begin() + static_cast<std::ptrdiff_t>(i * width));
      }
      if (count == native::kAsk) ++result.asked;
      else result.differences += !same;
    }
  }
  const model::Coverage& expected = interpreter.coverage();
  const auto differ = [&](std::size_t ip) { return marks.code[ip] != expected.code[ip]; };
  if (result.asked > 0) return result;  // what the interpreter did then has no marks here
  result.differences += marks.returned != expected.returned;
  for (const model::Statement& s : program.statements) result.differences += differ(s.first);
  for (std::size_t ip = 0; ip < program.code.size(); ++ip)
    if (program.code[ip].code == model::Code::await ||
        program.code[ip].code == model::Code::compare_and_swap)
      result.differences += differ(ip);
  return result;
}

TEST_F(Native, TakesTheStepsOfTheInterpreterInEveryModel) {
  std::size_t models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PLUMB_SOURCE_DIR "/models")) {
    if (entry.path().extension() != ".plumb") continue;
    const model::Compiled compiled = compile_file(entry.path());
    ASSERT_TRUE(compiled.program) << entry.path();
    const native::StepsFunction native = native::compile(*compiled.program);
    if (!native) {  // nodes are the interpreter's
      EXPECT_FALSE(native::translate(*compiled.program)) << entry.path();
      continue;
    }
    ++models;
    const Compared compared = compare(*compiled.program, native, 20'000);
    EXPECT_GT(compared.states, 10u) << entry.path();
    EXPECT_EQ(compared.differences, 0u) << entry.path();
    EXPECT_LE(compared.asked, compared.states / 10) << entry.path();
  }
  EXPECT_GE(models, 22u);
}

TEST_F(Native, RandomModelsAreDecidedAlike) {
  for (std::uint64_t i = 0; i < how_many(20, 300); ++i) {
    std::mt19937 random = source_of(i);
    const std::string text = random_model(random, false, true);
    const model::Compiled compiled = model::compile(text);
    ASSERT_TRUE(compiled.program);
    const native::StepsFunction native = native::compile(*compiled.program);
    ASSERT_TRUE(native) << text;
    EXPECT_EQ(compare(*compiled.program, native, 100'000).differences, 0u) << text;
    for (const int mask : {0, 8, 63}) {
      VerifyOptions options{.reductions = switched(mask)};
      const auto interpreted = verify(*compiled.program, text, options);
      options.native = refine::Native::at_once;
      const auto compiled_too = verify(*compiled.program, text, options);
      ASSERT_TRUE(interpreted.ok() && compiled_too.ok()) << text;
      EXPECT_TRUE(compiled_too->found.native);
      EXPECT_EQ(interpreted->found.verdict, compiled_too->found.verdict) << text;
      EXPECT_EQ(interpreted->found.states, compiled_too->found.states) << text;
      EXPECT_EQ(interpreted->found.transitions, compiled_too->found.transitions) << text;
      EXPECT_EQ(interpreted->trace.size(), compiled_too->trace.size()) << text;
    }
  }
}

// Each with a fault that the interpreter has to word, or without.
TEST_F(Native, KnowsTheWholeLanguageButNodes) {
  const auto compared = [](const std::string& before, const std::string& object) {
    const std::string text = before + "object O { shared x : 0..3 " + object +
                             " }\nspec { op f() { } }\nclients { 3 x any }";
    const model::Compiled compiled = model::compile(text);
    if (!compiled.program) return to_string(compiled.diagnostic, "text", text);
    const native::StepsFunction native = native::compile(*compiled.program);
    if (!native) return std::string("declined");
    const Compared found = compare(*compiled.program, native, 20'000);
    EXPECT_GT(found.states, 3u) << text;
    EXPECT_EQ(found.differences, 0u) << text;
    return std::string(found.asked ? "asks" : "knows");
  };
  EXPECT_EQ(compared("", "init { x = 2 } op f() { x = 1 }"), "knows");
  EXPECT_EQ(compared("", "invariant x < 3 op f() { local v = x  x = (v + 1) % 3 }"), "knows");
  EXPECT_EQ(compared("", "invariant x < 3 op f() { local v = x  x = (v + 1) % 4 }"), "asks");
  EXPECT_EQ(compared("", "private p : 0..2 = 1 op f() { p = (p + 1) % 3  x = p }"), "knows");
  EXPECT_EQ(compared("", "private p : bit op f() requires p == 0 { p = 1  x = 1 }"), "knows");
  EXPECT_EQ(compared("", "op f() { local a = LL(x)  SC(x, (a + 1) % 4) }"), "knows");
  EXPECT_EQ(compared("",
                     "shared y : bit[2] op f() { local i = x % 2  local a = LL(y[i])  x = a "
                     " if SC(y[i], 1 - a) { y[1] = 0 } }"),
            "knows");
  EXPECT_EQ(
      compared("", "shared r : regular bit op f() { local a = r  x = a  if x == 1 { x = 0 } }"),
      "knows");
  EXPECT_EQ(compared("", "shared r : regular bit op f() { local a = r  r = 1 - a }"), "asks");
  EXPECT_EQ(
      compared(
          "",
          "shared r : safe 0..2 op f() { if CAS(x, 0, 1) { r = 2  x = 0 } local v = r  x = v }"),
      "asks");
  EXPECT_EQ(
      compared(
          "record R { a : -1..1, b : 2..4 }\n",
          "shared r : R op f() { local y = r  y.a = y.b - 3  y.b = 3 - y.a  r = y  x = y.b - 2 }"),
      "knows");
  EXPECT_EQ(compared("node N[1] { v : bit }\n", "op f() { x = 1 }"), "declined");
}

TEST_F(Native, AFaultIsThatOfTheInterpreter) {
  const std::string text =
      "object O { shared a : bit[2] = 0\n op f(i : 0..2) {\n a[i] = 1 } }\n"
      "spec { op f(i) { } }\nclients { 2 x any }";
  const model::Compiled compiled = model::compile(text);
  ASSERT_TRUE(compiled.program);
  const auto report = verify(*compiled.program, text, {.native = refine::Native::at_once});
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->found.native);
  EXPECT_EQ(report->found.kind, Found::fault);
  EXPECT_EQ(report->reason, "line 3: index 2 is not in 0..1");
}

TEST_F(Native, WithoutACompilerTheInterpreterDoesAll) {
  const std::string text = "object O { op f() { } }\nspec { op f() { } }\nclients { 2 x any }";
  const model::Compiled compiled = model::compile(text);
  ASSERT_TRUE(compiled.program);
  setenv("CXX", "/nowhere/c++", 1);
  const auto report = verify(*compiled.program, text, {.native = refine::Native::at_once});
  unsetenv("CXX");
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->found.native);
  EXPECT_EQ(report->found.verdict, Verdict::holds);
}

}  // namespace
}  // namespace plumb::refine
