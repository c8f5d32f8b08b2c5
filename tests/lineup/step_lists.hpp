// SPDX-License-Identifier: MIT
// Random small classes: methods are lists of steps on a few atomic variables. One description of
// them, from a seed, for both sides of the comparison (agree_test.py): step_lists.cpp runs them in
// the simulation, agree_subject.cpp as real code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::agree {

// x is the caller's own: its argument, or 0.
enum class Do : std::uint8_t {
  load,       // x = v
  sum,        // x += v
  store,      // v = x + c
  add,        // v += c
  fetch_add,  // x = v, v += c
  exchange,   // x = v, v = c
  compare,    // if v == x: v = c, x = 1; else x = 0
  await,      // waits until v is not 0
  take,       // ... and makes it 0; x = c
  throws,     // if x is odd: throws
  returns,    // if x is even: returns
};
inline bool touches(Do what) { return what < Do::throws; }
inline bool waits(Do what) { return what == Do::await || what == Do::take; }

// How a variable is waited for.
enum class Wait : std::uint8_t { spin, yield, condition, atomic };

// What a method returns.
enum class Gives : std::uint8_t { number, nothing, optional, text, pair };

struct Action {
  Do what;
  int variable;
  int c;
};
struct Method {
  std::vector<Action> actions;
  Gives gives;
  bool has_argument;  // 1 or 2
  bool locks;         // all of it, under the class's mutex
};
struct Class {
  std::vector<int> initial;
  std::vector<Wait> wait;  // by variable
  std::vector<Method> methods;
  std::vector<std::string> tests;
};

// splitmix64: the same anywhere.
class Draw {
 public:
  // Not by the increment: the seeds would have the same numbers, shifted.
  explicit Draw(std::uint64_t seed) : state_((seed + 1) * 0xd1342543de82ef95) {}
  int operator()(int n) {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<int>((z ^ (z >> 31)) % static_cast<std::uint64_t>(n));
  }

 private:
  std::uint64_t state_;
};

inline std::string method_name(std::size_t number) {
  return std::string(1, static_cast<char>('f' + number));
}

// About so many it takes in real code.
inline int real_steps(const Action& action, Wait wait) {
  const bool writes = action.what != Do::load && action.what != Do::sum && !waits(action.what);
  switch (wait) {
    case Wait::spin:
    case Wait::yield: return action.what == Do::take ? 2 : 1;
    case Wait::condition: return waits(action.what) ? 5 : writes ? 4 : 1;
    case Wait::atomic: return waits(action.what) ? 5 : writes ? 2 : 1;
  }
  return 1;
}

inline Class random_class(std::uint64_t seed) {
  Draw draw(seed);
  Class result;
  const int variables = 2 + draw(2);
  for (int v = 0; v < variables; ++v) {
    result.initial.push_back(draw(4) == 0 ? 1 : 0);
    result.wait.push_back(static_cast<Wait>(draw(4)));
  }
  const bool any_waits = draw(3) != 0;
  for (int m = 0; m < 3; ++m) {
    Method method;
    const int count = 1 + draw(3);
    for (int i = 0; i < count; ++i) {
      auto what = static_cast<Do>(draw(7));
      if (any_waits && draw(4) == 0) what = draw(2) == 0 ? Do::await : Do::take;
      method.actions.push_back({what, draw(variables), 1 + draw(2)});
      if (draw(6) == 0) method.actions.push_back({Do::throws, 0, draw(3)});
      if (draw(8) == 0) method.actions.push_back({Do::returns, 0, 0});
    }
    method.gives = static_cast<Gives>(draw(5));
    method.has_argument = draw(4) == 0;
    method.locks = draw(4) == 0;
    result.methods.push_back(method);
  }
  // Tests of few enough steps that all interleavings can be tried.
  const auto operation = [&](int& steps) {
    const auto m = static_cast<std::size_t>(draw(3));
    const Method& method = result.methods[m];
    for (const Action& a : method.actions) {
      if (touches(a.what))
        steps += real_steps(a, result.wait[static_cast<std::size_t>(a.variable)]);
    }
    steps += method.locks ? 2 : 0;
    return method_name(m) + (method.has_argument ? draw(2) == 0 ? "(1)" : "(2)" : "()");
  };
  for (int i = 0; i < 50 && result.tests.size() < 4; ++i) {
    int most = 0;
    double interleavings = 1;
    int all = 0, outside = 0;
    std::string test;
    if (draw(4) == 0) test += "pre " + operation(outside) + "; ";
    const int threads = 2 + draw(2);
    for (int t = 0; t < threads; ++t) {
      int steps = 0;
      test += (t == 0 ? "" : " | ") + operation(steps);
      if (draw(threads) == 0) test += ", " + operation(steps);
      for (int i = 1; i <= steps; ++i) interleavings *= static_cast<double>(++all) / i;
      most = steps > most ? steps : most;
    }
    if (draw(4) == 0) test += "; post " + operation(outside);
    if (interleavings < 20'000) result.tests.push_back(test);
  }
  return result;
}

}  // namespace plumb::agree
