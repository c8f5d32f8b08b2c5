// SPDX-License-Identifier: MIT
// Records a lock-free queue under several threads at full speed.
//   build/release/examples/example_recording run.jsonl && plumb check run.jsonl
//   build/release/examples/example_recording - | plumb check -
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <plumb/record.hpp>
#include <string>
#include <thread>
#include <vector>

#include "../../objects/queues/michael_scott_queue.hpp"

int main(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : "run.jsonl";
  const int threads = argc > 2 ? std::atoi(argv[2]) : 4;
  const std::int64_t operations = argc > 3 ? std::atoll(argv[3]) : 25000;  // per thread

  plumb::objects::MichaelScottQueue<std::int64_t> queue;
  plumb::Recorder recorder(file, {.object = "queue"});
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&queue, t, operations, process = recorder.process()]() mutable {
      for (std::int64_t i = 0; i < operations; ++i) {
        // Each value is enqueued once, so it is clear which enqueue belongs to a dequeue, and even
        // long histories are decided quickly.
        const std::int64_t value = t * operations + i;
        if (i % 2 == 0) process.record("enq", value, [&] { queue.enq(value); });
        else process.record("deq", [&] { return queue.deq(); });
      }
    });
  for (std::thread& thread : running) thread.join();
  if (const plumb::Status status = recorder.flush(); !status) {
    std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
    return 1;
  }
  return 0;
}
