// SPDX-License-Identifier: MIT
#include "lineup/matrices.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace plumb::lineup {
namespace {

// The lengths of the columns: all ways to write n as a sum.
void sums(int rest, int threads, std::vector<int>& parts, const std::function<void()>& use) {
  if (threads == 0) return rest == 0 ? use() : void();
  for (int part = rest - threads + 1; part >= 1; --part) {
    parts.push_back(part);
    sums(rest - part, threads - 1, parts, use);
    parts.pop_back();
  }
}

// splitmix64: the standard library's distributions differ from one to the other.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::uint64_t below(std::uint64_t& state, std::uint64_t n) {
  // Numbers of the last, incomplete round would favour the small ones.
  const std::uint64_t limit = ~std::uint64_t{0} - ~std::uint64_t{0} % n;
  std::uint64_t x = next_random(state);
  while (x >= limit) x = next_random(state);
  return x % n;
}

}  // namespace

namespace {

std::vector<std::vector<int>> shapes_of(int units, int max_threads) {
  std::vector<std::vector<int>> shapes;
  for (int threads = 2; threads <= std::min(units, max_threads); ++threads) {
    std::vector<int> lengths;
    sums(units, threads, lengths, [&] { shapes.push_back(lengths); });
  }
  return shapes;
}

// So many units, cut into columns at so many places.
std::vector<int> draw_shape(int units, std::uint64_t cuts, std::uint64_t& state) {
  std::set<int> places;
  while (places.size() < cuts)
    places.insert(1 + static_cast<int>(below(state, static_cast<std::uint64_t>(units) - 1)));
  places.insert(units);
  std::vector<int> shape;
  int from = 0;
  for (const int to : places) shape.push_back(to - std::exchange(from, to));
  return shape;
}

Matrix test_of(const Alphabet& alphabet, const std::vector<int>& shape,
               const std::vector<std::size_t>& digits) {
  Matrix test{alphabet.initial, {}, alphabet.final};
  std::size_t at = 0;
  for (const int length : shape) {
    Column column;
    for (int i = 0; i < length; ++i, ++at) {
      const Column& unit = alphabet.units[digits[at]];
      column.insert(column.end(), unit.begin(), unit.end());
    }
    test.columns.push_back(std::move(column));
  }
  return test;
}

}  // namespace

bool enumerate_size(const Object& object, const Alphabet& alphabet, int units, int max_threads,
                    const std::function<bool(const Matrix&)>& use) {
  if (alphabet.units.empty()) return true;
  for (const std::vector<int>& shape : shapes_of(units, max_threads)) {
    std::vector<std::size_t> digits(static_cast<std::size_t>(units), 0);
    while (true) {
      const Matrix test = test_of(alphabet, shape, digits);
      if (allowed(test, object) && !use(test)) return false;
      std::size_t i = digits.size();
      while (i > 0 && ++digits[i - 1] == alphabet.units.size()) digits[--i] = 0;
      if (i == 0) break;
    }
  }
  return true;
}

void enumerate(const Object& object, const Alphabet& alphabet, int max_operations, int max_threads,
               const std::function<bool(const Matrix&)>& use) {
  // Lengths count units.
  bool more = true;
  for (int units = 2; units <= max_operations && more; ++units)
    more = enumerate_size(object, alphabet, units, max_threads, use);
}

double count_size(const Alphabet& alphabet, int units, int max_threads) {
  // Ways to write `units` as a sum of so many.
  double shapes = 0, ways = 1;
  for (int threads = 2; threads <= std::min(units, max_threads); ++threads) {
    ways = ways * (units - threads + 1) / (threads - 1);
    shapes += ways;
  }
  return shapes * std::pow(static_cast<double>(alphabet.units.size()), units);
}

std::vector<Matrix> draw_size(const Object& object, const Alphabet& alphabet, int units,
                              int max_threads, std::size_t count, std::uint64_t seed,
                              const std::function<bool(const Matrix&)>& is_wanted) {
  std::set<Matrix> tests;
  std::uint64_t state = seed;
  const std::size_t most_tries = 1000 * count;
  for (std::size_t tries = 0; tests.size() < count && tries < most_tries; ++tries) {
    const auto most_cuts = static_cast<std::uint64_t>(std::min(units, max_threads) - 1);
    const std::vector<int> shape = draw_shape(units, 1 + below(state, most_cuts), state);
    std::vector<std::size_t> digits;
    for (int i = 0; i < units; ++i) digits.push_back(below(state, alphabet.units.size()));
    Matrix test = test_of(alphabet, shape, digits);
    if (allowed(test, object) && is_wanted(test)) tests.insert(std::move(test));
  }
  return {tests.begin(), tests.end()};
}

std::vector<Matrix> sample(const Object& object, const Alphabet& alphabet, int rows, int columns,
                           int count, std::uint64_t seed) {
  std::vector<Matrix> tests;
  if (alphabet.units.empty()) return tests;
  // Roles may be for fewer threads.
  const auto of_fewer = [&] {
    return columns > 2 ? sample(object, alphabet, rows, columns - 1, count, seed) : tests;
  };
  std::uint64_t state = seed;
  // What may be called in each column, as far as that is known of a unit by itself.
  std::vector<std::vector<const Column*>> choices(static_cast<std::size_t>(columns));
  for (std::size_t c = 0; c < choices.size(); ++c) {
    for (const Column& unit : alphabet.units) {
      Matrix alone;
      alone.columns.resize(c);
      alone.columns.push_back(unit);
      if (allowed(alone, object)) choices[c].push_back(&unit);
    }
    if (choices[c].empty()) return of_fewer();
  }
  // The other roles may forbid some of what is drawn.
  for (int tries = 0; static_cast<int>(tests.size()) < count && tries < 1000 * count; ++tries) {
    Matrix test{alphabet.initial, {}, alphabet.final};
    for (int c = 0; c < columns; ++c) {
      Column column;
      for (int r = 0; r < rows; ++r) {
        const auto& possible = choices[static_cast<std::size_t>(c)];
        const Column& unit = *possible[below(state, possible.size())];
        column.insert(column.end(), unit.begin(), unit.end());
      }
      test.columns.push_back(std::move(column));
    }
    if (allowed(test, object)) tests.push_back(std::move(test));
  }
  return tests.empty() ? of_fewer() : tests;
}

std::vector<Matrix> sample_sizes(const Object& object, const Alphabet& alphabet,
                                 const Column& first, int rows, int columns, int count,
                                 std::uint64_t seed) {
  constexpr std::uint64_t kMostBefore = 3;
  std::vector<std::pair<int, int>> sizes;
  for (int r = std::min(rows, 2); r <= rows; ++r)
    for (int c = std::min(columns, 2); c <= columns; ++c) sizes.emplace_back(r, c);
  std::ranges::stable_sort(sizes, {}, [](const auto& size) { return size.first * size.second; });
  std::vector<Matrix> tests;
  std::set<Matrix> seen;
  std::uint64_t state = seed;
  // Large ones have very many serial histories: one in ten.
  const auto all = static_cast<std::size_t>(count);
  const std::size_t small = sizes.size() == 1 ? 0 : all - all / 10;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool is_last = i + 1 == sizes.size();
    const std::size_t until = is_last ? all : small * (i + 1) / (sizes.size() - 1);
    // Some are there already: a few more.
    for (int tries = 0; tries < 3 && tests.size() < until; ++tries) {
      const auto more = static_cast<int>(until - tests.size());
      for (Matrix& test : sample(object, alphabet, sizes[i].first, sizes[i].second, more, state)) {
        for (std::uint64_t n = first.empty() ? 0 : below(state, kMostBefore + 1); n > 0; --n)
          test.initial.push_back(first[below(state, first.size())]);
        if (seen.insert(test).second) tests.push_back(std::move(test));
      }
      (void)next_random(state);
    }
  }
  return tests;
}

}  // namespace plumb::lineup
