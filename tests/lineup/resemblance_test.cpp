// SPDX-License-Identifier: MIT
// What a class is serially: known objects are recognised whatever their methods are called and
// whatever words they have for their results, and one that differs is named with the difference.
#include "lineup/resemblance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

#include "lineup/kinds.hpp"
#include "lineup/to_history.hpp"
#include "plumb/specification.hpp"

namespace plumb::lineup {
namespace {

constexpr char kWaits[] = "waits";

// Runs calls one after the other, in the order that the test demands.
class Serial : public Runner {
 public:
  using Step = std::function<std::string(int invocation, int thread)>;  // its result, or kWaits
  using Make = std::function<Step()>;                                   // a new object
  Serial(Object object, Make make) : object_(std::move(object)), make_(std::move(make)) {}

  const Object& object() const { return object_; }
  const Results& results() const override { return results_; }
  RunResult concurrent(const Matrix&, int, const OnHistory&) override { return {}; }
  RunResult serial(const Matrix& test, const OnHistory& on_history) override {
    ++runs;
    const Step step = make_();
    const std::vector<Cell> all = cells(test);
    std::vector<bool> done(all.size());
    ObservedHistory history;
    for (std::size_t count = 0; count < all.size(); ++count) {
      const int next = next_of(test, all, done);
      EXPECT_GE(next, 0) << "its order cannot be kept";
      if (next < 0) break;
      const Cell& cell = all[static_cast<std::size_t>(next)];
      const std::string result = step(cell.invocation, cell.thread);
      if (result == "crashes") {
        RunResult ran;
        ran.end = RunResult::End::finding;
        return ran;
      }
      history.events.push_back({next, false, 0});
      if (history.stuck = result == kWaits; history.stuck) break;
      history.events.push_back({next, true, results_.number(result)});
      done[static_cast<std::size_t>(next)] = true;
    }
    on_history(history);
    return {};
  }
  int runs = 0;

 private:
  // The only call that may come next; of the initial ones and of one thread, the first.
  static int next_of(const Matrix& test, const std::vector<Cell>& all,
                     const std::vector<bool>& done) {
    std::set<int> threads;
    std::vector<int> ready;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (done[i] || !threads.insert(all[i].thread).second) continue;
      const int cell = static_cast<int>(i);
      if (std::ranges::all_of(test.after, [&](const auto& pair) {
            return pair.first != cell || done[static_cast<std::size_t>(pair.second)];
          }))
        ready.push_back(cell);
      if (all[i].thread == 0) break;
    }
    EXPECT_LE(ready.size(), 1u) << "it has several orders";
    return ready.empty() ? -1 : ready.front();
  }

  Object object_;
  Make make_;
  Results results_;
};

Object object_of(const std::string& name, const std::vector<std::string>& texts) {
  Object object{name, {}};
  for (const std::string& text : texts) {
    Invocation it;
    it.method = text.substr(0, text.find('('));
    it.text = text;
    object.invocations.push_back(it);
  }
  return object;
}

std::vector<Column> units_of(const Object& object) {
  std::vector<Column> units;
  for (int i = 0; i < static_cast<int>(object.invocations.size()); ++i) units.push_back({i});
  return units;
}

std::optional<Resemblance> like(Serial& runner) {
  return resemblance(runner, runner.object(), units_of(runner.object()), {});
}

std::string text_of(const std::optional<Resemblance>& like) {
  if (!like) return "";
  std::string text = like->words;
  for (const std::string& method : like->not_counted) text += ", not " + method;
  for (const std::string& method : like->waits) text += ", " + method + " waits";
  if (!like->difference) return text;
  text += " but ";
  for (const std::string& call : like->difference->calls) text += call + ", ";
  return text + like->difference->expected;
}

// An object whose state is a list of numbers. What is called is found by the text of the call.
using Numbers = std::vector<int>;
using Method = std::function<std::string(Numbers&, int argument)>;
struct Table {
  std::string name;
  std::vector<std::pair<std::string, Method>> methods;  // "enq": with 1 and with 2; "deq()"
  Numbers initial = {};

  Serial runner() const {
    std::vector<std::string> texts;
    std::vector<std::pair<Method, int>> calls;
    for (const auto& [method, code] : methods) {
      if (method.ends_with(")")) {
        texts.push_back(method);
        calls.emplace_back(code, 0);
        continue;
      }
      for (const int argument : {1, 2}) {
        texts.push_back(method + "(" + std::to_string(argument) + ")");
        calls.emplace_back(code, argument);
      }
    }
    return {object_of(name, texts), [calls, initial = initial] {
              return [calls, state = std::make_shared<Numbers>(initial)](int invocation, int) {
                const auto& [code, argument] = calls[static_cast<std::size_t>(invocation)];
                return code(*state, argument);
              };
            }};
  }
};

std::string said_of(const Table& table) {
  Serial runner = table.runner();
  return text_of(like(runner));
}

std::string add(Numbers& n, int v) { return n.push_back(v), ""; }
std::string take_first(Numbers& n, int) {
  if (n.empty()) return "null";
  const int v = n.front();
  n.erase(n.begin());
  return std::to_string(v);
}
std::string take_last(Numbers& n, int) {
  if (n.empty()) return "null";
  const int v = n.back();
  n.pop_back();
  return std::to_string(v);
}
std::string size(Numbers& n, int) { return std::to_string(n.size()); }
std::string truth(bool b) { return b ? "true" : "false"; }
template <int kCapacity>
std::string add_bounded(Numbers& n, int v) {
  if (n.size() == kCapacity) return "false";
  return n.push_back(v), "true";
}
bool has(const Numbers& n, int v) { return std::ranges::find(n, v) != n.end(); }

// ---- It is one --------------------------------------------------------------------------------

TEST(Resemblance, AQueueAndAStackAreToldApartWhateverTheirMethodsAreCalled) {
  EXPECT_EQ(said_of({"Queue", {{"enq", add}, {"deq()", take_first}}}), "a FIFO queue");
  EXPECT_EQ(said_of({"X", {{"post", add}, {"fetch()", take_first}}}), "a FIFO queue");
  EXPECT_EQ(said_of({"X", {{"post", add}, {"fetch()", take_last}}}), "a stack");
  EXPECT_EQ(said_of({"Queue", {{"enq", add}, {"deq()", take_last}}}), "a stack");
}

TEST(Resemblance, TheSameIsSaidInOtherWords) {
  const Method add_truly = [](Numbers& n, int v) { return add(n, v), std::string("true"); };
  const auto in_words = [](const std::string& nothing) {
    return [nothing](Numbers& n, int v) { return n.empty() ? nothing : take_first(n, v); };
  };
  for (const char* const nothing : {"null", "throws std::out_of_range", "-1", "0", "false"})
    EXPECT_EQ(said_of({"X", {{"push", add_truly}, {"pop()", in_words(nothing)}}}), "a FIFO queue")
        << nothing;
  const Method is_empty = [](Numbers& n, int) { return truth(n.empty()); };
  EXPECT_EQ(said_of({"X", {{"enq", add}, {"deq()", take_first}, {"empty()", is_empty}}}),
            "a FIFO queue");
  EXPECT_EQ(said_of({"X", {{"enq", add}, {"deq()", in_words(kWaits)}}}), "a blocking FIFO queue");
}

TEST(Resemblance, OneThatMayBeConfusedWithAnElementIsNoWordForNothing) {
  const Method one = [](Numbers& n, int v) { return n.empty() ? "1" : take_first(n, v); };
  EXPECT_EQ(said_of({"X", {{"post", add}, {"fetch()", one}}}), "");
}

TEST(Resemblance, ACapacityIsFound) {
  EXPECT_EQ(said_of({"X", {{"offer", add_bounded<4>}, {"poll()", take_first}}}),
            "a FIFO queue of capacity 4");
  EXPECT_EQ(said_of({"X", {{"offer", add_bounded<7>}, {"poll()", take_last}}}),
            "a stack of capacity 7");
  const Method waits = [](Numbers& n, int v) {
    return n.size() == 3 ? std::string(kWaits) : add(n, v);
  };
  EXPECT_EQ(said_of({"X", {{"put", waits}, {"poll()", take_first}}}),
            "a FIFO queue of capacity 3, put waits");
}

TEST(Resemblance, TheCountOfALatchIsFound) {
  const Method down = [](Numbers& n, int) {
    if (!n.empty()) n.pop_back();
    return "";
  };
  const Method is_over = [](Numbers& n, int) { return truth(n.empty()); };
  const Method wait = [](Numbers& n, int) { return n.empty() ? "" : kWaits; };
  EXPECT_EQ(
      said_of(
          {"X", {{"count_down()", down}, {"try_wait()", is_over}, {"wait()", wait}}, {0, 0, 0}}),
      "a latch with the count 3");
}

TEST(Resemblance, MethodsThatTheSpecificationHasNotAreNamed) {
  const Method sum = [](Numbers& n, int) {
    int all = 0;
    for (const int v : n) all += v;
    return std::to_string(all);
  };
  EXPECT_EQ(said_of({"Queue", {{"enq", add}, {"deq()", take_first}, {"sum()", sum}}}),
            "a FIFO queue, not sum");
  // If the others have other names, too, it is only a part of something else.
  EXPECT_EQ(said_of({"X", {{"post", add}, {"fetch()", take_first}, {"sum()", sum}}}), "");
}

TEST(Resemblance, WhatIsLeftOutDoesNotHideADifference) {
  // Most sequences have one of the methods that are left out, and none of these is compared.
  const Method twice = [](Numbers& n, int v) { return std::to_string(n.size() * 7 + v); };
  const Method late = [](Numbers& n, int v) {
    return n.size() == 3 ? take_last(n, v) : take_first(n, v);
  };
  EXPECT_EQ(
      said_of({"Queue",
               {{"enq", add},
                {"deq()", late},
                {"size()", size},
                {"peek()",
                 [](Numbers& n, int) { return n.empty() ? "null" : std::to_string(n.front()); }},
                {"first", twice},
                {"second", twice}}}),
      "a queue, not first, not second but enq(2), enq(2), enq(1), deq() = 1, returns 2");
}

// ---- It is like one, but ----------------------------------------------------------------------

TEST(Resemblance, TheShortestDifferenceIsNamed) {
  const Method keeps = [](Numbers& n, int) {
    return n.empty() ? "null" : std::to_string(n.front());
  };
  EXPECT_EQ(said_of({"Queue", {{"enq", add}, {"deq()", keeps}}}),
            "a queue but enq(1), deq() = 1, deq() = 1, returns null");
  // A queue that has seen that it is empty, and does not look again.
  const Method cached = [](Numbers& n, int v) {
    if (n.empty()) n.push_back(-1);
    return n.front() < 0 ? "null" : take_first(n, v);
  };
  EXPECT_EQ(said_of({"Queue", {{"enq", add}, {"deq()", cached}}}),
            "a queue but deq() = null, enq(1), deq() = null, returns 1");
  const Method loses_second = [](Numbers& n, int v) { return n.size() == 1 ? "" : add(n, v); };
  EXPECT_EQ(said_of({"Stack", {{"push", loses_second}, {"pop()", take_last}}}),
            "a stack but push(1), push(2), pop() = 1, returns 2");
}

TEST(Resemblance, ASetWhoseRemoveIsAlwaysTrueDiffers) {
  const auto insert = [](Numbers& n, int v) { return has(n, v) ? "false" : add(n, v) + "true"; };
  const auto contains = [](Numbers& n, int v) { return truth(has(n, v)); };
  const auto remove = [](Numbers& n, int v) { return truth(std::erase(n, v) > 0); };
  const auto wrong = [](Numbers& n, int v) { return truth(std::erase(n, v) < 9); };
  EXPECT_EQ(said_of({"Set", {{"add", insert}, {"remove", remove}, {"contains", contains}}}),
            "a set");
  EXPECT_EQ(said_of({"Set", {{"add", insert}, {"remove", wrong}, {"contains", contains}}}),
            "a set but remove(1) = true, returns false");
}

TEST(Resemblance, ADifferenceThatNeedsManyCallsIsFoundAndShortened) {
  // From its seventh removal on it takes the youngest: the first number counts them.
  const Method count = [](Numbers& n, int v) { return n.push_back(v), ""; };
  const Method take = [](Numbers& n, int) {
    if (n.size() == 1) return std::string("null");
    const auto at = n.front()++ < 6 ? n.begin() + 1 : n.end() - 1;
    const int v = *at;
    n.erase(at);
    return std::to_string(v);
  };
  Serial runner = Table{"Queue", {{"enq", count}, {"deq()", take}}, {0}}.runner();
  const auto found = like(runner);
  ASSERT_TRUE(found && found->difference);
  // Six removals, and what they take; then two different values, and the youngest.
  EXPECT_GE(found->difference->calls.size(), 15u);
  EXPECT_LE(found->difference->calls.size(), 18u);
}

TEST(Resemblance, AWaitIsADifference) {
  const Method down = [](Numbers& n, int) {
    if (n.empty()) return std::string(kWaits);
    return n.pop_back(), std::string();
  };
  const Method up = [](Numbers& n, int) { return n.push_back(0), std::string(); };
  EXPECT_EQ(said_of({"Counter", {{"inc()", up}, {"dec()", down}, {"get()", size}}}),
            "a semaphore with 0 permits");
  const Method clear = [](Numbers& n, int v) {
    return n.assign(static_cast<std::size_t>(v), 0), "";
  };
  EXPECT_EQ(said_of({"Counter", {{"inc()", up}, {"dec()", down}, {"get()", size}, {"set", clear}}}),
            "a counter but dec() waits, returns");
}

TEST(Resemblance, ThreadsAreNamedIfTheyMatter) {
  // Each thread has a stack of its own.
  const Object object = object_of("Stack", {"push(1)", "push(2)", "pop()"});
  Serial runner(object, [] {
    return [stacks = std::make_shared<std::map<int, Numbers>>()](int invocation, int thread) {
      Numbers& own = (*stacks)[thread];
      return invocation == 2 ? take_last(own, 0) : add(own, invocation + 1);
    };
  });
  EXPECT_EQ(text_of(like(runner)), "a stack but A push(1), B pop() = null, returns 1");
}

// ---- Nothing is said --------------------------------------------------------------------------

TEST(Resemblance, WithOneValueAQueueAndAStackAreTheSame) {
  const auto only_one = [](Numbers& n, int) { return add(n, 1); };
  EXPECT_EQ(said_of({"Queue", {{"enq()", only_one}, {"deq()", take_first}}}), "");
  const Object object = object_of("Queue", {"enq(1)", "deq()"});
  Serial runner(object, [] {
    return [n = std::make_shared<Numbers>()](int invocation, int) {
      return invocation == 1 ? take_first(*n, 0) : add(*n, 1);
    };
  });
  EXPECT_EQ(text_of(like(runner)), "");
}

TEST(Resemblance, OfWhatIsNoKnownObjectNothingIsSaid) {
  const Method triple = [](Numbers& n, int v) {
    n.push_back((n.empty() ? 1 : n.back()) * 3 % 7 + v);
    return std::to_string(n.back());
  };
  EXPECT_EQ(said_of({"Odd", {{"next", triple}}}), "");
  EXPECT_EQ(said_of({"Constant", {{"get()", [](Numbers&, int) { return "0"; }}}}), "");
  EXPECT_EQ(said_of({"Sink", {{"enq", add}}}), "");
}

TEST(Resemblance, OfAnObjectThatIsNotDeterministicNothingIsSaid) {
  int calls = 0;
  const Method sometimes = [&calls](Numbers& n, int v) {
    return ++calls % 50 == 0 ? "null" : take_first(n, v);
  };
  EXPECT_EQ(said_of({"Queue", {{"enq", add}, {"deq()", sometimes}}}), "");
}

TEST(Resemblance, SequencesThatCrashAreLeftOutUnlessThereAreMany) {
  const Method crashes = [](Numbers& n, int v) { return n.empty() ? "crashes" : take_first(n, v); };
  Serial some = Table{"Queue", {{"enq", add_bounded<9>}, {"deq()", take_first}}}.runner();
  EXPECT_EQ(text_of(like(some)), "a FIFO queue of capacity 9");
  Serial many = Table{"Queue", {{"enq", add}, {"deq()", crashes}}}.runner();
  EXPECT_EQ(text_of(like(many)), "");
}

TEST(Resemblance, ItEndsWhenItMayNotContinue) {
  Serial runner = Table{"Queue", {{"enq", add}, {"deq()", take_first}}}.runner();
  BehaviourLimits limits;
  limits.may_continue = [&runner] { return runner.runs < 30; };
  EXPECT_FALSE(resemblance(runner, runner.object(), units_of(runner.object()), {}, limits));
  EXPECT_EQ(runner.runs, 30);
}

TEST(Resemblance, CallsStayInTheirPlaces) {
  // Only the second thread may take; sequences of two calls stay together.
  Table table{"Queue", {{"enq", add}, {"deq()", take_first}}};
  Serial plain = table.runner();
  Object object = plain.object();
  object.invocations[2].only_on = 1;
  std::set<int> takers;
  Serial runner(object, [&takers] {
    return [&takers, n = std::make_shared<Numbers>()](int invocation, int thread) {
      if (invocation == 2) takers.insert(thread);
      return invocation == 2 ? take_first(*n, 0) : add(*n, invocation + 1);
    };
  });
  EXPECT_EQ(text_of(resemblance(runner, object, {{0}, {1}, {2}}, {})), "a FIFO queue");
  EXPECT_EQ(takers, std::set{2});
}

// ---- Every specification ----------------------------------------------------------------------

// A class that is the specification itself.
Serial itself(const Specification& specification, std::optional<Value> initial, bool renamed) {
  struct Call {
    MethodId method;
    std::vector<Value> args;
  };
  std::vector<std::string> texts;
  std::vector<Call> calls;
  for (MethodId m = 0; m < specification.methods().size(); ++m) {
    const plumb::Method& method = specification.methods()[m];
    const std::string name = renamed ? "m" + std::to_string(m) : method.name;
    const std::vector<std::vector<Value>> all =
        method.args.empty() ? std::vector<std::vector<Value>>{{}}
        : method.args.size() == 1
            ? std::vector<std::vector<Value>>{{Value::integer(1)}, {Value::integer(2)}}
            : std::vector<std::vector<Value>>{{Value::integer(1), Value::integer(2)},
                                              {Value::integer(1), Value::integer(3)},
                                              {Value::integer(2), Value::integer(3)}};
    for (const std::vector<Value>& args : all) {
      std::string text = Value::list(args).to_string();
      if (args.size() != method.args.size()) continue;  // cas
      texts.push_back(name + "(" + text.substr(1, text.size() - 2) + ")");
      calls.push_back({m, args});
    }
  }
  return {object_of("Class", texts), [&specification, initial, calls] {
            const std::shared_ptr<StateSpace> states = specification.states(initial);
            return [states, calls, at = std::make_shared<StateId>(states->initial()),
                    &specification](int invocation, int) {
              const Call& call = calls[static_cast<std::size_t>(invocation)];
              const BoundLabel label(call.method, call.args);
              const auto results = states->results(*at, label);
              if (results.empty()) return std::string(kWaits);
              std::vector<StateId> to;
              states->step(*at, label, to);
              *at = to.front();
              return specification.methods()[call.method].returns_nothing
                         ? std::string()
                         : results.front().to_string();
            };
          }};
}

std::optional<Value> example_of(const Kind& kind) {
  if (kind.start == Start::capacity) return Value::integer(3);
  return std::nullopt;
}

TEST(Resemblance, EverySpecificationIsItself) {
  for (const Kind& kind : kKinds) {
    const Specification* const specification = find_specification(kind.specification);
    ASSERT_NE(specification, nullptr) << kind.specification;
    Serial runner = itself(*specification, example_of(kind), false);
    const auto found = like(runner);
    ASSERT_TRUE(found) << kind.specification;
    EXPECT_EQ(found->specification, kind.specification) << text_of(found);
    EXPECT_FALSE(found->difference) << text_of(found);
    EXPECT_EQ(found->initial, example_of(kind)) << kind.specification;
    EXPECT_TRUE(found->not_counted.empty()) << text_of(found);
    EXPECT_GT(found->sequences, 100u) << kind.specification;
    EXPECT_EQ(found->spec_option, kind.start != Start::capacity) << kind.specification;
  }
}

TEST(Resemblance, EverySpecificationIsItselfUnderOtherNames) {
  for (const Kind& kind : kKinds) {
    const Specification& specification = *find_specification(kind.specification);
    Serial runner = itself(specification, example_of(kind), true);
    const auto found = like(runner);
    ASSERT_TRUE(found) << kind.specification;
    // Without its name, an array is a map in which all that is absent reads as 0.
    const std::string_view expected =
        kind.specification == "array" ? std::string_view("map") : kind.specification;
    EXPECT_EQ(found->specification, expected) << text_of(found);
    EXPECT_FALSE(found->difference) << text_of(found);
    EXPECT_FALSE(found->spec_option) << "--spec goes by names";
    for (const auto& [method, of] : found->methods) {
      // Two methods may do the same, as add and fetch_add whose result is dropped.
      const plumb::Method& own = specification.methods()[std::stoul(method.substr(1))];
      const Specification& other = *find_specification(found->specification);
      EXPECT_EQ(own.args.size(), other.methods()[*other.find(of)].args.size());
    }
  }
}

TEST(Resemblance, TheSpecificationIsOfferedOnlyIfItTakesTheResults) {
  Serial fits = Table{"Queue", {{"enq", add}, {"deq()", take_first}}}.runner();
  EXPECT_TRUE(like(fits)->spec_option);
  const Method throws = [](Numbers& n, int v) {
    return n.empty() ? "throws std::out_of_range" : take_first(n, v);
  };
  Serial other = Table{"Queue", {{"enq", add}, {"deq()", throws}}}.runner();
  EXPECT_FALSE(like(other)->spec_option);
  Table boolean{"Queue", {{"enq", add}, {"deq()", take_first}}};
  Serial plain = boolean.runner();
  Object object = plain.object();
  for (Invocation& it : object.invocations)
    if (it.method == "enq") it.sample = "false";  // its type is bool
  Serial runner(object, [] {
    return [n = std::make_shared<Numbers>()](int invocation, int) {
      return invocation == 2 ? take_first(*n, 0) : add(*n, invocation + 1) + "true";
    };
  });
  const auto found = like(runner);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->specification, "queue");
  EXPECT_FALSE(found->spec_option) << "--spec queue refuses an enq that returns a boolean";
}

}  // namespace
}  // namespace plumb::lineup
