// SPDX-License-Identifier: MIT
// Families: names mean nothing, claims are checked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

#include "plumb/check.hpp"
#include "plumb/describe.hpp"
#include "spec/conformance.hpp"
#include "support/history_text.hpp"

namespace plumb {
namespace {

using test::parse_history;
using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

CheckReport check_with(const Specification& specification, std::string_view text) {
  const History history = parse_history(text);
  return *check(history, {.specification = &specification, .engine = "auto"});
}

// ---- What is built in -------------------------------------------------------------------------

TEST(Families, EveryBuiltInObjectIsOfTheFamilyThatItClaims) {
  // Which none of the families describes: judged by search.
  const std::set<std::string> alone = {"bounded-queue",
                                       "bounded-stack",
                                       "bounded-work-stealing-deque",
                                       "deque",
                                       "work-stealing-deque",
                                       "multimap",
                                       "rwlock",
                                       "latch",
                                       "barrier"};
  for (const Specification* s : all_specifications()) {
    EXPECT_EQ(s->claimed_family() == Family::none, alone.contains(s->name())) << s->name();
    if (s->claimed_family() == Family::none) continue;
    EXPECT_EQ(why_not_of_family(*s, s->claimed_family()), "") << s->name();
    EXPECT_EQ(s->family(), s->claimed_family()) << s->name();
  }
}

// ---- A LIFO, whatever it is called ------------------------------------------------------------

struct Lifo {
  std::vector<int> items;
  auto state() const { return std::tie(items); }
  void enq(int v) { items.push_back(v); }
  std::optional<int> deq() {
    if (items.empty()) return {};
    const int v = items.back();
    items.pop_back();
    return v;
  }
};

Description<Lifo> lifo(Family family) {
  return describe<Lifo>("queue")
      .family(family)
      .method("enq", &Lifo::enq)
      .role(Role::adds)
      .arguments("v")
      .method("deq", &Lifo::deq)
      .role(Role::takes)
      .result("the element", "empty");
}

constexpr std::string_view kLastInFirstOut =
    "A enq(1): nil | A enq(2): nil | A deq: 2 | A deq: 1 | A deq: nil";
constexpr std::string_view kFirstInFirstOut = "A enq(1): nil | A enq(2): nil | A deq: 1 | A deq: 2";

TEST(Families, ALifoThatIsCalledQueueIsJudgedAsWhatItDoes) {
  const auto spec = lifo(Family::none);
  EXPECT_EQ(spec.table().family(), Family::none);
  const CheckReport good = check_with(spec, kLastInFirstOut);
  EXPECT_EQ(good.verdict, Verdict::holds);
  EXPECT_EQ(good.partitions[0].engine, "jit");
  EXPECT_THAT(good.scope_notes, IsEmpty());
  const CheckReport bad = check_with(spec, kFirstInFirstOut);
  ASSERT_EQ(bad.verdict, Verdict::violation);
  EXPECT_EQ(bad.partitions[0].engine, "jit");
  EXPECT_THAT(bad.counterexample->why, Each(Not(HasSubstr("in the queue"))));
  EXPECT_THAT(bad.counterexample->why, Contains(HasSubstr("could only have returned 2")));
}

TEST(Families, ALifoThatClaimsToBeAQueueIsNotBelieved) {
  const auto spec = lifo(Family::queue);
  EXPECT_EQ(spec.table().family(), Family::none);
  EXPECT_EQ(spec.table().refused_family(),
            "after enq(1), enq(2), deq() returns 2, where that of a queue returns 1");
  const CheckReport good = check_with(spec, kLastInFirstOut);
  EXPECT_EQ(good.verdict, Verdict::holds);
  EXPECT_THAT(good.scope_notes, Contains("queue is not the queue that it is described as: " +
                                         spec.table().refused_family()));
  const CheckReport bad = check_with(spec, kFirstInFirstOut);
  ASSERT_EQ(bad.verdict, Verdict::violation);
  EXPECT_EQ(bad.partitions[0].engine, "jit");
  EXPECT_THAT(bad.counterexample->why, Each(Not(HasSubstr("in the queue"))));
}

TEST(Families, ALifoThatClaimsToBeAStackIsOneWhateverItsName) {
  const auto spec = lifo(Family::stack);
  EXPECT_EQ(spec.table().family(), Family::stack) << spec.table().refused_family();
  const CheckReport good = check_with(spec, kLastInFirstOut);
  EXPECT_EQ(good.verdict, Verdict::holds);
  EXPECT_EQ(good.partitions[0].engine, "stack");
  const CheckReport bad = check_with(spec, kFirstInFirstOut);
  ASSERT_EQ(bad.verdict, Verdict::violation);
  EXPECT_EQ(bad.partitions[0].engine, "stack");
  EXPECT_THAT(bad.counterexample->why, Contains(HasSubstr("still on the stack")));
}

// ---- Claims that are wrong --------------------------------------------------------------------

struct Fifo {
  std::deque<int> items;
  auto state() const { return std::tie(items); }
  void enq(int v) { items.push_back(v); }
  std::optional<int> deq() {
    if (items.empty()) return {};
    const int v = items.front();
    items.pop_front();
    return v;
  }
  int take() {
    if (items.empty()) block();
    return *deq();
  }
  void clear() { items.clear(); }
};

TEST(Families, AQueueThatIsOneIsBelieved) {
  const auto spec = describe<Fifo>("mailbox")
                        .family(Family::queue)
                        .method("post", &Fifo::enq)
                        .role(Role::adds)
                        .method("fetch", &Fifo::deq)
                        .role(Role::takes)
                        .method("wait", &Fifo::take)
                        .role(Role::takes)
                        .blocks();
  EXPECT_EQ(spec.table().refused_family(), "");
  const CheckReport report = check_with(spec, "A post(1): nil | A wait: 1 | A fetch: nil");
  EXPECT_EQ(report.verdict, Verdict::holds);
  EXPECT_EQ(report.partitions[0].engine, "queue");
}

// A method without a role may do anything: here it empties the queue.
TEST(Families, NothingIsConcludedFromMethodsWithoutARole) {
  const auto spec = describe<Fifo>("queue")
                        .family(Family::queue)
                        .method("enq", &Fifo::enq)
                        .role(Role::adds)
                        .method("deq", &Fifo::deq)
                        .role(Role::takes)
                        .method("clear", &Fifo::clear);
  EXPECT_EQ(spec.table().family(), Family::queue);
  const CheckReport good =
      check_with(spec, "A enq(1): nil | A enq(2): nil | A clear: nil | A deq: nil");
  EXPECT_EQ(good.verdict, Verdict::holds);
  EXPECT_EQ(good.partitions[0].engine, "jit");
  const CheckReport bad =
      check_with(spec, "A enq(1): nil | A enq(2): nil | A enq(3): nil | A clear: nil | A deq: 2");
  ASSERT_EQ(bad.verdict, Verdict::violation);
  EXPECT_THAT(bad.counterexample->why, Each(Not(HasSubstr("in the queue"))));
}

TEST(Families, AQueueWithABoundIsNone) {
  static std::size_t most;
  const auto bounded = [](std::size_t bound) {
    most = bound;
    return describe<Fifo>("bounded")
        .family(Family::queue)
        .method("enq",
                [](Fifo& f, int v) {
                  if (f.items.size() >= most) block();
                  f.enq(v);
                })
        .role(Role::adds)
        .method("deq", &Fifo::deq)
        .role(Role::takes);
  };
  EXPECT_THAT(bounded(2).table().refused_family(), HasSubstr("blocks, where that of a queue"));
  EXPECT_THAT(bounded(1000).table().refused_family(), HasSubstr("after 1001 calls"));
}

template <class T>
std::string refusal(Description<T> description) {
  EXPECT_EQ(description.table().family(), Family::none);
  return description.table().refused_family();
}

TEST(Families, ShapesAreChecked) {
  const auto queue = [] { return describe<Fifo>("q").family(Family::queue); };
  EXPECT_THAT(refusal(queue().method("enq", &Fifo::enq).role(Role::adds)),
              HasSubstr("no method takes"));
  EXPECT_THAT(refusal(queue().method("enq", &Fifo::enq).role(Role::writes)),
              HasSubstr("enq writes, which no method of a queue does"));
  EXPECT_THAT(refusal(queue().method("enq", &Fifo::enq).role(Role::takes)),
              HasSubstr("takes 1 arguments"));
  EXPECT_THAT(refusal(queue()
                          .method("enq", &Fifo::enq)
                          .role(Role::adds)
                          .method("deq", &Fifo::take)
                          .role(Role::takes)),
              HasSubstr(".blocks()"));
  EXPECT_THAT(refusal(queue()
                          .method("enq", &Fifo::enq)
                          .role(Role::adds)
                          .key(0)
                          .method("deq", &Fifo::deq)
                          .role(Role::takes)),
              HasSubstr("enq has a key"));
  EXPECT_THAT(refusal(queue()
                          .method("enq", [](Fifo& f, Value v) { f.enq(v.is_nil() ? 0 : 1); })
                          .role(Role::adds)
                          .method("deq", &Fifo::deq)
                          .role(Role::takes)),
              HasSubstr("enq accepts null"));
}

TEST(Families, AMethodThatThrowsIsNotWhatItsFamilyDoes) {
  const auto spec = describe<Fifo>("q")
                        .family(Family::queue)
                        .method("enq", &Fifo::enq)
                        .role(Role::adds)
                        .method("deq",
                                [](Fifo& f) {
                                  if (f.items.empty()) throw std::runtime_error("empty!");
                                  return *f.deq();
                                })
                        .role(Role::takes)
                        .blocks();
  EXPECT_THAT(refusal(spec), HasSubstr("empty!"));
}

struct Cells {
  std::map<int, int> cells;
  int number = 0;
  std::set<int> members;
  auto state() const { return std::tie(cells, number, members); }
  int read(int k) const { return cells.contains(k) ? cells.at(k) : 0; }
  void write(int k, int v) { cells[k] = v; }
  int get() const { return number; }
  void inc() { number = std::min(number + 1, 1000); }
  void insert(int v) { members.insert(v); }
  bool contains(int v) const { return members.contains(v); }
};

TEST(Families, BehaviourIsChecked) {
  const auto cells = [](Family family) {
    return describe<Cells>("c")
        .family(family)
        .method("read", &Cells::read)
        .role(Role::reads)
        .key(0)
        .method("write", &Cells::write)
        .role(Role::writes)
        .key(0);
  };
  EXPECT_EQ(cells(Family::array).table().refused_family(), "");
  EXPECT_EQ(refusal(cells(Family::map)), "read(1) returns 0, where that of a map returns null");
  EXPECT_THAT(refusal(cells(Family::cell)), HasSubstr("read takes 1 arguments"));
  EXPECT_THAT(refusal(describe<Cells>("c")
                          .family(Family::array)
                          .method("read", &Cells::read)
                          .role(Role::reads)
                          .method("write", &Cells::write)
                          .role(Role::writes)),
              HasSubstr(".key(0)"));
  EXPECT_THAT(refusal(describe<Cells>("c")
                          .family(Family::counter)
                          .method("get", &Cells::get)
                          .role(Role::reads)
                          .method("inc", &Cells::inc)
                          .role(Role::increments)),
              HasSubstr("after 2000 calls, get no longer behaves like the method of a counter"));
  EXPECT_EQ(refusal(describe<Cells>("c")
                        .family(Family::set)
                        .method("insert", &Cells::insert)
                        .role(Role::adds)
                        .key(0)
                        .method("contains", &Cells::contains)
                        .role(Role::contains)
                        .key(0)),
            "insert(1) returns null, where that of a set returns true");
}

// The first argument of every other priority queue is a pair of which only the first half counts.
struct Tasks {
  std::vector<std::pair<int, int>> tasks;
  auto state() const { return std::tie(tasks); }
  void add(std::pair<int, int> task) { tasks.push_back(task); }
  std::optional<std::pair<int, int>> poll() {
    if (tasks.empty()) return {};
    const auto at = std::max_element(
        tasks.begin(), tasks.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto task = *at;
    tasks.erase(at);
    return task;
  }
};

TEST(Families, TiesAreChecked) {
  const auto spec = describe<Tasks>("tasks")
                        .family(Family::max_priority_queue)
                        .method("add", &Tasks::add)
                        .role(Role::adds)
                        .method("poll", &Tasks::poll)
                        .role(Role::takes);
  EXPECT_THAT(refusal(spec), HasSubstr("poll() returns"));
}

}  // namespace
}  // namespace plumb
