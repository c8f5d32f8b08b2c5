// SPDX-License-Identifier: MIT
// The relaxed classes of objects/ used by one thread: all short sequences of calls, with all
// outcomes of their dice, beside a list of what is inside in the order in which it should leave.
// With factor k at most k values are before one that is taken, none is overtaken more than k times,
// and "empty" is said where nothing is left and nowhere else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../../objects/priority_queues/quasi_priority_queue.hpp"
#include "../../objects/queues/bounded_k_fifo.hpp"
#include "../../objects/queues/quasi_queue.hpp"
#include "../../objects/queues/random_dequeue_queue.hpp"
#include "../../objects/queues/segmented_queue.hpp"
#include "../../objects/queues/unbounded_k_fifo.hpp"
#include "../../objects/stacks/k_stack.hpp"
#include "../../objects/stacks/quasi_stack.hpp"
#include "put_and_take.hpp"

namespace plumb::objects {
namespace {

// All outcomes of all throws of an execution, one execution after the other.
class Dice {
 public:
  explicit Dice(int sides) : sides_(sides) {}

  int thrown() {
    if (at_ == throws_.size()) throws_.push_back(0);
    return throws_[at_++];
  }

  /// Returns: false if the execution that ended was the last.
  bool next_execution() {
    at_ = 0;
    while (!throws_.empty() && throws_.back() == sides_ - 1) throws_.pop_back();
    if (throws_.empty()) return false;
    ++throws_.back();
    return true;
  }

 private:
  const int sides_;
  std::size_t at_ = 0;
  std::vector<int> throws_;
};

Dice* dice = nullptr;

}  // namespace
}  // namespace plumb::objects

// In place of the C library's. The classes ask for one of at most k + 1.
int rand() noexcept { return plumb::objects::dice->thrown(); }

namespace plumb::objects {
namespace {

enum class Leaves { oldest_first, newest_first, smallest_first };

// The worst that was seen.
struct Worst {
  std::size_t place = 0;  // values before one that was taken
  std::size_t overtaken = 0;
  std::size_t refused = SIZE_MAX;  // the fewest values inside when there was no room
  bool conserved = true;           // what was taken was inside
  bool empties_right = true;
};

class Inside {
 public:
  Inside(Leaves leaves, Worst& worst) : leaves_(leaves), worst_(worst) {}

  void put(int value, bool had_room) {
    if (!had_room) {
      worst_.refused = std::min(worst_.refused, values_.size());
      return;
    }
    auto at = values_.end();
    if (leaves_ == Leaves::newest_first) at = values_.begin();
    if (leaves_ == Leaves::smallest_first)
      at = std::find_if(values_.begin(), values_.end(),
                        [&](const Value& other) { return other.value > value; });
    values_.insert(at, {value, 0});
  }

  void taken(std::optional<int> value) {
    if (!value || values_.empty()) {
      worst_.empties_right &= !value && values_.empty();
      return;
    }
    const auto at = std::find_if(values_.begin(), values_.end(),
                                 [&](const Value& other) { return other.value == *value; });
    worst_.conserved &= at != values_.end();
    if (at == values_.end()) return;
    worst_.place = std::max(worst_.place, static_cast<std::size_t>(at - values_.begin()));
    for (auto before = values_.begin(); before != at; ++before)
      worst_.overtaken = std::max(worst_.overtaken, ++before->overtaken);
    values_.erase(at);
  }

 private:
  struct Value {
    int value;
    std::size_t overtaken;
  };
  const Leaves leaves_;
  Worst& worst_;
  std::vector<Value> values_;
};

// All sequences of so many calls, of which each takes something, or puts in something greater than
// all before, or (where that matters) something smaller.
template <class Object>
Worst of_all_executions(Leaves leaves, std::size_t factor, int calls) {
  Worst worst;
  const int kinds = leaves == Leaves::smallest_first ? 3 : 2;
  int sequences = 1;
  for (int i = 0; i < calls; ++i) sequences *= kinds;
  for (int sequence = 0; sequence < sequences; ++sequence) {
    Dice all(static_cast<int>(factor) + 1);
    dice = &all;
    do {
      Object object;
      Inside inside(leaves, worst);
      for (int call = 0, rest = sequence; call < calls; ++call, rest /= kinds) {
        if (rest % kinds == 0) {
          inside.taken(take(object));
        } else {
          const int value = 100 + (rest % kinds == 1 ? call : -call);
          inside.put(value, put(object, value));
        }
      }
    } while (all.next_execution());
  }
  return worst;
}

#ifdef PLUMB_SANITIZED  // which looks for mistakes in memory, ten times as slowly
constexpr int kCalls = 6;
#else
constexpr int kCalls = 8;  // they use up a segment of three and begin the next
#endif

struct Case {
  const char* name;
  std::size_t factor;
  std::function<Worst()> run;
};

template <template <unsigned> class Object>
void add_factors(std::vector<Case>& cases, const char* name, Leaves leaves) {
  const int calls = leaves == Leaves::smallest_first ? kCalls - 1 : kCalls;  // of more kinds
  cases.push_back({name, 0, [=] { return of_all_executions<Object<0>>(leaves, 0, calls); }});
  cases.push_back({name, 1, [=] { return of_all_executions<Object<1>>(leaves, 1, calls); }});
  cases.push_back({name, 2, [=] { return of_all_executions<Object<2>>(leaves, 2, calls); }});
}

template <unsigned kFactor>
using RingOf32 = BoundedKFifo<kFactor>;

// The mistakes of those with B here, of SegmentedQueue and of KStack need a second thread.
std::vector<Case> right_with_one_thread() {
  std::vector<Case> all;
  add_factors<QuasiQueue>(all, "QuasiQueue", Leaves::oldest_first);
  add_factors<QuasiQueueB1>(all, "QuasiQueueB1", Leaves::oldest_first);
  add_factors<QuasiQueueB2>(all, "QuasiQueueB2", Leaves::oldest_first);
  add_factors<QuasiQueueB3>(all, "QuasiQueueB3", Leaves::oldest_first);
  add_factors<RingOf32>(all, "BoundedKFifo", Leaves::oldest_first);
  add_factors<UnboundedKFifo>(all, "UnboundedKFifo", Leaves::oldest_first);
  add_factors<SegmentedQueue>(all, "SegmentedQueue", Leaves::oldest_first);
  add_factors<FixedSegmentedQueue>(all, "FixedSegmentedQueue", Leaves::oldest_first);
  add_factors<FixedRandomDequeueQueue>(all, "FixedRandomDequeueQueue", Leaves::oldest_first);
  add_factors<KStack>(all, "KStack", Leaves::newest_first);
  add_factors<FixedKStack>(all, "FixedKStack", Leaves::newest_first);
  add_factors<QuasiStack>(all, "QuasiStack", Leaves::newest_first);
  add_factors<QuasiStackB1>(all, "QuasiStackB1", Leaves::newest_first);
  add_factors<QuasiPriorityQueue>(all, "QuasiPriorityQueue", Leaves::smallest_first);
  add_factors<QuasiPriorityQueueB2>(all, "QuasiPriorityQueueB2", Leaves::smallest_first);
  return all;
}

TEST(RelaxedObjects, OneThreadFindsThemOutOfOrderByTheFactorAndNoMore) {
  for (const Case& one : right_with_one_thread()) {
    SCOPED_TRACE(std::string(one.name) + ", factor " + std::to_string(one.factor));
    const Worst worst = one.run();
    EXPECT_EQ(worst.place, one.factor);
    EXPECT_EQ(worst.overtaken, one.factor);
    EXPECT_TRUE(worst.conserved);
    EXPECT_TRUE(worst.empties_right);
    EXPECT_EQ(worst.refused, SIZE_MAX);
  }
}

TEST(RandomDequeueQueue, WithoutAWindowOneThreadOvertakesTheOldestValueForEver) {
  const auto at_most_k_places = [](const Worst& worst, std::size_t factor) {
    EXPECT_EQ(worst.place, factor);
    EXPECT_TRUE(worst.conserved);
    EXPECT_TRUE(worst.empties_right);
    return worst.overtaken;
  };
  const auto run = [&]<unsigned kFactor>(int calls) {
    return at_most_k_places(
        of_all_executions<RandomDequeueQueue<kFactor>>(Leaves::oldest_first, kFactor, calls),
        kFactor);
  };
  EXPECT_EQ(run.operator()<0>(9), 0U);
  // As many as there are behind it: with 2n + 1 calls n can overtake.
  EXPECT_EQ(run.operator()<1>(5), 2U);
  EXPECT_EQ(run.operator()<1>(7), 3U);
  EXPECT_EQ(run.operator()<1>(9), 4U);
  EXPECT_EQ(run.operator()<2>(9), 4U);
}

TEST(QuasiStack, WithASlotTooManyOneThreadFindsItOutOfOrderByOneMore) {
  const auto run = []<unsigned kFactor>() {
    // All that fit into a segment, and all but the last of them again.
    constexpr int calls = 2 * static_cast<int>(kFactor) + 3;
    const Worst worst =
        of_all_executions<QuasiStackB2<kFactor>>(Leaves::newest_first, kFactor + 1, calls);
    EXPECT_EQ(worst.place, kFactor + 1);
    EXPECT_EQ(worst.overtaken, kFactor + 1);
    EXPECT_TRUE(worst.conserved);
    EXPECT_TRUE(worst.empties_right);
  };
  run.operator()<0>();
  run.operator()<1>();
  run.operator()<2>();
}

// A ring of two segments of two slots.
TEST(BoundedKFifo, RefusesNothingBeforeAllSegmentsAreInUse) {
  using Small = BoundedKFifo<1, 2>;
  const Worst worst = of_all_executions<Small>(Leaves::oldest_first, 1, 8);
  EXPECT_EQ(worst.refused, 3U);
  EXPECT_EQ(worst.place, 1U);
  EXPECT_EQ(worst.overtaken, 1U);
  EXPECT_TRUE(worst.conserved);
  EXPECT_TRUE(worst.empties_right);
}

}  // namespace
}  // namespace plumb::objects
