// SPDX-License-Identifier: MIT
// Records a set with a real mistake (objects/sets/faulty_set.hpp) under four threads.
//   build/release/examples/example_faulty_set run.jsonl && plumb check run.jsonl
// The mistake shows only if two threads meet in a window of some nanoseconds, so there are many
// operations on few keys.
#include <cstdio>
#include <cstdlib>
#include <plumb/record.hpp>
#include <string>
#include <thread>
#include <vector>

#include "../../objects/sets/faulty_set.hpp"

int main(int argc, char** argv) {
  constexpr int kThreads = 4, kKeys = 4;
  const std::string file = argc > 1 ? argv[1] : "run.jsonl";
  const int operations = argc > 2 ? std::atoi(argv[2]) : 50000;  // per thread

  plumb::objects::FaultySet set;
  plumb::Recorder recorder(file, {.object = "set"});
  std::vector<std::thread> running;
  for (int t = 0; t < kThreads; ++t)
    running.emplace_back([&set, t, operations, process = recorder.process()]() mutable {
      unsigned random = 12345u + static_cast<unsigned>(t);
      for (int i = 0; i < operations; ++i) {
        random = random * 1664525u + 1013904223u;
        const int key = static_cast<int>(random >> 16) % kKeys;
        if (random >> 30 < 2) process.record("insert", key, [&] { return set.insert(key); });
        else process.record("remove", key, [&] { return set.remove(key); });
      }
    });
  for (std::thread& thread : running) thread.join();
  if (const plumb::Status status = recorder.flush(); !status) {
    std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
    return 1;
  }
  return 0;
}
