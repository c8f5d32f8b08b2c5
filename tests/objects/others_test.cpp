// SPDX-License-Identifier: MIT
// The objects that are no collections, under real threads. Those with a mistake are only run.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../../objects/alarms/growing_state.hpp"
#include "../../objects/alarms/hurried_semaphore.hpp"
#include "../../objects/alarms/lazy_slots.hpp"
#include "../../objects/alarms/retrying_counter.hpp"
#include "../../objects/counters/counter.hpp"
#include "../../objects/counters/mailbox.hpp"
#include "../../objects/counters/snzi.hpp"
#include "../../objects/dotnet/barrier.hpp"
#include "../../objects/dotnet/cancellation_token_source.hpp"
#include "../../objects/dotnet/concurrent_dictionary.hpp"
#include "../../objects/dotnet/countdown_event.hpp"
#include "../../objects/dotnet/lazy.hpp"
#include "../../objects/dotnet/manual_reset_event.hpp"
#include "../../objects/dotnet/semaphore_slim.hpp"
#include "../../objects/dotnet/task_completion_source.hpp"
#include "../../objects/maps/forgetful_map.hpp"
#include "../../objects/maps/non_blocking_map.hpp"
#include "../../objects/maps/two_index_map.hpp"
#include "../../objects/registers/k_valued_register.hpp"
#include "../../objects/registers/tromp_bit.hpp"
#include "../../objects/sets/hasty_set.hpp"
#include "../../objects/sets/unmarked_set.hpp"
#include "together.hpp"

namespace plumb::objects {
namespace {

constexpr int kThreads = 4, kRounds = 40, kOperations = 200;

TEST(RetryingCounter, LosesNothing) {
  RetryingCounter counter;
  together(kThreads, [&](int) {
    for (int i = 0; i < kOperations; ++i) counter.increment();
  });
  EXPECT_EQ(counter.get(), kThreads * kOperations);
}

TEST(HurriedSemaphore, LetsInAsManyAsItCounts) {
  HurriedSemaphore semaphore;
  std::atomic<int> in{0};
  together(kThreads, [&](int) {
    for (int i = 0; i < kOperations; ++i) {
      semaphore.release();
      in += semaphore.try_wait() ? 1 : 0;
    }
  });
  while (semaphore.try_wait()) ++in;
  EXPECT_EQ(in.load(), kThreads * kOperations);
}

TEST(GrowingState, IsCancelledByOne) {
  for (int round = 0; round < kRounds; ++round) {
    GrowingState state;
    std::atomic<int> first{0};
    together(kThreads, [&](int) {
      first += state.cancel() ? 1 : 0;
      EXPECT_TRUE(state.is_cancelled());
    });
    EXPECT_EQ(first.load(), 1);
  }
}

TEST(LazySlots, LosesNothing) {
  LazySlots slots;
  together(kThreads, [&](int) {
    for (int i = 0; i < kOperations; ++i) slots.increment();
  });
  EXPECT_EQ(slots.increment(), kThreads * kOperations);
}

TEST(Lazy, IsMadeOnce) {
  for (int round = 0; round < kRounds; ++round) {
    Lazy lazy;
    EXPECT_EQ(lazy.to_string(), "value is not created");
    together(kThreads, [&](int) { EXPECT_EQ(lazy.value(), 1); });
    EXPECT_TRUE(lazy.is_value_created());
    EXPECT_EQ(lazy.to_string(), "1");
  }
}

TEST(ManualResetEvent, LetsAllThroughThatWait) {
  for (int round = 0; round < kRounds; ++round) {
    ManualResetEvent event;
    together(kThreads, [&](int thread) {
      if (thread == 0) event.set();
      else if (thread == 1) event.wait_one();
      else event.wait();
    });
    EXPECT_TRUE(event.is_set());
    event.reset();
    EXPECT_FALSE(event.is_set());
  }
}

TEST(ManualResetEventPre, RunsIfNobodyHasToWait) {
  ManualResetEventPre event;
  event.set();
  together(kThreads, [&](int) { event.wait(); });
  EXPECT_TRUE(event.is_set());
}

TEST(SemaphoreSlim, LetsInAsManyAsItCounts) {
  SemaphoreSlim semaphore(2);
  std::atomic<int> inside{0}, most{0};
  together(kThreads, [&](int thread) {
    for (int i = 0; i < kOperations; ++i) {
      if (thread % 2 == 0) semaphore.wait();
      else if (!semaphore.wait_for(std::chrono::seconds(600))) throw std::logic_error("it is late");
      const int now = ++inside;
      int before = most.load();
      while (before < now && !most.compare_exchange_weak(before, now)) {}
      --inside;
      semaphore.release();
    }
  });
  EXPECT_LE(most.load(), 2);
  EXPECT_EQ(semaphore.current_count(), 2);
  EXPECT_TRUE(semaphore.try_wait() && semaphore.try_wait() && !semaphore.try_wait());
  EXPECT_FALSE(semaphore.wait_for(std::chrono::milliseconds(1)));
  EXPECT_EQ(semaphore.release(2), 0);
}

TEST(CountdownEvent, OneReachesZeroAndAllGoOn) {
  for (int round = 0; round < kRounds; ++round) {
    CountdownEvent event(kThreads);
    std::atomic<int> last{0};
    together(kThreads, [&](int thread) {
      if (event.signal()) ++last;
      if (thread % 2 == 0) event.wait();
      else event.wait_one();
    });
    EXPECT_EQ(last.load(), 1);
    EXPECT_TRUE(event.is_set() && event.try_wait());
    EXPECT_FALSE(event.try_add_count());
    EXPECT_THROW(event.add_count(), std::logic_error);
    EXPECT_THROW(event.signal(), std::logic_error);
  }
}

TEST(ConcurrentDictionary, OneOfSeveralAddsAndOneRemoves) {
  ConcurrentDictionary dictionary;
  std::atomic<int> added{0}, removed{0}, updated{0};
  constexpr int kKeys = 50;
  together(kThreads, [&](int thread) {
    for (int key = 0; key < kKeys; ++key) {
      added += dictionary.try_add(key, 0) ? 1 : 0;
      updated += dictionary.try_update(key, thread + 1, 0) ? 1 : 0;
    }
  });
  EXPECT_EQ(added.load(), kKeys);
  EXPECT_EQ(updated.load(), kKeys);
  EXPECT_EQ(dictionary.count(), kKeys);
  EXPECT_TRUE(dictionary.contains_key(7) && dictionary.get(7) > 0 && !dictionary.is_empty());
  together(kThreads, [&](int) {
    for (int key = 0; key < kKeys; ++key) removed += dictionary.try_remove(key).has_value() ? 1 : 0;
  });
  EXPECT_EQ(removed.load(), kKeys);
  EXPECT_TRUE(dictionary.is_empty());
  EXPECT_THROW(dictionary.get(7), std::out_of_range);
  dictionary.set(7, 8);
  EXPECT_EQ(dictionary.try_get(7), 8);
  dictionary.clear();
  EXPECT_EQ(dictionary.count(), 0);
}

template <class Source>
int winners_of(Source& source) {
  std::atomic<int> winners{0};
  together(kThreads, [&](int thread) {
    if (thread == 0) winners += source.try_set_exception(7) ? 1 : 0;
    else if (thread == 1) winners += source.try_set_canceled() ? 1 : 0;
    else winners += source.try_set_result(thread) ? 1 : 0;
    try {
      source.wait();
    } catch (const std::runtime_error&) {  // it was not a result
    }
  });
  return winners.load();
}

TEST(TaskCompletionSource, HasOneOutcome) {
  for (int round = 0; round < kRounds; ++round) {
    TaskCompletionSource released;
    FixedTaskCompletionSource fixed;
    TaskCompletionSourcePre pre;
    EXPECT_EQ(winners_of(released), 1);
    EXPECT_EQ(winners_of(fixed), 1);
    EXPECT_GE(winners_of(pre), 1);
    EXPECT_FALSE(fixed.try_result().has_value() && fixed.exception().has_value());
    EXPECT_THROW(fixed.set_result(1), std::logic_error);
    EXPECT_THROW(fixed.set_exception(1), std::logic_error);
    EXPECT_THROW(fixed.set_canceled(), std::logic_error);
  }
}

TEST(CancellationTokenSource, EveryCallbackRunsOnce) {
  for (int round = 0; round < kRounds; ++round) {
    CancellationTokenSource source;
    std::atomic<int> calls{0}, at_once{0}, by_cancel{0};
    together(kThreads, [&](int thread) {
      for (int i = 0; i < 10; ++i) {
        at_once += source.register_callback([&] { ++calls; }) ? 1 : 0;
        if (thread < 2 && i == 5) by_cancel += source.cancel();
      }
    });
    EXPECT_EQ(calls.load(), kThreads * 10);
    EXPECT_EQ(at_once.load() + by_cancel.load(), kThreads * 10);
    EXPECT_TRUE(source.is_cancellation_requested());
  }
}

TEST(Barrier, NobodyIsAPhaseAhead) {
  Barrier barrier(kThreads);
  std::atomic<int> ahead{0};
  together(kThreads, [&](int) {
    for (int phase = 0; phase < 100; ++phase) {
      if (barrier.current_phase_number() != phase) ++ahead;
      barrier.signal_and_wait();
    }
  });
  EXPECT_EQ(ahead.load(), 0);
  EXPECT_EQ(barrier.current_phase_number(), 100);
  EXPECT_EQ(barrier.participants_remaining(), kThreads);
}

TEST(Barrier, WhoLeavesOrCancelsLetsOthersGo) {
  for (int round = 0; round < kRounds; ++round) {
    Barrier barrier(3);
    EXPECT_EQ(barrier.add_participant(), 0);
    std::atomic<int> canceled{0};
    together(4, [&](int thread) {
      if (thread == 0) return barrier.remove_participant(), barrier.remove_participant();
      if (thread == 1) return barrier.cancel_token();
      try {
        barrier.signal_and_wait_or_cancel();
      } catch (const std::runtime_error&) { ++canceled; }
    });
    EXPECT_EQ(barrier.participant_count(), 2);
    // Both arrived, or one gave up and the other as well.
    EXPECT_EQ(canceled.load() == 0, barrier.current_phase_number() == 1);
    EXPECT_EQ(barrier.participants_remaining(), 2);
  }
}

TEST(Counter, CountsAll) {
  Counter counter;
  LossyCounter lossy;
  together(kThreads, [&](int) {
    for (int i = 0; i < kOperations; ++i) {
      counter.inc();
      counter.inc();
      counter.dec();
      lossy.inc();
    }
  });
  EXPECT_EQ(counter.get(), kThreads * kOperations);
  EXPECT_LE(lossy.get(), kThreads * kOperations);
}

template <class Indicator>
int unseen_by(Indicator& indicator) {
  std::atomic<int> unseen{0};
  together(kThreads, [&](int) {
    for (int i = 0; i < kOperations; ++i) {
      indicator.arrive();
      if (!indicator.query()) ++unseen;
      indicator.depart();
    }
  });
  return unseen.load();
}

TEST(Snzi, SeesWhoIsThere) {
  Snzi snzi;
  EXPECT_EQ(unseen_by(snzi), 0);
  EXPECT_FALSE(snzi.query());
  EXPECT_THROW(snzi.depart(), std::logic_error);
  WholeSnzi whole;
  unseen_by(whole);
  HastySnzi hasty;
  unseen_by(hasty);
}

template <class Box>
void deliver_and_remove(Box& box, int letters) {
  together(2, [&](int thread) {
    for (int i = 0; i < letters; ++i) {
      if (thread == 0) box.deliver();
      else if (box.check()) box.remove();
    }
  });
}

TEST(Mailbox, NoLetterIsLost) {
  FixedMailbox box;
  deliver_and_remove(box, kOperations);
  box.deliver();
  EXPECT_TRUE(box.check());
  while (box.check()) box.remove();
  EXPECT_THROW(box.remove(), std::logic_error);
  Mailbox faulty;
  try {
    deliver_and_remove(faulty, 0);
    faulty.deliver();
    faulty.remove();
    faulty.remove();
    FAIL();
  } catch (const std::logic_error&) {  // there was one letter only
  }
}

template <class Map>
int stored_less_deleted(Map& map) {
  std::atomic<int> stored{0}, deleted{0};
  together(kThreads, [&](int thread) {
    for (int i = 1; i <= kOperations; ++i) {
      if (thread % 2 == 0) map.store(thread, i), ++stored;
      else deleted += map.load_and_delete(thread - 1).has_value() ? 1 : 0;
    }
  });
  return stored.load() - deleted.load();
}

TEST(ForgetfulMap, DeletesNoMoreThanWasStored) {
  ForgetfulMap faulty;
  FixedForgetfulMap fixed;
  EXPECT_GE(stored_less_deleted(faulty), 0);
  EXPECT_GE(stored_less_deleted(fixed), 0);
  fixed.store(1, 10);
  EXPECT_EQ(fixed.load(1), 10);
  EXPECT_EQ(fixed.load_and_delete(1), 10);
  EXPECT_EQ(fixed.load(1), std::nullopt);
}

// Every value but the last is returned by the put that replaced it.
TEST(NonBlockingMap, EveryValueIsReplacedOnce) {
  FixedNonBlockingMap fixed;
  NonBlockingMap faulty;
  std::atomic<int> put{0}, returned{0};
  together(kThreads, [&](int thread) {
    for (int i = 1; i <= kOperations; ++i) {
      const int value = thread * 1000 + i;
      put += value;
      returned += fixed.put(5, value).value_or(0);
      faulty.put(5, value);
    }
  });
  EXPECT_EQ(put.load(), returned.load() + fixed.get(5).value_or(0));
}

TEST(TwoIndexMap, BothDirectionsKnowTheSame) {
  TwoIndexMap faulty;
  FixedTwoIndexMap fixed;
  std::atomic<int> unknown{0};
  together(2, [&](int thread) {
    for (int i = 1; i <= kOperations; ++i) {
      if (thread == 0) {
        faulty.put(i, -i);
        fixed.put(i, -i);
      } else {
        faulty.key_of(-i);
        if (fixed.value_of(i) && fixed.key_of(-i) != i) ++unknown;
      }
    }
  });
  EXPECT_EQ(unknown.load(), 0);
}

// Values only rise, so that what is read may not fall.
template <class Register>
int falls_of(Register& object) {
  int falls = 0;
  together(2, [&](int thread) {
    for (int value = 1, last = 0, i = 0; i < kOperations && value <= 3; ++i) {
      if (thread == 0) {
        object.write(value++);
        std::this_thread::yield();
        continue;
      }
      try {
        const int read = object.read();
        falls += read < last ? 1 : 0;
        last = read;
      } catch (const std::logic_error&) { ++falls; }
    }
  });
  return falls;
}

TEST(KValuedRegister, NeverReturnsToWhatWasOverwritten) {
  for (int round = 0; round < kRounds; ++round) {
    KValuedRegister correct;
    EXPECT_EQ(falls_of(correct), 0);
    EXPECT_EQ(correct.read(), 3);
    UpwardRegister upward;
    falls_of(upward);
    SimpleRegister simple;
    falls_of(simple);
  }
}

template <class Bit>
bool last_read_of(Bit& bit) {
  together(2, [&](int thread) {
    for (int i = 0; i <= kOperations; ++i) {
      if (thread == 0) bit.write(i % 2 == 0);
      else bit.read();
    }
  });
  return bit.read();
}

TEST(TrompBit, KeepsWhatWasWrittenLast) {
  for (int round = 0; round < kRounds; ++round) {
    TrompBit correct;
    EXPECT_TRUE(last_read_of(correct));
    BoldTrompBit bold;
    last_read_of(bold);
    LazyTrompBit lazy;
    last_read_of(lazy);
  }
}

template <class Set>
class FaultySets : public testing::Test {};
using FaultySetTypes = testing::Types<HastySet, UnmarkedSet>;
TYPED_TEST_SUITE(FaultySets, FaultySetTypes);

TYPED_TEST(FaultySets, Run) {
  TypeParam set;
  EXPECT_TRUE(set.insert(1) && set.contains(1) && !set.insert(1) && set.remove(1));
  EXPECT_FALSE(set.remove(1) || set.contains(1));
  together(kThreads, [&](int thread) {
    for (int i = 0; i < kOperations; ++i) {
      set.insert((i + thread) % 5);
      set.contains(i % 5);
      set.remove((i * 3 + thread) % 5);
    }
  });
}

}  // namespace
}  // namespace plumb::objects
