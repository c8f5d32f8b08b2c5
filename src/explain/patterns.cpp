// SPDX-License-Identifier: MIT
// Patterns of violations, by family of objects.
//
// The minimiser says which operations matter; this says what is the matter with them. Each
// pattern is a small theorem: its conditions are checked on every operation of the history that
// concerns the culprit's object and keys (Story::concerned), not only on those that are shown, so
// the sentence is true of the whole history and proves the violation by itself. Conditions err on
// the side of silence: an operation whose effect is not understood, or whose result is not known,
// makes the pattern fail, and explain() then says something general.
#include "explain/patterns.hpp"

#include <algorithm>

#include "explain/pattern_finder.hpp"
#include "spec/families.hpp"

namespace plumb::report {
namespace {

Pattern find_by_family(const Story& story) {
  const Family family = story.specification().family();
  if (kCells.contains(family) || family == Family::multi_register || family == Family::set)
    return find_in_cells(story);
  if (kCollections.contains(family)) return find_in_collections(story);
  return kNumbers.contains(family) ? find_in_numbers(story) : Pattern{};
}

}  // namespace

Pattern find_pattern(const Story& story) {
  if (story.stuck()) return {};
  Pattern found = find_in_values(story);
  if (found.sentence.empty()) found = find_by_family(story);
  if (found.sentence.empty()) return {};
  std::vector<OperationId>& operations = found.operations;
  operations.push_back(story.culprit());
  std::sort(operations.begin(), operations.end());
  operations.erase(std::unique(operations.begin(), operations.end()), operations.end());
  return found;
}

}  // namespace plumb::report
