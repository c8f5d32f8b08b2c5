// SPDX-License-Identifier: MIT
#include "plumb/describe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <ostream>
#include <unordered_set>

#include "spec/drive.hpp"

namespace plumb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

enum class Colour { red, green };

struct Base {
  int inherited() const { return 5; }
};

struct Kitchen : Base {
  std::map<std::string, std::vector<int>> shelves;
  std::optional<double> weight;
  std::pair<bool, char> mark{false, 'a'};

  auto state() const { return std::tie(shelves, weight, mark); }

  void put(const std::string& shelf, int v) { shelves[shelf].push_back(v); }
  std::optional<int> take(std::string shelf) {
    auto& all = shelves[shelf];
    if (all.empty()) return shelves.erase(shelf), std::nullopt;
    const int v = all.back();
    all.pop_back();
    if (all.empty()) shelves.erase(shelf);
    return v;
  }
  std::vector<int> list(const std::string& shelf) const { return shelves.at(shelf); }
  std::tuple<std::string, double, bool> both(double by) noexcept {
    weight = weight.value_or(0) + by;
    return {"w", *weight, mark.first};
  }
  std::set<std::string> names() const noexcept {
    std::set<std::string> all;
    for (const auto& [name, items] : shelves) all.insert(name);
    return all;
  }
  int sum(std::pair<int, int> p, std::optional<int> more) {
    return p.first + p.second + more.value_or(0);
  }
  std::uint8_t byte(std::uint8_t b) const { return b; }
};

Description<Kitchen> kitchen() {
  return describe<Kitchen>("kitchen")
      .method("put", &Kitchen::put)
      .arguments("shelf", "v")
      .alias("Store", "place")
      .key(0)
      .method("take", &Kitchen::take)
      .method("list", &Kitchen::list)
      .method("both", &Kitchen::both)
      .method("names", &Kitchen::names)
      .method("sum", &Kitchen::sum)
      .optional_arguments(1)
      .method("byte", &Kitchen::byte)
      .method("inherited", &Kitchen::inherited)
      .method("flip", [](Kitchen& k) { return k.mark.first = !k.mark.first; })
      .method("marked", [](const Kitchen& k, bool wanted) { return k.mark.first == wanted; });
}

TEST(Describe, ConvertsArgumentsAndResultsOfManyTypes) {
  const auto spec = kitchen();
  Drive d(spec);
  d.run("put", {S("a"), I(1)});
  d.run("store", {S("a"), I(2)});
  EXPECT_EQ(d.run("list", {S("a")}), ints({1, 2}));
  EXPECT_EQ(d.run("take", {S("b")}), kNil);
  EXPECT_EQ(d.run("take", {S("a")}), I(2));
  EXPECT_EQ(d.run("both", {I(2)}), L({S("w"), Value::real(2.0), B(false)}));
  EXPECT_TRUE(d.legal("both", {Value::real(0.5)}, L({S("w"), Value::real(2.5), B(false)})));
  EXPECT_EQ(d.run("sum", {L({I(1), I(2)})}), I(3));
  EXPECT_EQ(d.run("sum", {L({I(1), I(2)}), I(4)}), I(7));
  EXPECT_EQ(d.run("inherited"), I(5));
  EXPECT_EQ(d.run("flip"), B(true));
  EXPECT_EQ(d.run("marked", {B(true)}), B(true));
  EXPECT_EQ(d.print(), "({\"a\":[1]},2.5,(true,97))");
}

TEST(Describe, ComparesResultsInTheMethodsOwnType) {
  const auto spec = kitchen();
  Drive d(spec);
  EXPECT_TRUE(d.legal("both", {I(1)}, L({S("w"), I(1), B(false)}))) << "1 is the number 1.0";
  d.run("put", {S("b"), I(1)});
  d.run("put", {S("a"), I(1)});
  EXPECT_TRUE(d.legal("names", {}, L({S("b"), S("a")}))) << "a set has no order";
}

TEST(Describe, SaysWhatATypeExpects) {
  const auto spec = kitchen();
  EXPECT_EQ(rejected(spec, "put", {I(1), I(2)}), "argument 1 of put must be a string, got 1");
  EXPECT_EQ(
      rejected(spec, "put", {S("x"), I(1LL << 40)}),
      "argument 2 of put must be an integer from -2147483648 to 2147483647, got 1099511627776");
  EXPECT_EQ(rejected(spec, "byte", {I(256)}),
            "argument 1 of byte must be an integer from 0 to 255, got 256");
  EXPECT_EQ(rejected(spec, "take", {S("x")}, B(true)), "take returns an integer or null, got true");
  EXPECT_EQ(rejected(spec, "list", {S("x")}, L({I(1), S("x")})),
            "list returns a list, each item of it an integer, got [1,\"x\"]");
  EXPECT_EQ(rejected(spec, "both", {S("x")}), "argument 1 of both must be a number, got \"x\"");
  EXPECT_EQ(rejected(spec, "both", {I(1)}, L({S("w"), B(true), B(true)})),
            "both returns a list whose item 2 is a number, got [\"w\",true,true]");
  EXPECT_EQ(rejected(spec, "sum", {L({I(1)})}), "argument 1 of sum must be a list of 2, got [1]");
  EXPECT_EQ(rejected(spec, "sum", {}), "sum takes 1 to 2 arguments (arg1, arg2), got 0");
  EXPECT_EQ(rejected(spec, "sum", {L({I(1), I(2)}), kNil}), "");
}

TEST(Describe, DeducesWhatNeedsNoWords) {
  const auto spec = kitchen();
  const auto method = [&](const char* name) {
    return spec.table().methods()[*spec.table().find(name)];
  };
  EXPECT_TRUE(method("put").returns_nothing);
  EXPECT_FALSE(method("take").nil_is_unrecorded) << "nil is one of its results";
  EXPECT_TRUE(method("byte").nil_is_unrecorded);
  EXPECT_EQ(method("list").pure, "always");
  EXPECT_EQ(method("marked").pure, "always");
  EXPECT_EQ(method("flip").pure, "");
  EXPECT_TRUE(spec.table().pure(label_of(spec, "marked", {B(true)}, {})));
  EXPECT_THAT(method("put").args, ElementsAre("shelf", "v"));
  EXPECT_THAT(spec.table().keys(label_of(spec, "put", {S("x"), I(1)}, {})), ElementsAre(S("x")));
  EXPECT_EQ(spec.table().initial_values({}), std::nullopt);
  EXPECT_EQ(spec.table().reject_initial(I(1)),
            "the initial value of kitchen must be none: it always starts in the same state, got 1");
}

TEST(Describe, AnExceptionOfAMethodIsNamed) {
  const auto spec = kitchen();
  Drive d(spec);
  try {
    d.run("list", {S("nowhere")});
    FAIL() << "no exception";
  } catch (const SpecificationError& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("list(\"nowhere\") of the specification kitchen threw: map::at"));
  }
}

TEST(Describe, CopiesOfADescriptionAreOneTable) {
  auto spec = kitchen();
  const auto copy = spec;
  EXPECT_EQ(&copy.table(), &spec.table());
  const Specification& converted = copy;
  EXPECT_EQ(&converted, &spec.table());
}

TEST(Describe, WordsAboutNoMethodAreAMistakeInTheProgram) {
  EXPECT_THROW(describe<Kitchen>("kitchen").alias("x"), std::logic_error);
}

struct Light {
  Colour colour = Colour::red;
  auto state() const { return std::tie(colour); }

  void set(Colour c) { colour = c; }
  std::optional<Colour> get() { return colour; }
  int plain() const& noexcept { return 3; }
};
int add(Light& light, int by) {
  light.colour = Colour::green;
  return by + 1;
}

TEST(Describe, AMethodUnderTestMayHaveTypesThatNoHistoryHas) {
  const auto spec = describe<Light>("light")
                        .method("set", &Light::set, values(Colour::red))
                        .method("get", &Light::get)
                        .method("plain", &Light::plain)
                        .method("add", add);
  EXPECT_EQ(rejected(spec, "set", {I(1)}),
            "argument 1 of set must be a value with a plumb::Convert, got 1");
  EXPECT_EQ(rejected(spec, "get", {}, I(1)), "get returns a value with a plumb::Convert, got 1");
  Drive d(spec);
  EXPECT_EQ(d.run("plain"), I(3));
  EXPECT_EQ(d.run("add", {I(4)}), I(5));
  EXPECT_EQ(d.print(), "1");
  EXPECT_THROW(d.run("get"), SpecificationError);
}

template <class... T>
std::vector<std::string> texts(const T&... results) {
  return {detail::result_text(results)...};
}

struct Printed {
  std::string text;
  friend std::ostream& operator<<(std::ostream& out, const Printed& p) { return out << p.text; }
};

TEST(ResultText, OfNumbers) {
  EXPECT_THAT(texts(-1, std::numeric_limits<std::int64_t>::min(),
                    std::numeric_limits<std::uint64_t>::max(), true, Colour::green, 'a'),
              ElementsAre("-1", "-9223372036854775808", "18446744073709551615", "true", "1", "97"));
  EXPECT_THAT(texts(0.1, 0.1f, 0.1L, 1.0, -0.0, 1e300),
              ElementsAre("0.1", "0.1", "0.1", "1.0", "0.0", "1e+300"));
  EXPECT_THAT(texts(std::nextafter(0.1, 1), std::nextafter(1.0L, 2.0L), -std::nan(""), 1 / 0.0),
              ElementsAre("0.10000000000000002", "1.0000000000000000001", "nan", "inf"));
}

TEST(ResultText, OfWhatMayBeNothing) {
  using Maybe = std::optional<int>;
  using Twice = std::optional<Maybe>;
  EXPECT_THAT(texts(Maybe(), Maybe(1)), ElementsAre("null", "1"));
  EXPECT_THAT(texts(Twice(), Twice(Maybe()), Twice(1)), ElementsAre("null", "[null]", "1"));
  EXPECT_THAT(texts(std::optional<Twice>(), std::optional<Twice>(Twice()),
                    std::optional<Twice>(Twice(Maybe()))),
              ElementsAre("null", "[null]", "[[null]]"));
  EXPECT_THAT(texts(std::optional(std::vector{Maybe()}), std::optional(std::vector<Maybe>())),
              ElementsAre("[null]", "[]"))
      << "this cannot be an empty one";
  EXPECT_THAT(texts(std::unique_ptr<Maybe>(), std::make_unique<Maybe>()),
              ElementsAre("null", "[null]"));
  EXPECT_THAT(texts(static_cast<const char*>(nullptr), "null", std::optional<const char*>(nullptr)),
              ElementsAre("null", "\"null\"", "[null]"));
  EXPECT_THAT(texts(std::optional<Printed>(), std::optional(Printed{"null"}),
                    std::optional(Printed{"[null]"}), std::optional(Printed{"[null"})),
              ElementsAre("null", "[null]", "[[null]]", "[null"));
  EXPECT_EQ(detail::text_of(std::tuple(Twice(), Twice(Maybe()))), "(null,[null])") << "of a state";
}

TEST(ResultText, OfWhatIsPrinted) {
  EXPECT_THAT(texts(Printed{"a, \"b\""}, Printed{std::string("\0\033[1m\n", 6)}, Printed{"\\n"}),
              ElementsAre("a, \"b\"", "\\u0000\\u001b[1m\\n", "\\\\n"));
  EXPECT_THAT(texts(std::vector<Printed>{{"a"}, {""}, {"b,c"}, {"\n"}}, std::vector<Printed>{},
                    std::pair(Printed{"]"}, 1)),
              ElementsAre("[a,\"\",\"b,c\",\"\\n\"]", "[]", "[\"]\",1]"));
}

TEST(ResultText, OfASetWithoutOrder) {
  std::unordered_set<int> few{1, 2, 3}, many(1000);
  for (const int i : {3, 2, 1}) many.insert(i);
  EXPECT_THAT(texts(few, many), ElementsAre("[1,2,3]", "[1,2,3]"));
  EXPECT_EQ(detail::hash_of(few), detail::hash_of(many));
  EXPECT_EQ(detail::text_of(many), "{1,2,3}");
}

struct Walk {  // no default constructor, not assignable
  const int step;
  int at;
  explicit Walk(Value v) : step(v.is_integer() ? static_cast<int>(v.as_integer()) : 1), at(0) {}
  auto state() const { return std::tie(step, at); }

  int move() {
    const std::size_t direction = choose(3);  // left, right, or look before you leap
    if (direction == 2) {
      if (at == 0) block();
      at *= choose(2) ? 10 : 100;
      return at;
    }
    return at += direction ? step : -step;
  }
};

TEST(Choose, EveryAlternativeIsExplored) {
  const auto spec = describe<Walk>("walk").method("move", &Walk::move);
  Drive d(spec, I(2));
  EXPECT_THAT(d.results("move"), UnorderedElementsAre(I(-2), I(2)));
  EXPECT_TRUE(d.legal("move", {}, std::nullopt));
  EXPECT_EQ(d.now().size(), 2u);
  EXPECT_THAT(d.results("move"),
              UnorderedElementsAre(I(-4), I(0), I(4), I(-20), I(-200), I(20), I(200)));
  EXPECT_THAT(d.replay_print(), testing::AnyOf("(2,-2) or (2,2)", "(2,2) or (2,-2)"));
  EXPECT_TRUE(d.legal("move", {}, I(0)));
  EXPECT_EQ(d.now().size(), 1u) << "both ways lead to one state";
  EXPECT_FALSE(d.legal("move", {}, I(7)));
  EXPECT_EQ(d.print(), "(2,0)");
  EXPECT_EQ(d.replay_print(), "(2,0)");
  EXPECT_EQ(Drive(spec).print(), "(1,0)") << "without an initial value it is made from nil";
}

TEST(Choose, OutsideAStepIsTheFirst) {
  EXPECT_EQ(choose(5), 0u);
  EXPECT_EQ(expected_result(), std::nullopt);
}

struct Cell {
  std::vector<int> log;
  auto state() const { return std::tie(log); }
  void half() {
    log.push_back(1);
    block();
  }
  int pick(int n) const { return static_cast<int>(choose(static_cast<std::size_t>(n))); }
  void append(int v) { log.push_back(v); }
  int last() { return log.empty() ? 0 : log.back(); }
};

TEST(Block, ForgetsWhatTheMethodHadDone) {
  const auto spec = describe<Cell>("cell")
                        .method("half", &Cell::half)
                        .method("append", &Cell::append)
                        .method("pick", &Cell::pick)
                        .method("last", &Cell::last);
  Drive d(spec);
  for (int i = 0; i < 200; ++i) {
    d.run("append", {I(i)});
    EXPECT_TRUE(d.blocked("half"));
    EXPECT_FALSE(d.legal("half", {}, std::nullopt));
    EXPECT_FALSE(d.legal("last", {}, I(-1)));
  }
  EXPECT_EQ(d.print(), d.replay_print());
  EXPECT_THAT(d.results("pick", {I(3)}), UnorderedElementsAre(I(0), I(1), I(2)));
  EXPECT_TRUE(d.legal("pick", {I(3)}, I(2)));
  EXPECT_FALSE(d.legal("pick", {I(3)}, I(3)));
}

TEST(Traffic, IsWhatTheModifiersSay) {
  const auto spec = describe<Cell>("cell")
                        .method("append", &Cell::append)
                        .adds(0)
                        .method("last", &Cell::last)
                        .removes_result()
                        .initial_values([](std::optional<Value>) { return std::vector{I(0)}; });
  EXPECT_EQ(spec.table().traffic(label_of(spec, "append", {I(4)}, {})).adds, I(4));
  const Traffic taken = spec.table().traffic(label_of(spec, "last", {}, I(4)));
  EXPECT_EQ(taken.observes, I(4));
  EXPECT_TRUE(taken.removes);
  EXPECT_EQ(spec.table().traffic(label_of(spec, "last", {}, {})).observes, std::nullopt);
  EXPECT_EQ(spec.table().traffic(label_of(spec, "last", {}, kNil)).observes, std::nullopt);
  EXPECT_THAT(*spec.table().initial_values({}), ElementsAre(I(0)));
}

TEST(Values, NumbersCompareExactly) {
  const Value large = I(9007199254740993), near = Value::real(9007199254740992.0);
  EXPECT_LT(near, large);
  EXPECT_GT(large, near);
  EXPECT_LT(Value::real(-0.5), I(0));
  EXPECT_GT(I(-9007199254740992), Value::real(-9007199254740994.0));
  EXPECT_LT(I(9223372036854775807), Value::real(0x1p63));
  EXPECT_GT(I(INT64_MIN), Value::real(-0x1.0000000000001p63));
  EXPECT_EQ(Value::real(-0.0), Value::real(0.0));
  EXPECT_NE(I(1), Value::real(1.0));
  EXPECT_EQ(compare_numbers(I(1), Value::real(1.0)), std::weak_ordering::equivalent);
  EXPECT_EQ(compare_numbers(L({I(1)}), L({Value::real(1.0)})), std::weak_ordering::equivalent);
  EXPECT_LT(Value::real(1e300), Value::real(std::nan("")));
}

TEST(PriorityQueue, OneAndOnePointZeroAreEquallyUrgent) {
  const auto space = find_specification("pqueue")->states({});
  const Specification& pqueue = *find_specification("pqueue");
  const MethodId insert = *pqueue.find("insert"), poll = *pqueue.find("poll");
  StateId state = space->initial();
  const Value one = I(1), real = Value::real(1.0), less = Value::real(0.5);
  for (const Value& v : {one, real, less}) {
    std::vector<StateId> next;
    space->step(state, {insert, {&v, 1}, {}, false}, next);
    state = next.front();
  }
  EXPECT_THAT(space->results(state, {poll, {}, {}, false}),
              testing::UnorderedElementsAre(one, real));
}

}  // namespace
}  // namespace plumb
