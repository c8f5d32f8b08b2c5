// SPDX-License-Identifier: MIT
// What test.hpp is made of, as explore_abi.hpp is for explore.hpp: an object under test without its
// types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plumb/explore_abi.hpp"

namespace plumb {
/// The result of an operation that, serially, was not called (src/lineup/relaxed.hpp).
inline constexpr char kLeftOut[] = "(left out)";
}  // namespace plumb

extern "C" {
/// A method with its arguments.
struct plumb_operation {
  const char* method;
  const char* text;                             // "push(1)"
  void (*run)(const void* self, void* object);  // calls plumb_returned or plumb_threw at its end
  const void* self;
  int only_on;     // this column of a test; -1: any
  int one_thread;  // at most one column
  int traits;      // of these
  enum { may_fail = 1, weak_read = 2, asynchronous = 4, returns_bool = 8 };
  /// A result as the type has them: "false", "null" for void, "" where it does not say.
  const char* sample;
};
/// A class under test, as its description says.
struct plumb_object {
  const char* name;
  void* (*create)(const void* self);
  void (*destroy)(void* object);
  void (*validate)(const void* self, void* object);  // null: nothing to ask at the end
  const void* self;
  const plumb_operation* operations;
  int count;
  int data_independent = 0;  // it does nothing with values but keep them and give them back
  /// What is right, if not what the object does serially: has operations of the same texts, and is
  /// never called by two threads at once.
  const plumb_object* reference = nullptr;
  const void* specification = nullptr;  // the same, if it is one: a plumb::Specification
  const char* file = nullptr;           // where the test is written
  /// What each thread calls before its first operation and after its last; null: nothing.
  void (*attach)(const void* self, void* object) = nullptr;
  void (*detach)(const void* self, void* object) = nullptr;
};

/// An option and its value, which is what it is: nothing is made text that has to be read again.
struct plumb_option {
  const char* name;  // as on the command line: "--threads"
  int kind;          // of its value, one of these
  enum {
    nothing,     // a flag
    integer,     // `first`
    integers,    // `first` and `second`: "--size" 3x4
    real,        // `number`
    text_value,  // `text`
    words        // no name: `text` is what a user wrote as if on a command line
  };
  const char* text = nullptr;
  std::int64_t first = 0, second = 0;
  double number = 0;
};

/// Is every concurrent history of the object explained by its serial ones? `test` is the test of
/// GoogleTest that asks.
plumb_exploration* plumb_test_object(const plumb_object* object, const plumb_option* options,
                                     int count, const char* test);
int plumb_test_object_main(int argc, char** argv, const plumb_object* object,
                           const plumb_option* options, int count);
/// Options of every test in this program, before those of its command line, as a user writes them.
void plumb_add_options(const char* options);

/// Weak: a specification is described in the same way, and is never run.
#define PLUMB_WEAK __attribute__((weak))
/// The operation is over. `print` hands the text of the result to plumb_print; equal results have
/// equal texts. With a number that tells results apart as well, it is asked only for new ones.
PLUMB_WEAK void plumb_returned(void (*print)(const void* result, void* to), const void* result);
PLUMB_WEAK void plumb_returned_number(std::uint64_t number,
                                      void (*print)(const void* result, void* to),
                                      const void* result);
PLUMB_WEAK void plumb_print(void* to, const char* text, std::size_t size);
/// A result that stays until all threads have ended.
PLUMB_WEAK void plumb_keep(void* result, void (*destroy)(void* result));
PLUMB_WEAK void plumb_threw();  // in a handler: it ended by the exception that is being handled
}
