// SPDX-License-Identifier: MIT
#include "plumb/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "spec/drive.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A cache of its own, and a compiler that counts how often it is run.
class Load : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "plumb-load-test-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    write("compiler",
          "#!/bin/sh\necho run >> '" + (folder_ / "runs").string() + "'\nexec c++ \"$@\"\n");
    fs::permissions(folder_ / "compiler", fs::perms::owner_all);
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    setenv("CXX", (folder_ / "compiler").c_str(), 1);
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    unsetenv("CXX");
    fs::remove_all(folder_);
  }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  /// A specification that counts in steps; `more` is added to the file.
  std::string write_spec(const std::string& name, const std::string& more = "") {
    return write(name, R"(#include <plumb/describe.hpp>
struct Steps {
  int at = 0;
  auto state() const { return std::tie(at); }
  int step() { return at += 3; }
};
)" + more);
  }
  int runs() const {
    std::ifstream in(folder_ / "runs");
    return static_cast<int>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
  }

  fs::path folder_;
};

const std::string kExample = std::string(PLUMB_SOURCE_DIR) + "/examples/bounded_queue.cpp";
const std::string kDescribed =
    "auto spec = plumb::describe<Steps>(\"steps\").method(\"step\", &Steps::step);\n";

TEST_F(Load, CompilesTheExampleOnceAndRunsIt) {
  const auto spec = load_specification(kExample);
  ASSERT_TRUE(spec.ok()) << spec.error().to_string();
  EXPECT_EQ((*spec)->name(), "bounded");
  Drive d(**spec);
  EXPECT_TRUE(d.blocked("deq"));
  for (const int v : {1, 2, 3, 4}) EXPECT_EQ(d.run("enq", {I(v)}), B(true));
  EXPECT_EQ(d.run("enq", {I(5)}), B(false));
  EXPECT_EQ(d.run("deq"), I(1));
  EXPECT_EQ(d.print(), "[2,3,4]");
  EXPECT_EQ(rejected(**spec, "enq", {S("x")}), "argument 1 of enq must be an integer, got \"x\"");
  const auto again = load_specification(kExample);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *spec);
  EXPECT_EQ(runs(), 1);
}

TEST_F(Load, BelievesTheFamilyOfAFileThatBehavesLikeIt) {
  const std::string counts =
      "auto spec = plumb::describe<Steps>(\"steps\")"
      ".family(plumb::Family::counter)"
      ".method(\"at\", [](const Steps& s) { return s.at; })"
      ".role(plumb::Role::reads).method(\"step\", ";
  const auto by_one = load_specification(
      write_spec("one.cpp", counts + "[](Steps& s) { ++s.at; }).role(plumb::Role::increments);\n"));
  ASSERT_TRUE(by_one.ok()) << by_one.error().to_string();
  EXPECT_EQ((*by_one)->family(), Family::counter) << (*by_one)->refused_family();
  const auto by_three = load_specification(write_spec(
      "three.cpp", counts + "[](Steps& s) { s.step(); }).role(plumb::Role::increments);\n"));
  ASSERT_TRUE(by_three.ok()) << by_three.error().to_string();
  EXPECT_EQ((*by_three)->family(), Family::none);
  EXPECT_EQ((*by_three)->refused_family(),
            "after step(), at() returns 3, where that of a counter returns 1");
}

TEST_F(Load, LeavesOnlyFinishedFilesInTheCache) {
  ASSERT_TRUE(load_specification(write_spec("a.cpp", kDescribed)).ok());
  ASSERT_FALSE(load_specification(write("b.cpp", "nonsense")).ok());
  std::map<std::string, int> by_extension;
  for (const auto& entry : fs::directory_iterator(folder_ / "cache/plumb"))
    ++by_extension[entry.path().extension()];
  EXPECT_EQ(by_extension, (std::map<std::string, int>{{".includes", 1}, {".so", 1}}));
}

TEST_F(Load, CompilesAgainWhenTheFileOrWhatItIncludesChanges) {
  write("my value.hpp", "constexpr const char* kName = \"first\";\n");
  const std::string text =
      "#include \"my value.hpp\"\n"
      "auto spec = plumb::describe<Steps>(kName).method(\"step\", &Steps::step);\n";
  const std::string file = write_spec("my spec.cpp", text);
  ASSERT_TRUE(load_specification(file).ok());
  ASSERT_TRUE(load_specification(file).ok());
  EXPECT_EQ(runs(), 1);
  write("my value.hpp", "constexpr const char* kName = \"second\";\n");
  const auto spec = load_specification(file);
  ASSERT_TRUE(spec.ok()) << spec.error().to_string();
  EXPECT_EQ((*spec)->name(), "second");
  EXPECT_EQ(runs(), 2);
  write_spec("my spec.cpp", "// another\n" + text);
  ASSERT_TRUE(load_specification(file).ok());
  EXPECT_EQ(runs(), 3);
}

TEST_F(Load, ReportsWhatTheCompilerSaid) {
  const std::string file = write_spec("wrong.cpp", "int f() { return undeclared; }\n");
  const auto spec = load_specification(file);
  ASSERT_FALSE(spec.ok());
  EXPECT_EQ(spec.error().kind, ErrorKind::bad_input);
  EXPECT_EQ(spec.error().line, 7u);
  EXPECT_THAT(spec.error().message, HasSubstr("does not compile"));
  EXPECT_THAT(spec.error().message, HasSubstr("undeclared"));
  EXPECT_THAT(spec.error().details, HasSubstr("int f() { return undeclared; }\n"));
}

TEST_F(Load, AClassWithoutStateIsToldSo) {
  const auto spec = load_specification(write("stateless.cpp", R"(#include <plumb/describe.hpp>
struct T { int f() { return 1; } };
auto spec = plumb::describe<T>("t").method("f", &T::f);
)"));
  ASSERT_FALSE(spec.ok());
  EXPECT_THAT(spec.error().message, HasSubstr("auto state() const { return std::tie(a, b); }"));
}

TEST_F(Load, AMethodWhoseTypesNoHistoryHasIsToldSo) {
  const auto spec = load_specification(write_spec("unknown.cpp", R"(enum class Colour { red };
auto spec = plumb::describe<Steps>("steps").method("red", [](Steps&) { return Colour::red; });
)"));
  ASSERT_FALSE(spec.ok());
  EXPECT_THAT(spec.error().message, HasSubstr("need a plumb::Convert"));
}

TEST_F(Load, AStateThatCannotBeComparedIsToldSo) {
  const auto spec = load_specification(write("hidden.cpp", R"(#include <plumb/describe.hpp>
struct Hidden {};
struct T {
  Hidden hidden;
  auto state() const { return std::tie(hidden); }
};
auto spec = plumb::describe<T>("t");
)"));
  ASSERT_FALSE(spec.ok());
  EXPECT_THAT(spec.error().message, HasSubstr("state() holds a type that plumb cannot hash"));
}

TEST_F(Load, AFileThatIsNotThereIsMissing) {
  const auto spec = load_specification(folder_ / "nowhere.cpp");
  ASSERT_FALSE(spec.ok());
  EXPECT_EQ(spec.error().kind, ErrorKind::missing_file);
  const auto folder = load_specification(folder_);
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().kind, ErrorKind::missing_file);
}

TEST_F(Load, AFileDescribesExactlyOneSpecification) {
  const auto none = load_specification(write_spec("none.cpp"));
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "the file describes no specification");
  const auto several = load_specification(
      write_spec("several.cpp", kDescribed + "auto other = plumb::describe<Steps>(\"other\");\n"));
  ASSERT_FALSE(several.ok());
  EXPECT_EQ(several.error().message, "the file describes 2 specifications: steps, other");
}

TEST_F(Load, AnExceptionWhileItIsOpenedIsAnError) {
  const auto spec = load_specification(
      write_spec("early.cpp", "auto spec = plumb::describe<Steps>(\"steps\").blocks();\n"));
  ASSERT_FALSE(spec.ok());
  EXPECT_THAT(spec.error().message, HasSubstr("steps: .method(...) must come before"));
  const auto fine = load_specification(write_spec("fine.cpp", kDescribed));
  EXPECT_TRUE(fine.ok());
}

TEST_F(Load, WithoutACompilerSaysWhatToInstall) {
  setenv("CXX", "no-such-compiler", 1);
  const auto spec = load_specification(write_spec("fine.cpp", kDescribed));
  ASSERT_FALSE(spec.ok());
  EXPECT_EQ(spec.error().kind, ErrorKind::usage);
  EXPECT_NE(spec.error().remedy, "");
}

TEST_F(Load, WorksWithoutACache) {
  write("file", "");
  setenv("XDG_CACHE_HOME", (folder_ / "file").c_str(), 1);
  const auto spec = load_specification(write_spec("fine.cpp", kDescribed));
  ASSERT_TRUE(spec.ok()) << spec.error().to_string();
  EXPECT_EQ(Drive(**spec).run("step"), I(3));
}

TEST_F(Load, TwoFilesMayUseOneNameForDifferentClasses) {
  const auto three = load_specification(write_spec("three.cpp", kDescribed));
  const auto five = load_specification(write("five.cpp", R"(#include <plumb/describe.hpp>
struct Steps {
  std::string text;
  int at = 100;
  auto state() const { return std::tie(text, at); }
  int step() { text += "x"; return at += 5; }
};
)" + kDescribed));
  ASSERT_TRUE(three.ok());
  ASSERT_TRUE(five.ok());
  EXPECT_EQ(Drive(**three).run("step"), I(3));
  EXPECT_EQ(Drive(**five).run("step"), I(105));
}

}  // namespace
}  // namespace plumb
