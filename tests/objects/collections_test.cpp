// SPDX-License-Identifier: MIT
// The queues, stacks, deques and bags of objects/ under real threads: each thread puts values in
// and takes values out by turns, so that there is always something to take.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

#include "../../objects/deques/chase_lev_deque.hpp"
#include "../../objects/deques/linked_deque.hpp"
#include "../../objects/dotnet/blocking_collection.hpp"
#include "../../objects/dotnet/concurrent_bag.hpp"
#include "../../objects/dotnet/concurrent_linked_list.hpp"
#include "../../objects/dotnet/concurrent_queue.hpp"
#include "../../objects/dotnet/concurrent_stack.hpp"
#include "../../objects/priority_queues/quasi_priority_queue.hpp"
#include "../../objects/priority_queues/skip_queue.hpp"
#include "../../objects/queues/bounded_k_fifo.hpp"
#include "../../objects/queues/freezing_segment.hpp"
#include "../../objects/queues/herlihy_wing_queue.hpp"
#include "../../objects/queues/impatient_queue.hpp"
#include "../../objects/queues/iqueue.hpp"
#include "../../objects/queues/michael_scott_queue.hpp"
#include "../../objects/queues/mpsc_queue.hpp"
#include "../../objects/queues/per_producer_queue.hpp"
#include "../../objects/queues/quasi_queue.hpp"
#include "../../objects/queues/ramalhete_queue.hpp"
#include "../../objects/queues/random_dequeue_queue.hpp"
#include "../../objects/queues/recycling_queue.hpp"
#include "../../objects/queues/segmented_queue.hpp"
#include "../../objects/queues/shann_queue.hpp"
#include "../../objects/queues/single_list_queue.hpp"
#include "../../objects/queues/spsc_queue.hpp"
#include "../../objects/queues/unbounded_k_fifo.hpp"
#include "../../objects/queues/vyukov_queue.hpp"
#include "../../objects/stacks/array_stack.hpp"
#include "../../objects/stacks/k_stack.hpp"
#include "../../objects/stacks/pop_all_stack.hpp"
#include "../../objects/stacks/quasi_stack.hpp"
#include "../../objects/stacks/recycling_stack.hpp"
#include "put_and_take.hpp"
#include "together.hpp"

namespace plumb::objects {
namespace {

constexpr int kThreads = 3, kPairs = 12, kRounds = 40;

struct Traffic {
  std::vector<std::vector<int>> put{kThreads}, taken{kThreads};  // by thread
  int in_vain = 0;  // how often there was nothing to take, after one had put something in
};

template <class Object>
Traffic use(Object& object, int threads = kThreads) {
  Traffic traffic;
  std::atomic<int> in_vain{0};
  together(threads, [&](int thread) {
    const auto t = static_cast<std::size_t>(thread);
    for (int i = 1; i <= kPairs; ++i) {
      const int value = thread * 100 + i;
      if (!put(object, value)) continue;
      traffic.put[t].push_back(value);
      if (const std::optional<int> one = take(object)) traffic.taken[t].push_back(*one);
      else ++in_vain;
    }
  });
  traffic.in_vain = in_vain.load();
  return traffic;
}

std::vector<int> sorted(const std::vector<std::vector<int>>& parts) {
  std::vector<int> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  return all;
}

// What is there is found: linearizable ones, and relaxed ones that are wrong about order only.
template <class Object>
class ExactCollections : public testing::Test {};
using Exact = testing::Types<
    FixedIQueue, FixedVyukovQueue, LockedSingleListQueue, RecyclingQueue, HerlihyWingQueue,
    FixedShannQueue, MichaelScottQueue<int>, FixedRamalheteQueue, FixedFreezingSegment,
    ConcurrentQueue, ConcurrentQueueOfPairs, ConcurrentStack, ConcurrentLinkedList, RecyclingStack,
    FixedArrayStack, ConcurrentBag, FixedLinkedDeque, FixedSkipQueue, FixedSegmentedQueue<1>,
    FixedSegmentedQueue<2>, RandomDequeueQueue<1>, FixedRandomDequeueQueue<1>,
    FixedRandomDequeueQueue<2>, QuasiQueue<1>, QuasiQueue<2>, QuasiQueueB1<1>, BoundedKFifo<1>,
    BoundedKFifo<2>, UnboundedKFifo<1>, UnboundedKFifo<2>, FixedKStack<0>, FixedKStack<1>,
    FixedKStack<2>, QuasiStack<0>, QuasiStack<1>, QuasiStack<2>, QuasiStackB2<1>,
    QuasiPriorityQueue<0>, QuasiPriorityQueue<1>, QuasiPriorityQueue<2>, QuasiPriorityQueueB2<1>>;
TYPED_TEST_SUITE(ExactCollections, Exact);

TYPED_TEST(ExactCollections, ThreadsFindWhatTheyPutIn) {
  for (int round = 0; round < kRounds; ++round) {
    TypeParam object;
    const Traffic traffic = use(object);
    ASSERT_EQ(traffic.in_vain, 0);
    ASSERT_EQ(sorted(traffic.taken), sorted(traffic.put));
    if constexpr (!std::is_same_v<TypeParam, HerlihyWingQueue>) {  // that one would wait
      ASSERT_EQ(take(object), std::nullopt);
    }
  }
}

// What one thread puts in comes out in that order.
template <class Object>
class Fifos : public testing::Test {};
using FifoTypes =
    testing::Types<FixedIQueue, FixedVyukovQueue, LockedSingleListQueue, RecyclingQueue,
                   HerlihyWingQueue, FixedShannQueue, MichaelScottQueue<int>, FixedRamalheteQueue,
                   FixedFreezingSegment, ConcurrentQueue, ConcurrentQueueOfPairs,
                   ConcurrentLinkedList, PerProducerQueue, FixedLinkedDeque, FixedSegmentedQueue<0>,
                   FixedRandomDequeueQueue<0>, QuasiQueue<0>, BoundedKFifo<0>, UnboundedKFifo<0>>;
TYPED_TEST_SUITE(Fifos, FifoTypes);

TYPED_TEST(Fifos, EveryThreadTakesTheValuesOfAnotherInOrder) {
  for (int round = 0; round < kRounds; ++round) {
    TypeParam object;
    for (const std::vector<int>& taken : use(object).taken) {
      std::map<int, int> last;  // by the thread that put it in
      for (const int value : taken) {
        ASSERT_GT(value, last[value / 100]);
        last[value / 100] = value;
      }
    }
  }
}

// Those that say "empty" too often, but lose nothing.
template <class Object>
class ConservingCollections : public testing::Test {};
using Conserving = testing::Types<IQueue, VyukovQueue, ImpatientQueue, OneScanQueue, RamalheteQueue,
                                  FreezingSegment, SegmentedQueue<1>, QuasiQueueB3<1>,
                                  QuasiStackB1<1>, PerProducerQueue, ConcurrentLinkedListPre,
                                  ConcurrentBagPre, BlockingCollection, LinkedDeque, SkipQueue>;
TYPED_TEST_SUITE(ConservingCollections, Conserving);

TYPED_TEST(ConservingCollections, EveryValueIsTakenOnce) {
  for (int round = 0; round < kRounds; ++round) {
    TypeParam object;
    Traffic traffic = use(object);
    while (const std::optional<int> one = take(object)) traffic.taken[0].push_back(*one);
    ASSERT_EQ(sorted(traffic.taken), sorted(traffic.put));
  }
}

// Those that lose values, or give them twice. (A slot of ArrayStack that is read too early is 0.)
template <class Object>
class FaultyCollections : public testing::Test {};
using Faulty =
    testing::Types<ShannQueue, KStack<0>, KStack<1>, QuasiQueueB2<1>, UncountedStack, ArrayStack>;
TYPED_TEST_SUITE(FaultyCollections, Faulty);

TYPED_TEST(FaultyCollections, GiveNothingThatNobodyPutIn) {
  for (int round = 0; round < kRounds; ++round) {
    TypeParam object;
    const Traffic traffic = use(object);
    const std::vector<int> put = sorted(traffic.put);
    for (const int value : sorted(traffic.taken)) {
      if (std::is_same_v<TypeParam, ArrayStack> && value == 0) continue;
      ASSERT_TRUE(std::binary_search(put.begin(), put.end(), value)) << value;
    }
  }
}

#ifndef __SANITIZE_THREAD__  // it does not know pthread_mutex_clocklock, by which these two lock
TEST(ConcurrentQueuePre, EveryValueIsTakenOnce) {
  for (int round = 0; round < kRounds; ++round) {
    ConcurrentQueuePre queue;
    Traffic traffic = use(queue);
    while (const std::optional<int> one = queue.try_dequeue()) traffic.taken[0].push_back(*one);
    ASSERT_EQ(sorted(traffic.taken), sorted(traffic.put));
  }
}

TEST(BlockingCollectionPre, LosesValuesButGivesNoneTwice) {
  for (int round = 0; round < kRounds; ++round) {
    BlockingCollectionPre collection;
    const Traffic traffic = use(collection);
    const std::vector<int> put = sorted(traffic.put), taken = sorted(traffic.taken);
    ASSERT_TRUE(std::includes(put.begin(), put.end(), taken.begin(), taken.end()));
  }
}
#endif

// These would be undefined behaviour, or might go round in a ring, with more than one thread.
template <class Object>
class CollectionsForOne : public testing::Test {};
using ForOne = testing::Types<SingleListQueue, UncountedQueue, ForgetfulQueue>;
TYPED_TEST_SUITE(CollectionsForOne, ForOne);

TYPED_TEST(CollectionsForOne, OneThreadFindsWhatItPutIn) {
  TypeParam object;
  const Traffic traffic = use(object, 1);
  EXPECT_EQ(traffic.taken, traffic.put);
}

template <class Queue>
class MpscQueues : public testing::Test {};
using MpscTypes = testing::Types<MpscQueue, FixedMpscQueue>;
TYPED_TEST_SUITE(MpscQueues, MpscTypes);

TYPED_TEST(MpscQueues, TheConsumerTakesAllInTheOrderOfEachProducer) {
  for (int round = 0; round < kRounds; ++round) {
    TypeParam queue;
    std::map<int, int> last;
    together(kThreads, [&](int thread) {
      if (thread != 0) {
        for (int i = 1; i <= kPairs; ++i) queue.enq(thread * 100 + i);
        return;
      }
      for (int taken = 0; taken < (kThreads - 1) * kPairs;) {
        const std::optional<int> value = queue.deq();
        if (!value) {
          std::this_thread::yield();
          continue;
        }
        EXPECT_EQ(*value % 100, last[*value / 100] + 1);
        last[*value / 100] = *value % 100;
        ++taken;
      }
    });
    ASSERT_EQ(queue.deq(), std::nullopt);
  }
}

TEST(SpscQueue, OneThreadFindsWhatItPutIn) {
  SpscQueue queue;
  EXPECT_EQ(use(queue, 1).in_vain, 0);
}

TEST(FixedSpscQueue, TheConsumerTakesAllInOrder) {
  for (int round = 0; round < kRounds; ++round) {
    FixedSpscQueue queue;
    together(2, [&](int thread) {
      for (int i = 1; i <= 5 * kPairs; ++i) {
        if (thread == 0) EXPECT_EQ(queue.deq(), i);
        else
          while (!queue.enq(i)) std::this_thread::yield();
      }
    });
  }
}

template <class Stack>
std::vector<int> popped_beside_pushes() {
  Stack stack;
  std::vector<int> popped;
  together(2, [&](int thread) {
    for (int i = 1; i <= kPairs; ++i) {
      if (thread == 0) stack.push(i);
      else
        for (const int value : stack.pop_all()) popped.push_back(value);
    }
  });
  for (const int value : stack.pop_all()) popped.push_back(value);
  return sorted({popped});
}

TEST(PopAllStack, EveryValueIsPopped) {
  std::vector<int> all(kPairs);
  for (int i = 0; i < kPairs; ++i) all[static_cast<std::size_t>(i)] = i + 1;
  for (int round = 0; round < kRounds; ++round) {
    EXPECT_EQ(popped_beside_pushes<FixedPopAllStack>(), all);
    EXPECT_GE(popped_beside_pushes<PopAllStack>().size(), all.size());  // some perhaps twice
  }
}

template <class Deque>
Traffic steal_from_owner() {
  Deque deque;
  Traffic traffic;
  together(kThreads, [&](int thread) {
    auto& taken = traffic.taken[static_cast<std::size_t>(thread)];
    for (int i = 1; i <= 4 * kPairs; ++i) {
      if (thread != 0) {
        if (const auto value = deque.steal()) taken.push_back(*value);
        continue;
      }
      if (deque.push(i)) traffic.put[0].push_back(i);
      if (i % 3 == 0)
        if (const auto value = deque.take()) taken.push_back(*value);
    }
  });
  while (const auto value = deque.take()) traffic.taken[0].push_back(*value);
  return traffic;
}

TEST(ChaseLevDeque, EveryValueIsTakenOnce) {
  for (int round = 0; round < kRounds; ++round) {
    steal_from_owner<ChaseLevDeque>();
    const Traffic traffic = steal_from_owner<FixedChaseLevDeque>();
    EXPECT_EQ(sorted(traffic.taken), sorted(traffic.put));
  }
}

TEST(BlockingCollection, ConsumersTakeAllAndEnd) {
  for (const int capacity : {1, 100}) {
    BlockingCollection collection(capacity);
    Traffic traffic;
    std::atomic<int> producers{2};
    together(kThreads + 1, [&](int thread) {
      if (thread >= 2) {
        while (const auto value = collection.take_with_enum())
          traffic.taken[static_cast<std::size_t>(thread - 2)].push_back(*value);
        return;
      }
      for (int i = 1; i <= 50; ++i) {
        traffic.put[static_cast<std::size_t>(thread)].push_back(thread * 100 + i);
        collection.add(thread * 100 + i);
      }
      if (--producers == 0) collection.complete_adding();
    });
    EXPECT_EQ(sorted(traffic.taken), sorted(traffic.put));
    EXPECT_TRUE(collection.is_completed());
    EXPECT_THROW(collection.add(1), std::logic_error);
    EXPECT_THROW(collection.take(), std::logic_error);
  }
}

TEST(BlockingCollection, ABoundIsKept) {
  using std::chrono::milliseconds;
  BlockingCollection collection(1);
  EXPECT_TRUE(collection.try_add(7));
  EXPECT_FALSE(collection.try_add(8));
  EXPECT_FALSE(collection.try_add(8, milliseconds(1)));
  EXPECT_EQ(collection.try_take(milliseconds(1)), 7);
  EXPECT_EQ(collection.try_take(milliseconds(1)), std::nullopt);
  EXPECT_TRUE(collection.try_add(9, milliseconds(1)));
  EXPECT_EQ(collection.to_array(), std::vector{9});
  collection.cancel();
  EXPECT_THROW(collection.take(), std::runtime_error);
}

TEST(ConcurrentStack, RangesStayTogether) {
  ConcurrentStack stack;
  std::atomic<int> torn{0};
  together(kThreads, [&](int thread) {
    for (int i = 1; i <= 200; ++i) {
      const int value = 1000 * thread + i;
      stack.push_range({value, -value});
      const std::vector<int> both = stack.try_pop_range(2);
      if (both.size() != 2 || both[0] != -both[1]) ++torn;
    }
  });
  EXPECT_EQ(torn.load(), 0);
  EXPECT_EQ(stack.count(), 0);
}

}  // namespace
}  // namespace plumb::objects
