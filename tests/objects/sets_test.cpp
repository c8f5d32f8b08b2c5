// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "../../bench/recording.hpp"
#include "../../objects/sets/faulty_set.hpp"
#include "../../objects/sets/fine_grained_set.hpp"
#include "../../objects/sets/lazy_set.hpp"
#include "../../objects/sets/lock_free_set.hpp"
#include "../../objects/sets/optimistic_set.hpp"
#include "plumb/check.hpp"

namespace plumb {
namespace {

using bench::RecordedOperation;
using bench::SetMethod;

History to_history(const std::vector<RecordedOperation>& operations) {
  std::vector<std::pair<const RecordedOperation*, bool>> events(2 * operations.size());
  for (const RecordedOperation& op : operations) {
    events[op.call] = {&op, false};
    events[op.ret] = {&op, true};
  }
  HistoryBuilder builder;
  builder.begin_object(Value::nil(), "set");
  const ObjectId object = builder.object(Value::nil());
  for (const auto& [op, is_return] : events) {
    const ProcessId process = builder.process(Value::integer(op->process));
    const char* method = std::array{"insert", "contains", "remove"}[static_cast<int>(op->method)];
    const Status status =
        is_return
            ? builder.returned(process, Value::boolean(op->result))
            : builder.call(process, object, builder.intern_call(method, {Value::integer(op->key)}));
    EXPECT_TRUE(status.ok()) << status.error().to_string();
  }
  return *std::move(builder).finish();
}

template <class Set>
Verdict record_and_decide(std::uint64_t seed) {
  Set set;
  const Result<CheckReport> report =
      check(to_history(bench::record(set, {.operations = 2000, .keys = 6, .seed = seed})));
  return report ? report->verdict : Verdict::undecided;
}

template <class Set>
class Sets : public testing::Test {};
using AllSets = testing::Types<objects::FineGrainedSet, objects::OptimisticSet, objects::LazySet,
                               objects::LockFreeSet, objects::FaultySet>;
TYPED_TEST_SUITE(Sets, AllSets);

TYPED_TEST(Sets, OneThreadFindsASet) {
  TypeParam set;
  std::set<int> model;
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const int key = static_cast<int>(random() % 20) - 10;
    switch (random() % 3) {
      case 0: ASSERT_EQ(set.insert(key), model.insert(key).second) << key; break;
      case 1: ASSERT_EQ(set.remove(key), model.erase(key) == 1) << key; break;
      default: ASSERT_EQ(set.contains(key), model.contains(key)) << key;
    }
  }
}

template <class Set>
class LinearizableSets : public testing::Test {};
using GoodSets = testing::Types<objects::FineGrainedSet, objects::OptimisticSet, objects::LazySet,
                                objects::LockFreeSet>;
TYPED_TEST_SUITE(LinearizableSets, GoodSets);

TYPED_TEST(LinearizableSets, FourThreadsFindASet) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    EXPECT_EQ(record_and_decide<TypeParam>(seed), Verdict::holds) << "seed " << seed;
}

// One run shows the mistake nearly always, with two cores or with one.
TEST(FaultySet, FourThreadsSoonLoseAnInsert) {
  std::uint64_t seed = 1;
  while (seed <= 1000 && record_and_decide<objects::FaultySet>(seed) != Verdict::violation) ++seed;
  EXPECT_LE(seed, 1000u);
}

}  // namespace
}  // namespace plumb
