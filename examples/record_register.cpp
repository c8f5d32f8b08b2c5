// SPDX-License-Identifier: MIT
// Records two registers under several threads: an atomic one, and one whose compare-and-set reads
// and writes in two steps.
//   build/release/examples/example_record_register FOLDER     (the folder must exist)
//   plumb check FOLDER/correct.jsonl FOLDER/broken.jsonl
#include <atomic>
#include <cstdio>
#include <plumb/recorder.hpp>
#include <string>
#include <thread>
#include <vector>

struct Correct {
  std::atomic<int> value{0};
  int read() { return value.load(); }
  void write(int v) { value.store(v); }
  bool cas(int expect, int desired) { return value.compare_exchange_strong(expect, desired); }
};

struct Broken : Correct {
  bool cas(int expect, int desired) {
    if (value.load() != expect) return false;
    std::this_thread::yield();  // another thread may write here, and is overwritten
    value.store(desired);
    return true;
  }
};

template <class Register>
bool run(const std::string& file) {
  Register object;
  plumb::Recorder recorder(file, {.object = "register"});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&object, t, process = recorder.process()]() mutable {
      for (int i = 0; i < 200; ++i) {
        const int v = process.record("read", [&] { return object.read(); });
        process.record("cas", v, v + 1, [&] { return object.cas(v, v + 1); });
        if (i % 10 == t) process.record("write", i, [&] { object.write(i); });
      }
    });
  for (std::thread& thread : threads) thread.join();
  const plumb::Status status = recorder.flush();
  if (!status) std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
  return status.ok();
}

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const bool done =
      run<Correct>(folder + "/correct.jsonl") && run<Broken>(folder + "/broken.jsonl");
  return done ? 0 : 1;
}
