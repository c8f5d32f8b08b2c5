// SPDX-License-Identifier: MIT
// plumb_recording_cost: the cost of recording for the recorded threads.
//
// Several threads run the same loop twice, in turns: plain, and with every operation recorded. Two
// objects: a counter (one fetch_add: hardly any operation is cheaper, so this is the worst case)
// and a lock-free queue. Two lengths: a *burst* that fits into the buffers, which shows the cost of
// recording alone, and a *sustained* run, where the threads wait for the file as soon as they are
// faster than it. The clock runs from the start of the threads' loops to the end of the last one;
// `written` also counts the time until the file is complete.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../objects/queues/michael_scott_queue.hpp"
#include "main.hpp"
#include "plumb/recorder.hpp"

namespace plumb::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Counter {
  static constexpr const char* kName = "counter";
  std::atomic<std::int64_t> value{0};
  void plain(unsigned, std::int64_t) { value.fetch_add(1); }
  void recorded(Recorder::Process& process, unsigned, std::int64_t) {
    process.record("inc", [&] { return value.fetch_add(1); });
  }
};

struct Queue {
  static constexpr const char* kName = "queue";
  objects::MichaelScottQueue<std::int64_t> queue;
  void plain(unsigned thread, std::int64_t i) {
    if (i % 2 == 0) queue.enq(std::int64_t{thread} << 32 | i);
    else last = queue.deq();
  }
  void recorded(Recorder::Process& process, unsigned thread, std::int64_t i) {
    const std::int64_t value = std::int64_t{thread} << 32 | i;
    if (i % 2 == 0) process.record("enq", value, [&] { queue.enq(value); });
    else last = process.record("deq", [&] { return queue.deq(); });
  }
  static inline thread_local std::optional<std::int64_t> last;  // so that nothing is optimised away
};

/// Seconds from the start of the first loop to the end of the last.
template <class Loop>
double run_threads(unsigned count, Loop loop) {
  std::atomic<unsigned> ready{0};
  std::vector<Clock::time_point> begin(count), end(count);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      ++ready;
      while (ready < count) std::this_thread::yield();
      begin[t] = Clock::now();
      loop(t);
      end[t] = Clock::now();
    });
  for (std::thread& thread : threads) thread.join();
  return std::chrono::duration<double>(*std::max_element(end.begin(), end.end()) -
                                       *std::min_element(begin.begin(), begin.end()))
      .count();
}

struct Times {
  double plain, recorded, written;
};

template <class Object>
Times measure(unsigned threads, std::int64_t operations, const RecorderOptions& options,
              const std::string& file) {
  Times times{};
  {
    Object object;
    times.plain = run_threads(threads, [&](unsigned t) {
      for (std::int64_t i = 0; i < operations; ++i) object.plain(t, i);
    });
  }
  Object object;
  const auto recorder = std::make_unique<Recorder>(file, options);
  std::vector<Recorder::Process> processes;
  for (unsigned t = 0; t < threads; ++t) {
    processes.push_back(recorder->process());
    // One round of the buffer: the first round takes its pages from the system, later ones do not.
    const std::string part(options.buffer_bytes / 16, 'x');
    for (int i = 0; i < 40; ++i) processes.back().record("warm", part, [] {});
  }
  static_cast<void>(recorder->flush());
  const auto start = Clock::now();
  times.recorded = run_threads(threads, [&](unsigned t) {
    Recorder::Process process = processes[t];
    for (std::int64_t i = 0; i < operations; ++i) object.recorded(process, t, i);
  });
  const Status status = recorder->flush();
  if (!status.ok()) throw std::runtime_error(status.error().to_string());
  times.written = std::chrono::duration<double>(Clock::now() - start).count();
  return times;
}

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2),
                   all.end());
  return all[all.size() / 2];
}

template <class Object>
void report(const std::string& length, unsigned threads, std::int64_t operations, int repeat,
            const std::string& file) {
  // An operation takes at most 8 words of 8 bytes, so no thread waits in a burst.
  RecorderOptions options{.object = Object::kName};
  if (length == "burst") options.buffer_bytes = static_cast<std::size_t>(operations) * 64 * 2;
  std::vector<double> plain, recorded, written, factor;
  for (int i = 0; i < repeat; ++i) {
    const Times times = measure<Object>(threads, operations, options, file);
    plain.push_back(times.plain);
    recorded.push_back(times.recorded);
    written.push_back(times.written);
    factor.push_back(times.recorded / times.plain);
  }
  const double events = 2.0 * static_cast<double>(operations) * threads;
  fmt::print("{:<8} {:<10} {:>7} {:>10} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f}\n", Object::kName,
             length, threads, operations, 1e9 * median(plain) / events * 2,
             1e9 * (median(recorded) - median(plain)) / events, median(factor),
             events / median(written) / 1e6);
}

}  // namespace

int run(int argc, char** argv) {
  int repeat = 21;
  std::int64_t burst = 20000, sustained = 500000;
  std::string file =
      std::filesystem::temp_directory_path() / fmt::format("plumb-recording-{}.jsonl", getpid());
  CLI::App app{"What recording costs, per event, with 1, 2 and 4 threads."};
  app.add_option("--repeat", repeat)->capture_default_str()->check(CLI::Range(1, 1000));
  app.add_option("--burst", burst, "operations of a thread")->capture_default_str();
  app.add_option("--sustained", sustained, "operations of a thread")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 64; }
  fmt::print("{:<8} {:<10} {:>7} {:>10} {:>9} {:>9} {:>9} {:>9}\n", "", "", "", "operations",
             "plain", "recording", "slowdown", "written");
  fmt::print("{:<8} {:<10} {:>7} {:>10} {:>9} {:>9} {:>9} {:>9}\n", "object", "length", "threads",
             "a thread", "ns/op", "ns/event", "factor", "M/s");
  for (const bool is_burst : {true, false})
    for (const unsigned threads : {1u, 2u, 4u}) {
      const std::string length = is_burst ? "burst" : "sustained";
      const std::int64_t operations = is_burst ? burst : sustained;
      report<Counter>(length, threads, operations, repeat, file);
      report<Queue>(length, threads, operations, repeat, file);
    }
  std::filesystem::remove(file);
  return 0;
}

}  // namespace plumb::bench
