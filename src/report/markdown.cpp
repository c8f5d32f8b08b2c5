// SPDX-License-Identifier: MIT
// Values come from anywhere. Where text runs, all that Markdown or HTML could take for its own is
// escaped; reports stand in blocks of code, behind a fence that is longer than any inside.
#include "report/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace plumb::report {
namespace {

// GitHub shows no summary of more than a MiB.
constexpr std::size_t kLongestBlock = 60'000;

std::string_view markdown_verdict(CaseVerdict outcome) {
  switch (outcome) {
    case CaseVerdict::holds: return "HOLDS";
    case CaseVerdict::violation: return "VIOLATION";
    case CaseVerdict::undecided: return "UNDECIDED";
    case CaseVerdict::error: break;
  }
  return "ERROR";
}

std::string markdown_escaped(std::string_view text) {
  std::string out;
  for (const char c : text::sanitized(text)) {
    if (std::string_view("\\`*_[]<>|~&#$!").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' || c == '\t' ? ' ' : c;
  }
  return out;
}

std::string markdown_block(std::string_view language, std::string_view text) {
  std::string_view rest;
  if (text.size() > kLongestBlock) {
    rest = text.substr(text.rfind('\n', kLongestBlock) + 1);  // or all of it
    text.remove_suffix(rest.size());
  }
  std::string shown = text::sanitized(text);
  if (!rest.empty()) {
    const auto lines = static_cast<std::uint64_t>(std::count(rest.begin(), rest.end(), '\n'));
    shown += fmt::format("... and {} more\n", text::count_words(lines, "line"));
  }
  if (!shown.ends_with('\n')) shown += '\n';
  std::size_t run = 0, longest = 2;
  for (const char c : shown) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("\n{0}{1}\n{2}{0}\n", fence, language, shown);
}

std::string markdown_section(const Case& one) {
  std::string out = fmt::format("### {}: {}\n\n{}\n", markdown_verdict(one.outcome),
                                markdown_escaped(one.name), markdown_escaped(one.message));
  if (!one.text.empty()) out += markdown_block("text", one.text);
  if (!one.replay.empty()) out += "\nReplay:\n" + markdown_block("sh", one.replay);
  return out + "\n";
}

}  // namespace

std::string markdown(const std::vector<Case>& cases) {
  if (cases.size() == 1) return markdown_section(cases.front());
  std::string out = "| verdict | |\n|---|---|\n";
  for (const Case& one : cases)
    out +=
        fmt::format("| {} | {} |\n", markdown_verdict(one.outcome), markdown_escaped(one.message));
  out += "\n";
  for (const Case& one : cases)
    if (one.outcome != CaseVerdict::holds) out += markdown_section(one);
  return out;
}

}  // namespace plumb::report
