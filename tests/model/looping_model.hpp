// SPDX-License-Identifier: MIT
// Random small objects that loop, wait and fail, for questions that do not depend on results: the
// specification allows every one.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <random>
#include <string>

namespace plumb::refine {

inline std::string looping_model(std::mt19937& random) {
  static constexpr const char* kLines[] = {
      "a = x",
      "x = a",
      "x = v",
      "y = v",
      "if y == 1 { a = 2 }",
      "if a == 1 { y = 1 } else { x = 1 }",
      "if CAS(x, a, v) { y = 1 } else { a = 1 }",
      "CAS(y, 0, 1)",
      "while y == 1 { a = 0 }",
      "while x == a { }",
      "repeat { a = x } until CAS(x, a, v)",
      "repeat { if a == 2 { break }  a = x } until CAS(y, 0, 1)",
      "await x != 1",
      "await y == 0",
      "atomic { await y == 0 ; y = 1 }",
      "if a == 2 { return 2 }",
      "y = 0"};
  static constexpr const char* kClients[] = {"2 x any",
                                             "1 x f(any) ; 1 x g(any)",
                                             "2 x { f(1) ; g(0) }",
                                             "2 x { f(1) ; g(0) } at most 3",
                                             "1 x f(0) ; 1 x f(1)",
                                             "2 x f(any) at most 2"};
  const auto pick = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  std::string ops;
  for (const char* op : {"f", "g"}) {
    ops += fmt::format("  op {}(v : 0..1) {{\n    local a : 0..2 = 0\n", op);
    for (std::size_t i = 0, n = 1 + pick(3); i < n; ++i)
      ops += fmt::format("    {}\n", kLines[pick(std::size(kLines))]);
    ops += "    return a\n  }\n";
  }
  return fmt::format(
      "object O {{\n  shared x : 0..2 = 0, y : bit = 0\n{}}}\n"
      "spec {{\n  op f(v) {{ return choose(0..2) }}\n  op g(v) {{ return choose(0..2) }}\n}}\n"
      "clients {{ {} }}\n",
      ops, kClients[pick(std::size(kClients))]);
}

}  // namespace plumb::refine
