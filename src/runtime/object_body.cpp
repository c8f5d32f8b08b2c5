// SPDX-License-Identifier: MIT
#include "runtime/object_body.hpp"

#include <cxxabi.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <typeinfo>

#include "plumb/explore_abi.hpp"
#include "runtime/base/hashes.hpp"
#include "runtime/base/text.hpp"
#include "runtime/schedule/execution.hpp"
#include "runtime/search.hpp"

namespace plumb::runtime {
namespace {

const plumb_object* object_under_test = nullptr;

// Results that who watches knows by name.
Hashes& named() {
  static Hashes hashes;
  return hashes;
}

void name(std::uint64_t number, const std::string& text) {
  send_name(number, text);
  named().add(number);
}

// Whatever runs while it lives is ours, not the program's.
class Outside {
 public:
  Outside() { execution.running = false; }
  ~Outside() { execution.running = true; }
};

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

// "std::logic_error"
Text type_of_exception() {
  Text text;
  const std::type_info* const type = abi::__cxa_current_exception_type();
  int status = -1;
  char* const name =
      type == nullptr ? nullptr : abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  text << (name != nullptr ? name : "an exception of a non-C++ kind");
  std::free(name);
  return text;
}

// In a specification, an operation that may have done nothing is also left out
// (lineup/relaxed.hpp).
bool is_left_out(const plumb_operation& operation) {
  constexpr int kLenient = plumb_operation::may_fail | plumb_operation::weak_read;
  if (!execution.options.specifies || (operation.traits & kLenient) == 0) return false;
  if (execution.choose(2, 0) == 0) return false;
  const std::uint64_t number = hash_of(kLeftOut);
  execution.returned(number);
  if (named().contains(number)) return true;
  const Outside outside;
  name(number, kLeftOut);
  return true;
}

// The operation of this text. (That there is one was asked before: session/reference.hpp.)
const plumb_operation& counterpart(const plumb_object& type, const plumb_operation& operation) {
  for (int i = 0; i < type.count; ++i) {
    if (std::strcmp(type.operations[i].text, operation.text) == 0) return type.operations[i];
  }
  execution.fail(FindingKind::misuse, "the reference lacks an operation");
}

// Results that stay, of this execution.
struct Kept {
  void* result;
  void (*destroy)(void*);
};
std::array<Kept, FlatMatrix::kCells> kept;
std::size_t kept_count = 0;

// In a handler. What it leaves is no operation, whose exceptions are results.
[[noreturn]] void fail_by_exception(const char* what, const plumb_object& object) {
  Text text;
  {
    const Outside outside;
    text << what << object.name << " throws " << type_of_exception().c_str();
    try {
      throw;
    } catch (const std::exception& e) { text << ": " << e.what(); } catch (...) {
    }
  }
  execution.fail(FindingKind::exception, text.c_str());
}

struct Caller {
  const plumb_object& type;
  const plumb_object& runs;  // the type, or the reference in its place
  void* object;

  void attach() const { call(runs.attach, "the attach function of "); }
  void detach() const { call(runs.detach, "the detach function of "); }

  // One thread of the matrix, or what main does before and after.
  void call_all(int column) const {
    const FlatMatrix& matrix = execution.board->command.matrix;
    for (int cell = matrix.begin[column]; cell < matrix.begin[column + 1]; ++cell) {
      const plumb_operation& operation = type.operations[matrix.cells[cell]];
      execution.call(static_cast<std::uint16_t>(cell));
      if (is_left_out(operation)) continue;
      const plumb_operation& run = &runs == &type ? operation : counterpart(runs, operation);
      run.run(run.self, object);
    }
  }

 private:
  void call(void (*function)(const void*, void*), const char* what) const {
    if (function == nullptr) return;
    try {
      function(runs.self, object);
    } catch (...) {
      if (execution.self().exiting) throw;  // the thread ends, by no exception
      fail_by_exception(what, runs);
    }
  }
};

void* make(const plumb_object& object) {
  try {
    return object.create(object.self);
  } catch (...) { fail_by_exception("the constructor of ", object); }
}

}  // namespace

const char* text_of_operation(std::uint16_t cell) {
  return object_under_test->operations[execution.board->command.matrix.cells[cell]].text;
}

void run_object(const plumb_object& type) {
  object_under_test = &type;
  kept_count = 0;
  const int columns = execution.board->command.matrix.columns;
  const bool is_reference = execution.options.specifies && type.reference != nullptr;
  const plumb_object& runs = is_reference ? *type.reference : type;
  Caller caller{type, runs, make(runs)};
  execution.trace.note_object(caller.object, reinterpret_cast<const void*>(runs.create));
  caller.attach();
  caller.call_all(0);
  if (columns > 0) {
    plumb_parallel(
        columns,
        [](int thread, void* c) {
          execution.board->result.threads[static_cast<std::size_t>(thread)] = execution.threads.me;
          const Caller& its = *static_cast<const Caller*>(c);
          its.attach();
          its.call_all(thread + 1);
          its.detach();
        },
        &caller);
  }
  caller.call_all(columns + 1);
  if (runs.validate != nullptr) runs.validate(runs.self, caller.object);
  while (kept_count > 0) {
    const Kept last = kept[--kept_count];
    last.destroy(last.result);
  }
  caller.detach();
  runs.destroy(caller.object);
}

}  // namespace plumb::runtime

using plumb::runtime::execution;

extern "C" {

__attribute__((visibility("default"))) void plumb_returned_number(
    std::uint64_t number, void (*print)(const void* result, void* to), const void* result) {
  if (!plumb::runtime::inside()) return;
  execution.returned(number);
  if (plumb::runtime::named().contains(number)) return;
  const plumb::runtime::Outside outside;
  std::string text;
  print(result, &text);
  plumb::runtime::name(number, text);
}

__attribute__((visibility("default"))) void plumb_returned(void (*print)(const void* result,
                                                                         void* to),
                                                           const void* result) {
  if (!plumb::runtime::inside()) return;
  std::uint64_t number = 0;
  {
    const plumb::runtime::Outside outside;
    std::string text;
    print(result, &text);
    number = plumb::runtime::hash_of(text);
    if (!plumb::runtime::named().contains(number)) plumb::runtime::name(number, text);
  }
  execution.returned(number);
}

__attribute__((visibility("default"))) void plumb_print(void* to, const char* text,
                                                        std::size_t size) {
  static_cast<std::string*>(to)->append(text, size);
}

__attribute__((visibility("default"))) void plumb_keep(void* result, void (*destroy)(void*)) {
  using plumb::runtime::kept;
  using plumb::runtime::kept_count;
  if (plumb::runtime::inside() && kept_count < kept.size()) kept[kept_count++] = {result, destroy};
}

__attribute__((visibility("default"))) void plumb_threw() {
  if (!plumb::runtime::inside()) return;
  if (execution.self().exiting) throw;  // it is no exception of the operation
  const std::type_info* const type = abi::__cxa_current_exception_type();
  // Not as a result: that of int is "i", which may be one.
  const std::uint64_t number = ~plumb::runtime::hash_of(type == nullptr ? "" : type->name());
  execution.returned(number);
  if (plumb::runtime::named().contains(number)) return;
  const plumb::runtime::Outside outside;
  plumb::runtime::name(number,
                       std::string("throws ") + plumb::runtime::type_of_exception().c_str());
}
}
