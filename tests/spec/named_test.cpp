// SPDX-License-Identifier: MIT
// What every method of every named specification means.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/nondeterminism.hpp"
#include "spec/drive.hpp"

namespace plumb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(Names, AreFoundWhateverTheirCaseAndHyphens) {
  EXPECT_EQ(find_specification("cas-register"), &named("register"));
  EXPECT_EQ(find_specification("CAS_Register"), &named("register"));
  EXPECT_EQ(find_specification("kv"), &named("map"));
  EXPECT_EQ(find_specification("pqueue-max"), &named("pqueue"));
  EXPECT_EQ(find_specification("priority_queue"), &named("pqueue"));
  EXPECT_NE(find_specification("pqueue-min"), &named("pqueue"));
  EXPECT_EQ(find_specification("BlockingQueue"), &named("blocking-queue"));
  EXPECT_EQ(find_specification("quux"), nullptr);
  EXPECT_EQ(find_specification(""), nullptr);
  EXPECT_EQ(named("queue").find("EnQueue"), named("queue").find("enq"));
  EXPECT_EQ(named("blocking-queue").find("TryTake"), named("blocking-queue").find("try_deq"));
  EXPECT_EQ(named("queue").find("write"), std::nullopt);
}

TEST(Names, NoNameOfOneObjectMeansTwoMethods) {
  for (const Specification* spec : all_specifications())
    for (MethodId id = 0; id < spec->methods().size(); ++id) {
      EXPECT_EQ(spec->find(spec->methods()[id].name), id) << spec->name();
      for (const std::string& alias : spec->methods()[id].aliases)
        EXPECT_EQ(spec->find(alias), id) << spec->name() << " " << alias;
    }
}

TEST(Names, ThereAreFifteenSpecificationsAndEachIsFoundByItsName) {
  EXPECT_GE(all_specifications().size(), 15u);  // and those that came later
  for (const Specification* spec : all_specifications())
    EXPECT_EQ(find_specification(spec->name()), spec);
}

TEST(Register, ReadsWhatWasWritten) {
  Drive d(named("register"));
  EXPECT_EQ(d.run("read"), I(0));
  EXPECT_TRUE(d.legal("write", {I(7)}, kNil));
  EXPECT_EQ(d.run("get"), I(7));
  EXPECT_FALSE(d.legal("read", {}, I(0)));
  EXPECT_TRUE(d.legal("read", {}, std::nullopt));
  EXPECT_TRUE(d.legal("write", {kNil}, kNil));
  EXPECT_EQ(d.run("read"), kNil);
  EXPECT_FALSE(d.legal("read", {}, I(7)));
}

TEST(Register, CompareAndSetAnswersWhetherItDidSo) {
  Drive d(named("register"), kNil);
  EXPECT_EQ(d.run("read"), kNil);
  EXPECT_EQ(d.run("cas", {I(1), I(2)}), B(false));
  EXPECT_EQ(d.run("cas", {kNil, I(2)}), B(true));
  EXPECT_FALSE(d.legal("cas", {I(2), I(3)}, B(false)));
  EXPECT_TRUE(d.legal("cas", {I(2), I(3)}, kNil)) << "nil: its result was not recorded";
  EXPECT_EQ(d.print(), "3");
  EXPECT_EQ(d.replay_print(), "3");
}

TEST(Array, CellsAreIndependent) {
  Drive d(named("array"), I(5));
  EXPECT_EQ(d.run("read", {I(-3)}), I(5));
  d.run("write", {I(1), S("x")});
  EXPECT_EQ(d.run("read", {I(1)}), S("x"));
  EXPECT_EQ(d.run("read", {I(2)}), I(5));
  EXPECT_EQ(d.run("cas", {I(1), I(5), I(6)}), B(false));
  EXPECT_EQ(d.run("cas", {I(2), I(5), I(6)}), B(true));
  EXPECT_EQ(d.print(), "{1:\"x\",2:6}");
  d.run("write", {I(1), I(5)});
  d.run("write", {I(2), I(5)});
  EXPECT_EQ(d.now().front(), d.space().initial()) << "a cell that was set back is as it was";
}

TEST(Array, AnIndexIsAnInteger) {
  EXPECT_EQ(rejected(named("array"), "read", {S("x")}),
            "argument 1 of read must be an integer, got \"x\"");
}

TEST(MultiRegister, ATransactionReadsAndWritesAtOnce) {
  Drive d(named("multi-register"));
  EXPECT_EQ(d.run("read", {S("x")}), kNil);
  const Value ops = L({L({S("r"), S("x"), kNil}), L({S("w"), S("x"), I(1)}), L({S("r"), S("x")}),
                       L({S("write"), S("y"), I(2)})});
  EXPECT_EQ(d.run("txn", {ops}), L({L({S("r"), S("x"), kNil}), L({S("w"), S("x"), I(1)}),
                                    L({S("r"), S("x"), I(1)}), L({S("w"), S("y"), I(2)})}));
  EXPECT_EQ(d.run("read", {S("y")}), I(2));
  const Value read_y = L({L({S("read"), S("y")})});
  EXPECT_TRUE(d.legal("txn", {read_y}, L({L({S("read"), S("y"), I(2)})})))
      << "however the result spells it";
  EXPECT_FALSE(d.legal("txn", {read_y}, L({L({S("r"), S("y"), I(1)})})));
  EXPECT_TRUE(d.legal("txn", {read_y}, kNil));
  EXPECT_FALSE(d.legal("txn", {read_y}, L({})));
}

TEST(MultiRegister, ATransactionHasTheKeysOfItsOperations) {
  const Specification& spec = named("multi-register");
  const std::vector<Value> args = {
      L({L({S("w"), I(2), I(0)}), L({S("r"), I(1)}), L({S("r"), I(2)})})};
  EXPECT_THAT(spec.keys(label_of(spec, "txn", args, {})), ElementsAre(I(1), I(2)));
  EXPECT_FALSE(spec.pure(label_of(spec, "txn", args, args[0])));
  const std::vector<Value> reads = {L({L({S("r"), I(1)})})};
  EXPECT_TRUE(spec.pure(label_of(spec, "txn", reads, reads[0])));
}

TEST(MultiRegister, AMalformedTransactionIsRejected) {
  EXPECT_EQ(rejected(named("multi-register"), "txn", {L({L({S("w"), I(1)})})}),
            "argument 1 of txn must be a list, each item of it [\"r\", k], [\"r\", k, v] or "
            "[\"w\", k, v], got [[\"w\",1]]");
  EXPECT_NE(rejected(named("multi-register"), "txn", {I(1)}), "");
}

TEST(Map, HoldsValuesByKey) {
  Drive d(named("kv"));
  EXPECT_EQ(d.run("get", {S("a")}), kNil);
  d.run("put", {S("a"), I(1)});
  EXPECT_EQ(d.run("read", {S("a")}), I(1));
  EXPECT_EQ(d.run("contains", {S("a")}), B(true));
  EXPECT_EQ(d.run("contains", {S("b")}), B(false));
  EXPECT_EQ(d.run("delete", {S("b")}), B(false));
  EXPECT_EQ(d.run("size"), I(1));
  EXPECT_TRUE(d.legal("remove", {S("a")}, kNil)) << "it need not say whether";
  EXPECT_EQ(d.run("size"), I(0));
  d.run("set", {S("b"), kNil});
  EXPECT_EQ(d.run("contains", {S("b")}), B(true));
  d.run("clear");
  EXPECT_EQ(d.print(), "{}");
}

TEST(Map, AppendExtendsStringsAndLists) {
  Drive d(named("map"), S(""));
  EXPECT_EQ(d.run("get", {I(1)}), S(""));
  d.run("append", {I(1), S("x")});
  d.run("append", {I(1), S("y z")});
  EXPECT_EQ(d.run("get", {I(1)}), S("xy z"));
  d.run("append", {I(2), I(1)});
  EXPECT_EQ(d.run("get", {I(2)}), I(1));
  d.run("append", {I(2), I(2)});
  d.run("append", {I(2), I(3)});
  EXPECT_EQ(d.run("get", {I(2)}), ints({1, 2, 3}));
}

TEST(Set, AnswersWhetherSomethingChanged) {
  Drive d(named("set"), ints({3, 1, 3}));
  EXPECT_EQ(d.print(), "[1,3]");
  EXPECT_EQ(d.run("insert", {I(1)}), B(false));
  EXPECT_EQ(d.run("add", {I(2)}), B(true));
  EXPECT_EQ(d.run("contains", {I(2)}), B(true));
  EXPECT_EQ(d.run("remove", {I(4)}), B(false));
  EXPECT_EQ(d.run("delete", {I(3)}), B(true));
  EXPECT_EQ(d.run("contains", {I(3)}), B(false));
  EXPECT_EQ(d.run("size"), I(2));
  EXPECT_TRUE(d.legal("insert", {I(9)}, kNil)) << "not recorded";
  d.run("clear");
  EXPECT_EQ(d.run("size"), I(0));
}

TEST(Set, IsReadInAnyOrder) {
  Drive d(named("set"), ints({1, 2, 3}));
  EXPECT_TRUE(d.legal("read", {}, ints({3, 1, 2})));
  EXPECT_FALSE(d.legal("read", {}, ints({1, 2})));
  EXPECT_FALSE(d.legal("read", {}, ints({1, 2, 3, 3})));
  EXPECT_EQ(rejected(named("set"), "read", {}, I(3)), "read returns a list, got 3");
}

TEST(Queue, IsFirstInFirstOut) {
  Drive d(named("queue"), ints({8, 9}));
  d.run("enqueue", {I(1)});
  EXPECT_EQ(d.run("peek"), I(8));
  EXPECT_EQ(d.run("size"), I(3));
  EXPECT_EQ(d.run("deq"), I(8));
  EXPECT_FALSE(d.legal("deq", {}, I(1)));
  EXPECT_FALSE(d.legal("deq", {}, kNil));
  EXPECT_EQ(d.run("dequeue"), I(9));
  EXPECT_EQ(d.run("poll"), I(1));
  EXPECT_EQ(d.run("deq"), kNil);
  EXPECT_EQ(d.run("peek"), kNil);
}

TEST(Queue, NullIsNoElement) {
  EXPECT_EQ(rejected(named("queue"), "enq", {kNil}),
            "argument 1 of enq must be a value other than null (which means empty), got null");
  EXPECT_NE(named("queue").reject_initial(L({kNil})), "");
}

TEST(Stack, IsLastInFirstOut) {
  Drive d(named("stack"), ints({8, 9}));
  d.run("push", {I(1)});
  EXPECT_EQ(d.run("peek"), I(1));
  EXPECT_EQ(d.run("top"), I(1));
  EXPECT_EQ(d.run("pop"), I(1));
  EXPECT_EQ(d.run("pop"), I(9));
  EXPECT_EQ(d.run("size"), I(1));
  EXPECT_EQ(d.run("pop"), I(8));
  EXPECT_EQ(d.run("pop"), kNil);
  EXPECT_EQ(d.run("peek"), kNil);
}

TEST(PriorityQueue, TheLargestOrTheSmallestGoesFirst) {
  Drive largest(named("pqueue"), ints({2, 3, 1})), smallest(named("pqueue-min"), ints({2, 3, 1}));
  largest.run("insert", {I(2)});
  smallest.run("add", {I(2)});
  EXPECT_EQ(largest.run("peek"), I(3));
  EXPECT_EQ(smallest.run("peek"), I(1));
  EXPECT_EQ(largest.run("size"), I(4));
  for (const int v : {3, 2, 2, 1}) EXPECT_EQ(largest.run("delmax"), I(v));
  for (const int v : {1, 2, 2, 3}) EXPECT_EQ(smallest.run("delmin"), I(v));
  EXPECT_EQ(largest.run("poll"), kNil);
  EXPECT_EQ(smallest.run("peek"), kNil);
  EXPECT_EQ(smallest.run("size"), I(0));
}

TEST(Bag, AnyElementMayBeRemoved) {
  Drive d(named("bag"), ints({1, 2}));
  EXPECT_THAT(d.results("remove"), UnorderedElementsAre(I(1), I(2)));
  d.run("add", {I(2)});
  EXPECT_THAT(d.results("remove"), UnorderedElementsAre(I(1), I(2)));
  EXPECT_FALSE(d.legal("remove", {}, kNil));
  EXPECT_FALSE(d.legal("remove", {}, I(3)));
  EXPECT_TRUE(d.legal("remove", {}, std::nullopt));
  EXPECT_EQ(d.now().size(), 2u) << "it was 1 or one of the 2s";
  EXPECT_EQ(d.run("size"), I(2));
  EXPECT_TRUE(d.legal("remove", {}, I(1))) << "so it was a 2";
  EXPECT_TRUE(d.legal("remove", {}, I(2)));
  EXPECT_EQ(d.run("remove"), kNil);
}

TEST(Counter, Counts) {
  Drive d(named("counter"), I(10));
  d.run("inc");
  d.run("dec");
  d.run("dec");
  d.run("add", {I(5)});
  EXPECT_EQ(d.run("read"), I(14));
  EXPECT_EQ(d.run("fetch_add", {I(-4)}), I(14));
  EXPECT_EQ(d.run("fetch_inc"), I(10));
  EXPECT_EQ(d.run("get"), I(11));
  d.run("set", {I(std::numeric_limits<std::int64_t>::max())});
  d.run("inc");
  EXPECT_EQ(d.run("get"), I(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(Drive(named("counter")).run("get"), I(0));
}

TEST(Mutex, BlocksWhileHeld) {
  Drive d(named("mutex"));
  EXPECT_TRUE(d.blocked("unlock"));
  d.run("acquire");
  EXPECT_TRUE(d.blocked("lock"));
  EXPECT_THAT(d.results("lock"), IsEmpty());
  EXPECT_EQ(d.run("try_lock"), B(false));
  d.run("release");
  EXPECT_FALSE(d.blocked("lock"));
  EXPECT_EQ(d.run("try_lock"), B(true));
  EXPECT_TRUE(Drive(named("mutex"), B(true)).blocked("lock"));
}

TEST(Semaphore, BlocksWithoutPermits) {
  Drive d(named("semaphore"));
  EXPECT_EQ(d.run("available"), I(1));
  d.run("acquire");
  EXPECT_TRUE(d.blocked("acquire"));
  EXPECT_EQ(d.run("try_acquire"), B(false));
  d.run("release");
  d.run("release");
  EXPECT_EQ(d.run("try_acquire"), B(true));
  EXPECT_EQ(d.run("available"), I(1));
  EXPECT_EQ(named("semaphore").reject_initial(I(-1)),
            "the initial value -1 of semaphore: permits cannot be negative");
}

// Line-Up, Fig. 7: the names and results of its test.
TEST(BlockingQueue, TakesWaitForAnElement) {
  Drive d(named("blocking-queue"));
  EXPECT_TRUE(d.blocked("Take"));
  EXPECT_EQ(d.run("TryTake"), kNil);
  d.run("Add", {I(200)});
  d.run("Add", {I(400)});
  EXPECT_EQ(d.run("size"), I(2));
  EXPECT_EQ(d.run("Take"), I(200));
  EXPECT_FALSE(d.legal("TryTake", {}, kNil));
  EXPECT_TRUE(d.legal("Take", {}, kNil)) << "not recorded what";
  EXPECT_TRUE(d.blocked("Take"));
}

TEST(BlockingStack, PopsWaitForAnElement) {
  Drive d(named("blocking-stack"), ints({1, 2}));
  EXPECT_EQ(d.run("pop"), I(2));
  EXPECT_EQ(d.run("try_pop"), I(1));
  EXPECT_EQ(d.run("try_take"), kNil);
  EXPECT_EQ(d.run("size"), I(0));
  EXPECT_TRUE(d.blocked("take"));
  d.run("push", {I(3)});
  EXPECT_FALSE(d.blocked("pop"));
}

TEST(BoundedQueue, RefusesWhatItHasNoRoomForAndKeepsItsOrder) {
  Drive d(named("bounded-queue"), I(2));
  EXPECT_EQ(d.run("enq", {I(1)}), B(true));
  EXPECT_EQ(d.run("try_push", {I(2)}), B(true));
  EXPECT_EQ(d.run("offer", {I(3)}), B(false));
  EXPECT_EQ(d.run("size"), I(2));
  EXPECT_EQ(d.run("peek"), I(1));
  EXPECT_EQ(d.run("deq"), I(1));
  EXPECT_EQ(d.run("enq", {I(3)}), B(true));
  EXPECT_EQ(d.run("poll"), I(2));
  EXPECT_EQ(d.run("try_pop"), I(3));
  EXPECT_EQ(d.run("deq"), kNil);
  EXPECT_EQ(d.run("peek"), kNil);
}

TEST(BoundedStack, RefusesWhatItHasNoRoomForAndKeepsItsOrder) {
  Drive d(named("bounded-stack"), I(2));
  EXPECT_EQ(d.run("push", {I(1)}), B(true));
  EXPECT_EQ(d.run("add", {I(2)}), B(true));
  EXPECT_EQ(d.run("push", {I(3)}), B(false));
  EXPECT_EQ(d.run("top"), I(2));
  EXPECT_EQ(d.run("pop"), I(2));
  EXPECT_EQ(d.run("push", {I(3)}), B(true));
  EXPECT_EQ(d.run("size"), I(2));
  EXPECT_EQ(d.run("poll"), I(3));
  EXPECT_EQ(d.run("pop"), I(1));
  EXPECT_EQ(d.run("pop"), kNil);
}

TEST(BoundedWorkStealingDeque, RefusesWhatItHasNoRoomForAndIsStolenFromAtTheOtherEnd) {
  Drive d(named("bounded-work-stealing-deque"), I(3));
  for (const std::int64_t i : {1, 2, 3}) EXPECT_EQ(d.run("push", {I(i)}), B(true));
  EXPECT_EQ(d.run("push_bottom", {I(4)}), B(false));
  EXPECT_EQ(d.run("steal"), I(1));
  EXPECT_EQ(d.run("take"), I(3));
  EXPECT_EQ(d.run("size"), I(1));
  EXPECT_EQ(d.run("steal"), I(2));
  EXPECT_EQ(d.run("steal"), kNil);
  EXPECT_EQ(d.run("pop"), kNil);
}

TEST(BoundedQueue, ItsInitialValueIsItsCapacity) {
  for (const std::int64_t capacity : {1, 3}) {
    Drive queue(named("ring-buffer"), I(capacity)), stack(named("bounded-lifo"), I(capacity));
    for (std::int64_t i = 0; i < capacity; ++i) {
      EXPECT_EQ(queue.run("enq", {I(i)}), B(true));
      EXPECT_EQ(stack.run("push", {I(i)}), B(true));
    }
    EXPECT_EQ(queue.run("enq", {I(9)}), B(false));
    EXPECT_EQ(stack.run("push", {I(9)}), B(false));
  }
  Drive d(named("bounded-queue"));
  d.run("enq", {I(1)});
  d.run("enq", {I(2)});
  EXPECT_EQ(d.run("enq", {I(3)}), B(false)) << "two by default";
  EXPECT_EQ(named("bounded-queue").reject_initial(I(0)),
            "the initial value 0 of bounded-queue: the capacity must be at least 1");
}

TEST(Deque, HasTwoEnds) {
  Drive d(named("deque"), ints({1, 2}));
  d.run("push_front", {I(0)});
  d.run("add_last", {I(3)});
  EXPECT_EQ(d.run("size"), I(4));
  EXPECT_EQ(d.run("front"), I(0));
  EXPECT_EQ(d.run("peek_back"), I(3));
  EXPECT_EQ(d.run("poll_last"), I(3));
  EXPECT_EQ(d.run("poll_first"), I(0));
  EXPECT_EQ(d.run("pop_front"), I(1));
  EXPECT_EQ(d.run("pop_back"), I(2));
  for (const char* const method : {"pop_front", "pop_back", "peek_front", "peek_back"})
    EXPECT_EQ(d.run(method), kNil) << method;
}

TEST(WorkStealingDeque, StealsTheOldestAndPopsTheYoungest) {
  Drive d(named("work-stealing-deque"));
  EXPECT_EQ(d.run("steal"), kNil);
  EXPECT_EQ(d.run("pop"), kNil);
  for (const int v : {1, 2, 3}) d.run("push_bottom", {I(v)});
  EXPECT_EQ(d.run("size"), I(3));
  EXPECT_EQ(d.run("steal"), I(1));
  EXPECT_EQ(d.run("take"), I(3));
  EXPECT_EQ(d.run("pop_top"), I(2));
  EXPECT_EQ(d.run("steal"), kNil);
}

TEST(Multimap, KeepsSeveralValuesOfAKey) {
  Drive d(named("multimap"));
  EXPECT_EQ(d.run("get", {I(1)}), L({}));
  d.run("put", {I(1), I(7)});
  d.run("insert", {I(1), I(5)});
  d.run("put", {I(1), I(7)});
  d.run("put", {I(2), I(7)});
  EXPECT_EQ(d.run("get", {I(1)}), ints({5, 7, 7}));
  EXPECT_EQ(d.run("count", {I(1)}), I(3));
  EXPECT_EQ(d.run("size"), I(4));
  EXPECT_EQ(d.run("remove", {I(1), I(7)}), B(true));
  EXPECT_EQ(d.run("remove", {I(1), I(9)}), B(false));
  EXPECT_EQ(d.run("get_all", {I(1)}), ints({5, 7}));
  EXPECT_EQ(d.run("remove_all", {I(1)}), I(2));
  EXPECT_EQ(d.run("remove_all", {I(1)}), I(0));
  EXPECT_EQ(d.run("contains", {I(1)}), B(false));
  EXPECT_EQ(d.run("contains", {I(2)}), B(true));
  EXPECT_EQ(d.run("remove", {I(2), I(7)}), B(true));
  EXPECT_EQ(d.space().initial(), d.now().front()) << "a key without values is none";
  EXPECT_EQ(Drive(named("multimap"), L({ints({1, 2}), ints({1, 3})})).run("get", {I(1)}),
            ints({2, 3}));
}

TEST(RwLock, HasOneWriterOrSeveralReaders) {
  Drive d(named("shared-mutex"));
  EXPECT_TRUE(d.blocked("unlock"));
  EXPECT_TRUE(d.blocked("unlock_shared"));
  d.run("lock_shared");
  EXPECT_EQ(d.run("try_lock_shared"), B(true));
  EXPECT_EQ(d.run("try_lock"), B(false));
  EXPECT_TRUE(d.blocked("lock"));
  d.run("unlock_shared");
  EXPECT_TRUE(d.blocked("lock")) << "there is another reader";
  d.run("read_unlock");
  d.run("lock");
  EXPECT_TRUE(d.blocked("lock_shared"));
  EXPECT_EQ(d.run("try_lock_shared"), B(false));
  EXPECT_TRUE(d.blocked("unlock_shared"));
  d.run("unlock");
  EXPECT_EQ(d.run("try_lock"), B(true));
  EXPECT_TRUE(Drive(named("rwlock"), B(true)).blocked("lock_shared"));
}

TEST(Latch, WaitsUntilItsCountIsZero) {
  Drive d(named("latch"), I(2));
  EXPECT_EQ(d.run("try_wait"), B(false));
  d.run("count_down");
  EXPECT_TRUE(d.blocked("wait"));
  EXPECT_EQ(d.run("count"), I(1));
  d.run("arrive");
  EXPECT_FALSE(d.blocked("await"));
  EXPECT_EQ(d.run("try_wait"), B(true));
  d.run("count_down");
  EXPECT_EQ(d.run("count"), I(0)) << "at 0 it stays";
  EXPECT_EQ(named("latch").reject_initial(I(-1)),
            "the initial value -1 of latch: the count cannot be negative");
}

TEST(Barrier, APhaseIsOverWhenAllHaveArrived) {
  Drive d(named("barrier"), I(2));
  EXPECT_TRUE(d.blocked("wait", {I(0)}));
  EXPECT_EQ(d.run("arrive"), I(0));
  EXPECT_TRUE(d.blocked("wait", {I(0)}));
  EXPECT_EQ(d.run("try_wait", {I(0)}), B(false));
  EXPECT_EQ(d.run("arrive"), I(0));
  EXPECT_FALSE(d.blocked("wait", {I(0)}));
  EXPECT_TRUE(d.blocked("wait", {I(1)}));
  EXPECT_EQ(d.run("phase"), I(1));
  EXPECT_EQ(d.run("arrive"), I(1));
  EXPECT_EQ(d.run("arrive"), I(1));
  EXPECT_EQ(d.run("try_wait", {I(1)}), B(true));
  Drive alone(named("barrier"), I(1));
  EXPECT_EQ(alone.run("arrive"), I(0));
  EXPECT_FALSE(alone.blocked("wait", {I(0)}));
  EXPECT_EQ(named("barrier").reject_initial(I(0)),
            "the initial value 0 of barrier: there must be a participant");
}

TEST(Rejection, NamesMethodArgumentAndValue) {
  EXPECT_EQ(rejected(named("queue"), "enq", {I(1), I(2)}), "enq takes 1 argument (v), got 2");
  EXPECT_EQ(rejected(named("queue"), "deq", {I(1)}), "deq takes no arguments, got 1");
  EXPECT_EQ(rejected(named("register"), "cas", {I(1)}),
            "cas takes 2 arguments (expect, new), got 1");
  EXPECT_EQ(rejected(named("counter"), "add", {S("x")}),
            "argument 1 of add must be an integer, got \"x\"");
  EXPECT_EQ(rejected(named("set"), "contains", {I(1)}, I(5)), "contains returns a boolean, got 5");
  EXPECT_EQ(rejected(named("counter"), "get", {}, B(true)), "get returns an integer, got true");
  EXPECT_EQ(rejected(named("queue"), "size", {}, I(-1)),
            "size returns an integer from 0 to 18446744073709551615, got -1");
}

TEST(Rejection, AMethodThatReturnsNothingMaySaySoInSeveralWays) {
  for (const Value done : {kNil, B(true), S("ok")})
    EXPECT_EQ(rejected(named("register"), "write", {I(1)}, done), "");
  EXPECT_EQ(rejected(named("register"), "write", {I(1)}, I(1)), "write returns nothing, got 1");
  EXPECT_EQ(rejected(named("queue"), "enq", {I(1)}, B(false)), "enq returns nothing, got false");
  Drive d(named("register"));
  EXPECT_TRUE(d.legal("write", {I(1)}, S("ok")));
  EXPECT_TRUE(d.legal("write", {I(2)}, B(true)));
  EXPECT_EQ(d.run("read"), I(2));
}

TEST(Initial, ValuesOfTheWrongKindAreRejected) {
  EXPECT_EQ(named("counter").reject_initial(S("x")),
            "the initial value of counter must be an integer or null, got \"x\"");
  EXPECT_EQ(named("queue").reject_initial(I(3)),
            "the initial value of queue must be a list or null, got 3");
  EXPECT_EQ(named("mutex").reject_initial(B(true)), "");
  for (const Specification* spec : all_specifications())
    EXPECT_EQ(spec->reject_initial(kNil), "") << spec->name();
}

}  // namespace
}  // namespace plumb
