// SPDX-License-Identifier: MIT
#include "lineup/matrices.hpp"

#include <algorithm>

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

void enumerate(const Object& object, const Alphabet& alphabet, int max_operations, int max_threads,
               const std::function<bool(const Matrix&)>& use) {
  const std::size_t units = alphabet.units.size();
  if (units == 0) return;
  bool more = true;
  // Lengths count units.
  for (int total = 2; total <= max_operations && more; ++total) {
    for (int threads = 2; threads <= std::min(total, max_threads) && more; ++threads) {
      std::vector<int> lengths;
      sums(total, threads, lengths, [&] {
        std::vector<std::size_t> digits(static_cast<std::size_t>(total), 0);
        while (more) {
          Matrix test{alphabet.initial, {}, alphabet.final};
          std::size_t at = 0;
          for (const int length : lengths) {
            Column column;
            for (int i = 0; i < length; ++i, ++at) {
              const Column& unit = alphabet.units[digits[at]];
              column.insert(column.end(), unit.begin(), unit.end());
            }
            test.columns.push_back(std::move(column));
          }
          if (allowed(test, object)) more = use(test);
          std::size_t i = digits.size();
          while (i > 0 && ++digits[i - 1] == units) digits[--i] = 0;
          if (i == 0) break;
        }
      });
    }
  }
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

}  // namespace plumb::lineup
