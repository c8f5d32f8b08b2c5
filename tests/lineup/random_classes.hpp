// SPDX-License-Identifier: MIT
// Random small classes, and random tests of them. PLUMB_CLASSES_N says how many are tried,
// PLUMB_SEED which.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lineup/simulated.hpp"
#include "support/draws.hpp"

namespace plumb::lineup {

using test::Draws;
using test::seed;

inline std::uint64_t classes() { return test::number_from("PLUMB_CLASSES_N", 150); }

using Random = std::mt19937_64;

inline int draw(Random& random, int n) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(n));
}

// Some of two variables is read, written, counted or waited for, in up to so many steps a method.
inline Simulated random_class(Random& random, int max_steps) {
  std::vector<SimulatedMethod> methods;
  for (int m = 0; m < 3; ++m) {
    std::vector<std::function<Step(Shared&, Local&)>> steps;
    const int count = 1 + draw(random, max_steps);
    for (int i = 0; i < count; ++i) {
      const auto v = static_cast<std::size_t>(draw(random, 2));
      const int what = draw(random, 6), c = 1 + draw(random, 2);
      const bool is_last = i + 1 == count;
      steps.push_back([=](Shared& s, Local& l) {
        const auto on = [&] {
          return is_last ? returns(l.x == 0 ? "null" : std::to_string(l.x)) : next();
        };
        switch (what) {
          case 0: return l.x = s[v], on();
          case 1: return s[v] = l.x + c, on();
          case 2: return s[v] = (s[v] + c) % 4, on();
          case 3: return l.x += s[v], on();
          case 4: return s[v] == 0 ? blocks() : (s[v] = 0, l.x = c, on());
          default: return l.x = s[v], s[v] = c, on();
        }
      });
    }
    const std::string name(1, static_cast<char>('f' + m));
    methods.push_back({name, name + "()", steps});
  }
  return {"Random", {0, 0}, std::move(methods)};
}

inline Matrix random_test(Random& random, int threads, int rows) {
  Matrix test;
  for (int t = 0; t < threads; ++t) {
    test.columns.emplace_back();
    for (int i = 1 + draw(random, rows); i > 0; --i) test.columns.back().push_back(draw(random, 3));
  }
  return test;
}

}  // namespace plumb::lineup
