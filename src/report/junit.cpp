// SPDX-License-Identifier: MIT
#include "report/junit.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace plumb::report {
namespace {

std::string junit_escaped(std::string_view text, bool in_attribute) {
  std::string out;
  for (const char c : text::sanitized(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;  // "]]>" must not stand in text
      case '"': out += "&quot;"; break;
      case '\n':
        out += in_attribute ? "&#10;" : "\n";  // a reader would make it a blank
        break;
      case '\t': out += in_attribute ? "&#9;" : "\t"; break;
      default: out += c;
    }
  }
  return out;
}

std::string junit_attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, junit_escaped(value, true));
}

std::string junit_element(const Case& one) {
  const std::string text = junit_escaped(one.text, false);
  if (one.outcome == CaseVerdict::holds)
    return text.empty() ? "" : fmt::format("<system-out>{}</system-out>", text);
  const std::string_view element = one.outcome == CaseVerdict::violation ? "failure" : "error";
  return fmt::format("<{0}{1}{2}>{3}</{0}>", element,
                     junit_attribute("type", to_string(one.outcome)),
                     junit_attribute("message", one.message), text);
}

}  // namespace

std::string junit(const std::string& suite, const std::string& group,
                  const std::vector<Case>& cases, double seconds) {
  std::size_t failures = 0, errors = 0;
  std::string elements;
  for (const Case& one : cases) {
    failures += one.outcome == CaseVerdict::violation;
    errors += one.outcome == CaseVerdict::undecided || one.outcome == CaseVerdict::error;
    elements += fmt::format("  <testcase{}{} time=\"{:.6f}\">{}</testcase>\n",
                            junit_attribute("classname", group), junit_attribute("name", one.name),
                            one.seconds, junit_element(one));
  }
  const std::string counts =
      fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"{:.6f}\"",
                  cases.size(), failures, errors, seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites{0}>\n<testsuite{1}{0}>\n{2}"
      "</testsuite>\n</testsuites>\n",
      counts, junit_attribute("name", suite), elements);
}

}  // namespace plumb::report
