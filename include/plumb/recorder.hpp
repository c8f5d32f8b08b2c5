// SPDX-License-Identifier: MIT
// Records what a program does with an object, as a history that `plumb check` reads.
//
//   plumb::Recorder recorder("run.jsonl", {.object = "register"});
//   auto process = recorder.process();                      // one per thread
//   int v = process.record("read", [&] { return db.get("x"); });
//   process.record("write", 7, [&] { db.set("x", 7); });    // arguments come before the function
//   auto op = process.call("write", 8);                     // or in two halves
//   try { db.set("x", 8); op.returned(); } catch (const Timeout&) { op.unknown(); }
//
// Each process has a buffer of its own; one shared counter puts the events in real-time order: a
// call is counted last thing before the object is called, a return first thing after.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/convert.hpp"
#include "plumb/export.hpp"
#include "plumb/result.hpp"
#include "plumb/value.hpp"

namespace plumb {

struct RecorderOptions {
  std::string object = {};  // the name of its specification, for the header
  std::optional<Value> initial = {};
};

/// Thread safety: process(), flush() and status() may be called from any thread; a Process and
/// its operations belong to one thread at a time. Requires: the recorder outlives both.
class PLUMB_API Recorder {
 public:
  class Process;
  class Operation;

  explicit Recorder(const std::string& file, const RecorderOptions& options = {});
  /// Writes what is left. So does an exception that nobody catches (std::terminate).
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// They are numbered from 0.
  Process process();
  /// Writes what was recorded until now. Returns: what went wrong so far.
  Status flush();

 private:
  struct Log;
  struct State;
  friend class Process;
  friend class Operation;
  std::unique_ptr<State> state_;
};

/// An operation that was called. One that is neither returned nor unknown stays pending.
class PLUMB_API Recorder::Operation {
 public:
  void returned() { ended(Value::nil()); }
  template <class R>
  void returned(const R& result) {
    ended(to_value(result));
  }
  /// It may or may not have taken effect, now or later.
  void unknown();

  template <class T>
  static Value to_value(const T& x) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) return Value::string(x);
    else return Convert<T>::to(x);
  }

 private:
  friend class Process;
  Operation(Log& log, std::uint32_t process) : log_(&log), process_(process) {}
  void ended(Value result);

  Log* log_;
  std::uint32_t process_;
};

/// One thread of the history. After an operation whose outcome is unknown it goes on under a new
/// number, because the old one is still busy.
class PLUMB_API Recorder::Process {
 public:
  template <class... A>
  Operation call(std::string_view method, const A&... args) {
    return called(method, {Operation::to_value(args)...});
  }

  /// record(method, arguments..., function): calls the function and records its result. If it
  /// throws, the outcome is unknown and the exception goes on.
  template <class... A>
  requires(sizeof...(A) > 0) decltype(auto)
      record(std::string_view method, A&&... args_and_function) {
    constexpr std::size_t kArgs = sizeof...(A) - 1;
    return record_split(method, std::forward_as_tuple(std::forward<A>(args_and_function)...),
                        std::make_index_sequence<kArgs>());
  }

 private:
  friend class Recorder;
  explicit Process(Log& log) : log_(&log) {}
  Operation called(std::string_view method, std::vector<Value> args);

  template <class Tuple, std::size_t... I>
  decltype(auto) record_split(std::string_view method, Tuple&& all, std::index_sequence<I...>) {
    auto& function = std::get<sizeof...(I)>(all);
    Operation op = call(method, std::get<I>(all)...);
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<decltype(function)>>) {
        std::invoke(function);
        op.returned();
      } else {
        decltype(auto) result = std::invoke(function);
        op.returned(result);
        return static_cast<std::invoke_result_t<decltype(function)>>(
            std::forward<decltype(result)>(result));
      }
    } catch (...) {
      op.unknown();
      throw;
    }
  }

  Log* log_;
};

}  // namespace plumb
