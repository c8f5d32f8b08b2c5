// SPDX-License-Identifier: MIT
#include <atomic>
#include <exception>
#include <stdexcept>
#include <thread>

#include "program.hpp"

// Both threads are inside a handler at the same time; each finds its own exception there.
PLUMB_HOLDS(in_flight_across_switches) {
  std::atomic<int> step = 0;
  auto handle = [&](int mine) {
    try {
      ++step;
      throw mine;
    } catch (int caught) {
      ++step;
      assert(caught == mine);
      try {
        throw;
      } catch (int again) {
        ++step;
        assert(again == mine);
      }
      assert(std::uncaught_exceptions() == 0);
    }
  };
  std::thread other(handle, 1);
  handle(2);
  other.join();
}

PLUMB_HOLDS(carried_over) {
  std::exception_ptr carried;
  std::thread other([&] {
    try {
      throw std::runtime_error("carried");
    } catch (...) { carried = std::current_exception(); }
  });
  other.join();
  try {
    std::rethrow_exception(carried);
  } catch (const std::runtime_error& e) { assert(std::string_view(e.what()) == "carried"); }
}

// std::thread is noexcept outside: libstdc++ ends the program.
PLUMB_FINDS("exception", not_caught) {
  std::atomic<int> count = 0;
  std::thread other([&] {
    if (++count == 2) throw std::runtime_error("second");
  });
  ++count;
  other.join();
}
