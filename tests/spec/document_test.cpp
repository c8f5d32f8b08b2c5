// SPDX-License-Identifier: MIT
// docs/specifications.md says what the code does.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "spec/specifications.hpp"
#include "support/file_contents.hpp"

namespace plumb {
namespace {

const std::string kDocument = std::string(PLUMB_SOURCE_DIR) + "/docs/specifications.md";
const std::string kBegin = "<!-- generated from src/spec -->\n", kEnd = "<!-- end -->\n";

template <class Range>
std::string join(const Range& all, const std::string& quote = "`") {
  std::string text;
  for (const auto& item : all)
    text += (text.empty() ? "" : ", ") + quote + std::string(item) + quote;
  return text;
}

/// The paragraph in lines of at most 100 columns.
std::string wrap(const std::string& paragraph) {
  std::istringstream words(paragraph);
  std::string text, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > 100)
      text += std::exchange(line, "") + "\n";
    line += (line.empty() ? "" : " ") + word;
  }
  return text + line + "\n";
}

std::string result_text(const Method& method) {
  return method.nil_word.empty() ? method.result : method.result + ", null if " + method.nil_word;
}

std::string table_of(const NamedSpecification& named) {
  const Specification& spec = named.get();
  std::string text = "### " + spec.name() + "\n\n" + wrap(std::string(named.about)) + "\n";
  const std::string aliases =
      named.aliases.empty() ? "" : "Also called " + join(named.aliases) + ". ";
  text += wrap(aliases + "Initial value: " + std::string(named.initial) + ".") + "\n";
  text += "| method | arguments | result | blocks | partition key | pure | also called |\n";
  text += "|---|---|---|---|---|---|---|\n";
  for (const Method& method : spec.methods()) {
    std::vector<std::string> keys;
    for (const std::size_t i : method.key_args) keys.push_back(method.args[i]);
    const std::string key = method.keys.empty() ? join(keys, "") : method.keys;
    text += "| `" + method.name + "` | " + join(method.args, "") + " | " + result_text(method) +
            " | " + (method.blocks ? "yes" : "") + " | " + key + " | " + method.pure + " | " +
            join(method.aliases) + " |\n";
  }
  return text + "\n";
}

TEST(Document, TablesAreThoseOfTheCode) {
  std::string expected = kBegin + "\n";
  for (const NamedSpecification& named : named_specifications()) expected += table_of(named);
  expected += kEnd;
  std::string text = file_contents(kDocument);
  const std::size_t begin = text.find(kBegin), end = text.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::string present = text.substr(begin, end + kEnd.size() - begin);
  if (present != expected && std::getenv("PLUMB_APPROVE")) {
    std::ofstream(kDocument) << text.replace(begin, present.size(), expected);
    return;
  }
  EXPECT_TRUE(present == expected)
      << "docs/specifications.md is not what the code says; PLUMB_APPROVE=1 "
         "build/release/tests/spec/plumb_spec_test --gtest_filter='Document.*' rewrites it";
}

TEST(Document, QuotesTheExampleThatIsCompiled) {
  std::string example =
      file_contents(std::string(PLUMB_SOURCE_DIR) + "/examples/bounded_queue.cpp");
  example.erase(0, example.find("#include"));
  EXPECT_NE(file_contents(kDocument).find("```cpp\n" + example + "```"), std::string::npos)
      << "docs/specifications.md must quote examples/bounded_queue.cpp";
}

}  // namespace
}  // namespace plumb
