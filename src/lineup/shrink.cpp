// SPDX-License-Identifier: MIT
#include "lineup/shrink.hpp"

#include <algorithm>
#include <set>

namespace plumb::lineup {
namespace {

bool keeps(const Matrix& test, const Kept& kept) {
  return kept.units.empty() || std::ranges::all_of(test.columns, [&](const Column& column) {
           return is_made_of(column, kept.units);
         });
}

// Tests that are one step smaller, those that are much smaller first.
std::vector<Matrix> smaller(const Matrix& test, const Object& object, const Kept& kept) {
  std::vector<Matrix> all;
  const auto add = [&](Matrix candidate) {
    std::erase_if(candidate.columns, [](const Column& column) { return column.empty(); });
    if (!candidate.columns.empty() && allowed(candidate, object) && keeps(candidate, kept))
      all.push_back(std::move(candidate));
  };
  for (std::size_t c = 0; c < test.columns.size(); ++c) {
    Matrix candidate = test;
    candidate.columns[c].clear();
    add(std::move(candidate));
  }
  const auto without_each = [&](auto column_of, std::size_t unit) {
    const std::size_t length = column_of(test).size();
    // From the end of a column first: that leaves a prefix (Lemma 8).
    for (std::size_t end = length; end >= unit; --end) {
      Matrix candidate = test;
      Column& column = column_of(candidate);
      const auto last = column.begin() + static_cast<std::ptrdiff_t>(end);
      column.erase(last - static_cast<std::ptrdiff_t>(unit), last);
      add(std::move(candidate));
    }
  };
  std::set<std::size_t> lengths;
  for (const Column& unit : kept.units) lengths.insert(unit.size());
  if (lengths.empty()) lengths = {1};
  if (!kept.final)
    without_each(
        [](auto& t) -> auto& { return t.final; }, 1);
  for (std::size_t c = 0; c < test.columns.size(); ++c) {
    for (const std::size_t unit : lengths)
      without_each(
          [c](auto& t) -> auto& { return t.columns[c]; }, unit);
  }
  if (!kept.initial)
    without_each(
        [](auto& t) -> auto& { return t.initial; }, 1);
  return all;
}

// The same calls with an earlier value of their arguments.
std::vector<Matrix> simpler(const Matrix& test, const Object& object, const Kept& kept) {
  std::vector<Matrix> all;
  const auto with_each = [&](auto column_of) {
    for (std::size_t i = 0; i < column_of(test).size(); ++i) {
      const auto now = static_cast<std::size_t>(column_of(test)[i]);
      for (std::size_t other = 0; other < now; ++other) {
        if (object.invocations[other].method != object.invocations[now].method) continue;
        Matrix candidate = test;
        column_of(candidate)[i] = static_cast<int>(other);
        if (keeps(candidate, kept)) all.push_back(std::move(candidate));
      }
    }
  };
  if (!kept.initial) with_each([](auto& t) -> auto& { return t.initial; });
  for (std::size_t c = 0; c < test.columns.size(); ++c)
    with_each([c](auto& t) -> auto& { return t.columns[c]; });
  if (!kept.final) with_each([](auto& t) -> auto& { return t.final; });
  return all;
}

}  // namespace

bool is_made_of(const Column& column, const std::vector<Column>& units) {
  std::vector<bool> reached(column.size() + 1, false);
  reached[0] = true;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (!reached[i]) continue;
    for (const Column& unit : units) {
      if (i + unit.size() <= column.size() &&
          std::equal(unit.begin(), unit.end(), column.begin() + static_cast<std::ptrdiff_t>(i)))
        reached[i + unit.size()] = true;
    }
  }
  return reached.back();
}

Shrunk shrink(const Object& object, const Kept& kept, Matrix test, int preemptions,
              int max_preemptions, const Fails& fails) {
  Shrunk result{std::move(test), preemptions, 0};
  std::set<std::pair<Matrix, int>> passed;
  const auto still_fails = [&](const Matrix& candidate, int bound) {
    if (passed.contains({candidate, bound})) return false;
    ++result.tried;
    if (fails(candidate, bound)) return true;
    passed.insert({candidate, bound});
    return false;
  };
  // Takes the first candidate that fails, until none does.
  const auto descend = [&](auto candidates_of, int bound) {
    bool any = false;
    for (bool found = true; found;) {
      found = false;
      for (Matrix& candidate : candidates_of(result.test, object, kept)) {
        if (!still_fails(candidate, bound)) continue;
        result.test = std::move(candidate);
        result.preemptions = bound;
        any = found = true;
        break;
      }
    }
    return any;
  };
  descend(smaller, preemptions);
  for (int bound = preemptions + 1; preemptions >= 0 && bound <= max_preemptions; ++bound)
    descend(smaller, bound);
  descend(simpler, result.preemptions);
  const int enough = result.preemptions < 0 ? max_preemptions : result.preemptions - 1;
  for (int bound = 0; bound <= enough; ++bound) {
    if (!still_fails(result.test, bound)) continue;
    result.preemptions = bound;
    break;
  }
  return result;
}

}  // namespace plumb::lineup
