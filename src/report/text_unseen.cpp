// SPDX-License-Identifier: MIT
// What plumb test cannot see, for people.
#include <algorithm>

#include "base/text.hpp"
#include "report/text_parts.hpp"

namespace plumb::report {
namespace {

constexpr std::size_t kMostNames = 4;

std::string words_of(const UnseenCode& code) {
  if (code.file.empty())
    return "an operation does something before its first visible step (inline assembly?)";
  std::vector<std::string> names = code.functions;
  const std::size_t more = names.size() - std::min(names.size(), kMostNames);
  names.resize(names.size() - more);
  if (more > 0) names.push_back(text::count_words(more) + " more functions");
  const bool is_one = names.size() == 1 && more == 0;
  return (names.empty() ? "code" : text::list_words(names, "and")) + " of " + code.file +
         (is_one || names.empty() ? " was" : " were") + " compiled without -fsanitize=thread";
}

}  // namespace

std::string unseen_words(const std::vector<UnseenCode>& code) {
  std::vector<std::string> all;
  for (const UnseenCode& one : code) all.push_back(words_of(one));
  return text::list_words(all, "and");
}

std::string unseen_text(const Report& report) {
  if (report.unseen.empty()) return {};
  return text::paragraph_words("Only between visible points: " + unseen_words(report.unseen) +
                                   ", so threads are not switched there, and races are not judged.",
                               100);
}

}  // namespace plumb::report
