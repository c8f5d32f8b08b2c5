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
    {"await y == 0", "await y == 0"},
    {"b = self % 2  b = 0", "b = 0"},
    {"if DCAS(x, y, a, b, v, 1) { b = 1 }", "if x == a && y == b { x = v  y = 1  b = 1 }"},
    {"a = doubled(x)", "a = x * 2 % 3"},
    // From here on with records, private variables, LL and SC, safe and regular registers,
    // names of processes.
    {"if true { local l = LL(x)  if SC(x, v) { b = 1 } }", "x = v  b = 1"},
    {"if true { local l = LL(x)  a = y  if SC(x, v) { b = 1 } }", "a = y  x = v  b = 1"},
    {"w.one = x  w.two = true  a = w.one", "a = x"},
    {"z = Pair(one = a, two = true)", "z = Pair(one = a, two = true)"},
    {"if z.two { b = 1 }", "if z.two { b = 1 }"},
    {"z.one = v", "z.one = v"},
    {"if CAS(m, 0, 1) { r = v  m = 0 }", "r = v"},
    {"a = r", "a = r"},
    {"if CAS(m, 0, 1) { s = v  m = 0 }", "s = v"},
    {"b = s", "b = s"},
    {"o = self", ""},
    {"if o == self { b = 1 }", "b = choose(0..1)"},
    {"if CAS(o, null, self) { b = 1  o = null }", "b = choose(0..1)"},
    {"k[self] = v", ""},
    {"a = k[self]", "a = choose(0..1)"},
    {"if true { local q = o  if q != null { k[q] = v } }", ""},
    {"if true { local q = o  if q != null { n[q] = self } }", ""},
    {"if true { local q = n[self]  if q == o { b = 1 } }", "b = choose(0..1)"},
    // From here on with nodes.
    {"p = new N(val = a)", "t = a + 1  u = 0"},
    {"p = null", "t = 0"},
    {"if true { local q = p  if q != null { a = q.val } }", "if t != 0 { a = t - 1 }"},
    {"if true { local q = p  if q != null { q.val = v } }", "if t != 0 { t = v + 1 }"},
    {"if true { local q = p  CAS(p, q, new N(val = v, next = q)) }", "t = v + 1  u = 0"},
    {"h = p  if h != null { a = h.val }  h = null", "if t != 0 { a = t - 1 }"},
    {"if true { local q = p  if q != null { q.pair.one = v } }", "if t != 0 { u = v }"},
    {"if true { local q = p  if q != null { a = q.pair.one } }", "if t != 0 { a = u }"},
};
constexpr std::size_t kPlain = 19, kWithoutNodes = 37;

}  // namespace

std::string random_model(std::mt19937& random, bool looping, bool plain) {
  const auto pick = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const std::size_t sizes[] = {kPlain, kWithoutNodes, std::size(kLines)};
  const std::size_t size = plain ? kPlain : sizes[pick(3)];
  std::string object, spec;
  const char* results[] = {"a", "b", "v"};
  for (const std::string op : {"f", "g"}) {
    std::string code, sequential;
    for (std::size_t i = 0, n = 1 + pick(3); i < n; ++i) {
      const Line& line = kLines[pick(size)];
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
  // For ever, a chain would grow without bound.
  for (std::size_t at = object.find(", next = q"); looping && at != std::string::npos;
       at = object.find(", next = q"))
    object.erase(at, 10);
  // Only what is needed is declared: the rest switches reductions off.
  std::string before, variables = "  shared x : 0..2 = 0, y : bit = 0\n";
  std::string states = "  state x : 0..2 = 0, y : bit = 0";
  if (size > kPlain) {
    before = "record Pair { one : 0..2, two : bool }\n";
    variables +=
        "  shared z : Pair, m : bit = 0, r : regular 0..1 = 0, s : safe bit = 0\n"
        "  shared o : process, k : bit[process], n : process[process]\n"
        "  private w : Pair\n";
    states += ", z : Pair, r : 0..1 = 0, s : bit = 0";
  }
  if (size > kWithoutNodes) {
    before += "node N[12] { val : 0..2, pair : Pair, next : *N }\n";
    variables += "  shared p : *N\n  private h : *N\n";
    states += ", t : 0..3 = 0, u : 0..2 = 0";
  }
  if (object.find("doubled") != std::string::npos)
    variables += "  proc doubled(d : 0..2) { return d * 2 % 3 }\n";
  return fmt::format("{}object O {{\n{}{}}}\nspec {{\n{}\n{}}}\nclients {{ {} }}\n", before,
                     variables, object, states, spec, looping ? "2 x any" : clients[pick(5)]);
}

}  // namespace plumb::refine
