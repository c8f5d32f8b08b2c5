// SPDX-License-Identifier: MIT
// What the files of patterns share: a story, and what its operations do with values.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "explain/patterns.hpp"
#include "explain/words.hpp"

namespace plumb::report {

/// One file each; empty where none of its patterns fits. The last three require a story of an
/// object of such a family.
Pattern find_in_values(const Story& story);
Pattern find_in_cells(const Story& story);
Pattern find_in_collections(const Story& story);
Pattern find_in_numbers(const Story& story);

class PatternFinder {
 public:
  explicit PatternFinder(const Story& story)
      : story_(story), family_(story.specification().family()), culprit_(story.culprit()) {}

 protected:
  static std::string value(Value v) { return words(v); }
  Role role(OperationId op) const { return story_.method(op).role; }

  /// Labels are few and operations many, so each label is looked into once.
  template <class T, class Compute>
  const T& by_label(std::vector<std::optional<T>>& cache, OperationId op, Compute compute) const {
    const History& h = story_.history();
    if (cache.empty()) cache.resize(h.labels.size());
    std::optional<T>& slot = cache[h.label[op]];
    if (!slot) slot = compute(op);
    return *slot;
  }

  std::optional<std::size_t> initial_copies(Value v) const {
    const auto there = story_.specification().initial_values(story_.initial());
    if (!there) return std::nullopt;
    return static_cast<std::size_t>(std::count(there->begin(), there->end(), v));
  }

  const Story& story_;
  const Family family_;
  const OperationId culprit_;
};

}  // namespace plumb::report
