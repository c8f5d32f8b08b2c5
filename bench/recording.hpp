// SPDX-License-Identifier: MIT
// Records what real threads do to a set, as Horn & Kroening did for their section 5.2: every thread
// calls random operations on random keys, and a call and a return each take the next number of one
// global counter. The call's number is drawn before the operation starts and the return's after it
// has ended, so the recorded intervals contain the real ones.
//
// With fewer cores than threads, one thread would finish within its time slice before the next
// starts. So a thread yields now and then while its operation is pending, before or after the real
// operation; and the recorder keeps interrupting the threads at any point, also inside an
// operation, like the scheduler of a busy machine.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

namespace plumb::bench {

enum class SetMethod : std::uint8_t { insert, contains, remove };

struct RecordedOperation {
  std::uint32_t call = 0, ret = 0;
  std::uint16_t process = 0;
  std::uint8_t key = 0;
  SetMethod method = SetMethod::insert;
  bool result = false;
  bool yields_before = false, yields_after = false;
};

struct Workload {
  unsigned threads = 4;
  unsigned operations = 70000;  // per thread
  unsigned keys = 24;
  unsigned methods = 3;  // 2: insert and contains only
  unsigned yields = 4;   // one operation in this many yields, on either side; 0: none
  std::uint64_t seed = 1;
};

/// Requires: Set has insert, contains and, unless the workload has 2 methods, remove.
template <class Set>
std::vector<RecordedOperation> record(Set& set, const Workload& workload) {
  std::vector<std::vector<RecordedOperation>> recorded(workload.threads);
  std::atomic<std::uint32_t> clock{0};
  std::atomic<unsigned> ready{0}, finished{0};
  const auto work = [&](unsigned me) {
    std::mt19937_64 random(workload.seed * 1000003 + me);
    // Everything random and all memory before the start: the threads should contend in the set.
    std::vector<RecordedOperation>& mine = recorded[me];
    mine.resize(workload.operations);
    for (RecordedOperation& op : mine) {
      op.process = static_cast<std::uint16_t>(me);
      op.key = static_cast<std::uint8_t>(random() % workload.keys);
      op.method = static_cast<SetMethod>(random() % workload.methods);
      op.yields_before = workload.yields != 0 && random() % workload.yields == 0;
      op.yields_after = workload.yields != 0 && random() % workload.yields == 0;
    }
    ++ready;
    while (ready < workload.threads) std::this_thread::yield();
    for (RecordedOperation& op : mine) {
      op.call = clock++;
      if (op.yields_before) std::this_thread::yield();
      if (op.method == SetMethod::insert) op.result = set.insert(op.key);
      else if (op.method == SetMethod::contains) op.result = set.contains(op.key);
      else op.result = set.remove(op.key);
      if (op.yields_after) std::this_thread::yield();
      op.ret = clock++;
    }
    ++finished;
  };
  const auto give_way = [](int) { sched_yield(); };
  std::signal(SIGUSR1, give_way);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < workload.threads; ++i) threads.emplace_back(work, i);
  for (std::size_t i = 0; finished < workload.threads; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    pthread_kill(threads[i % threads.size()].native_handle(), SIGUSR1);
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<RecordedOperation> all;
  for (const auto& mine : recorded) all.insert(all.end(), mine.begin(), mine.end());
  return all;
}

}  // namespace plumb::bench
