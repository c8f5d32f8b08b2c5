// SPDX-License-Identifier: MIT
// Records every step of an execution that is replayed for display on the board.
#pragma once

#include <cstddef>
#include <cstdint>

#include "explore/strategy.hpp"
#include "runtime/wire/finding.hpp"
#include "runtime/wire/trace_step.hpp"

namespace plumb::runtime {

/// Where the running thread is. Slower than the calls that the hooks have counted, but includes
/// functions that are not instrumented.
Place unwound();

class Tracer {
 public:
  bool on = false;

  /// Before an execution.
  void begin(bool traced) {
    on = traced;
    if (on) [[unlikely]]
      forget_holders();
  }

  /// What the step that was just granted does. `what` is a literal.
  void note(const char* what, TraceStep::Kind kind, const void* address, std::uint32_t size,
            int order, std::uint64_t before, std::uint64_t after, bool failed) {
    if (on) [[unlikely]]
      add_values(what, kind, address, size, order, before, after, failed);
  }
  void note(const char* what) {
    if (on) [[unlikely]]
      add_name(what);
  }
  /// A plain access, also if it is no point.
  void note_plain(const void* address, std::size_t size, bool write) {
    if (on) [[unlikely]]
      add_plain(address, size, write);
  }
  void note_free(const void* block, std::size_t size) {
    if (on) [[unlikely]]
      add_free(block, size);
  }
  void note_point(const explore::Step& step) {
    if (on) [[unlikely]]
      add_point(step);
  }
  /// The object under test, and the function that made it.
  void note_object(const void* object, const void* maker) {
    if (on) [[unlikely]]
      add_object(object, maker);
  }
  /// Where the running thread is, before it waits. While it does, others use its local variables.
  static Place note_stack();
  /// The running thread holds it, no longer, or once less.
  void note_taken(const void* lock, bool shared = false) {
    if (on) [[unlikely]]
      add_holder(lock, shared);
  }
  void note_given(const void* lock) {
    if (on) [[unlikely]]
      remove_holder(lock);
  }
  /// The threads (bits) that wait forever.
  void note_waiting(std::uint32_t waiting) {
    if (on) [[unlikely]]
      add_waiting(waiting);
  }

 private:
  static void add_values(const char* what, TraceStep::Kind kind, const void* address,
                         std::uint32_t size, int order, std::uint64_t before, std::uint64_t after,
                         bool failed);
  static void add_name(const char* what);
  static void add_plain(const void* address, std::size_t size, bool write);
  static void add_free(const void* block, std::size_t size);
  static void add_point(const explore::Step& step);
  static void add_object(const void* object, const void* maker);
  static void forget_holders();
  static void add_holder(const void* lock, bool shared);
  static void remove_holder(const void* lock);
  static void add_waiting(std::uint32_t waiting);
};

}  // namespace plumb::runtime
