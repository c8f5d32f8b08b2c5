// SPDX-License-Identifier: MIT
#include "random_models.hpp"

#include <fmt/format.h>

#include <iterator>

namespace plumb::refine {
namespace {

struct Line {
  const char *object, *spec;
};
constexpr Line kLines[] = {
    {"a = x", "a = x"},
    {"a = x", "a = x"},
    {"x = a", "x = a"},
    {"x = v", "x = v"},
    {"y = v", "y = v"},
    {"b = y", "b = y"},
    {"x = (a + 1) % 3", "x = (a + 1) % 3"},
    {"if y == 1 { a = 2 }", "if y == 1 { a = 2 }"},
    {"if a == 1 { y = 1 } else { x = 1 }", "if a == 1 { y = 1 } else { x = 1 }"},
    {"CAS(x, a, 1)", "if x == a { x = 1 }"},
    {"if CAS(x, a, v) { b = 1 }", "if x == a { x = v  b = 1 }"},
    {"a = SWAP(x, v)", "a = x  x = v"},
    {"atomic { a = x  x = (a + 1) % 3 }", "a = x  x = (a + 1) % 3"},
    {"a = choose(0..1)", "a = choose(0..1)"},
    {"await x != 1", "await x != 1"},
    {"b = self % 2  b = 0", "b = 0"},
};

}  // namespace

std::string random_model(std::mt19937& random, bool looping) {
  const auto pick = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  std::string object, spec;
  const char* results[] = {"a", "b", "v"};
  for (const std::string op : {"f", "g"}) {
    std::string code, sequential;
    for (std::size_t i = 0, n = 1 + pick(3); i < n; ++i) {
      const Line& line = kLines[pick(std::size(kLines))];
      code += fmt::format("    {}\n", line.object);
      sequential += fmt::format("    {}\n", line.spec);
    }
    const char* result = results[pick(3)];
    const std::string frame =
        "    local a : 0..2 = 0\n    local b : 0..1 = 0\n{}    return {}\n  }}\n";
    object +=
        fmt::format("  op {}(v : 0..1) {{\n", op) + fmt::format(fmt::runtime(frame), code, result);
    spec +=
        fmt::format("  op {}(v) {{\n", op) + fmt::format(fmt::runtime(frame), sequential, result);
  }
  const char* clients[] = {"2 x any at most 1", "3 x any at most 1",
                           "1 x f(any) at most 2; 1 x any at most 1",
                           "2 x { f(1) ; g(0) } at most 2", "2 x f(any) at most 2"};
  return fmt::format(
      "object O {{\n  shared x : 0..2 = 0, y : bit = 0\n{}}}\n"
      "spec {{\n  state x : 0..2 = 0, y : bit = 0\n{}}}\nclients {{ {} }}\n",
      object, spec, looping ? "2 x any" : clients[pick(5)]);
}

}  // namespace plumb::refine
