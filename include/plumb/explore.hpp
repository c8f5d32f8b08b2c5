// SPDX-License-Identifier: MIT
// Runs a piece of concurrent C++ under every schedule.
//
//   #include <plumb/explore.hpp>
//
//   int main(int argc, char** argv) {
//     return plumb::explore_main(argc, argv, [] {
//       int hits = 0;
//       std::thread other([&] { ++hits; });
//       ++hits;
//       other.join();
//       assert(hits == 2);
//     });
//   }
//
// The body makes threads as it likes (std::thread, pthreads, std::async); it is run again and
// again, in a process of its own, each time under another schedule, with global variables and heap
// as they were before. Findings are assertions that fail, exceptions that leave a thread, crashes,
// data races, uses of freed memory, deadlocks and livelocks; each comes with the interleaving and a
// command that replays it.
//
// Compile the code with -fsanitize=thread, link without it, to plumb_runtime (in CMake: link to
// plumb::instrument and plumb::test; by hand: plumb test FILE.cpp). x86-64 Linux with glibc only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <utility>

#include "plumb/explore_abi.hpp"

namespace plumb {

/// What an exploration found. Convertible to bool, so that EXPECT_TRUE(plumb::explore(...)) is a
/// test.
class Exploration {
 public:
  explicit Exploration(plumb_exploration* result) : result_(result) {}
  Exploration(Exploration&& other) noexcept : result_(std::exchange(other.result_, nullptr)) {}
  Exploration& operator=(Exploration&& other) noexcept {
    std::swap(result_, other.result_);
    return *this;
  }
  ~Exploration() { plumb_exploration_free(result_); }

  /// As the exit status of the command line: 0 holds, 1 a finding, 2 undecided, 64 and above: it
  /// could not be run, and text() says why.
  int status() const { return plumb_exploration_status(result_); }
  explicit operator bool() const { return status() == 0; }

  std::string_view text() const { return plumb_exploration_text(result_); }  // for people
  std::string_view json() const { return plumb_exploration_json(result_); }  // docs/formats.md
  std::uint64_t executions() const { return plumb_exploration_executions(result_); }

#ifdef GTEST_TEST
  /// So that EXPECT_TRUE shows the report.
  operator ::testing::AssertionResult() const {
    return (*this ? ::testing::AssertionSuccess() : ::testing::AssertionFailure()) << text();
  }
#endif

  friend std::ostream& operator<<(std::ostream& out, const Exploration& e) {
    return out << e.text();
  }

 private:
  plumb_exploration* result_;
};

namespace detail {
template <class Body>
void run_body(void* body) {
  (*static_cast<Body*>(body))();
}
struct Body {
  void (*run)(void*);
  void* body;
};
inline void run_one_of(int number, void* bodies) {
  const Body& one = static_cast<Body*>(bodies)[number];
  one.run(one.body);
}
/// Inside GoogleTest (included before this header) the process that runs the schedules runs this
/// test only. Not inline: other files of the program may include the headers in another order.
struct TestName {
  char text[512] = {};
};
[[maybe_unused]] static TestName current_test() {
  TestName name;
#ifdef GTEST_TEST
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  if (info == nullptr) return name;
  std::size_t n = 0;
  for (const char* part : {info->test_suite_name(), ".", info->name()}) {
    while (*part != 0 && n + 1 < sizeof name.text) name.text[n++] = *part++;
  }
#endif
  return name;
}
}  // namespace detail

/// Runs body() under schedules. `options` as on the command line: "--preemptions 3 --ignore race".
/// The process that runs them is this program, started anew with the same arguments; it does all
/// that main() does up to this call.
template <class Body>
Exploration explore(Body body, const char* options = "",
                    const detail::TestName& test = detail::current_test()) {
  return Exploration(plumb_explore(&detail::run_body<Body>, &body, options, test.text));
}

/// A main() that explores body() with the options on its command line, prints what it found, and
/// leaves the program with the status: neither exit handlers nor destructors of globals run.
template <class Body>
int explore_main(int argc, char** argv, Body body) {
  return plumb_explore_main(argc, argv, &detail::run_body<Body>, &body);
}

/// A number out of 0..count-1, all of which are tried. In the body only.
inline int choose(int count) { return plumb_choose(count); }

/// Runs functions at the same time, and returns when all of them have. In the body only. As threads
/// of std::thread, but nothing of their making and joining is in the schedule, so there are fewer
/// schedules.
template <class... Functions>
void parallel(Functions... functions) {
  detail::Body bodies[] = {{&detail::run_body<Functions>, &functions}...};
  plumb_parallel(sizeof...(Functions), &detail::run_one_of, bodies);
}

}  // namespace plumb
