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
// Meant to be left on at full speed. Each process has a buffer of its own, and an event costs a few
// stores and one addition to a shared counter: no lock, no allocation, no text. That counter puts
// the events in real-time order: a call is counted last thing before the object is called, a return
// first thing after. A thread of the recorder's writes the history while the program runs, in that
// order, so that it can be followed:
//
//   plumb::Recorder recorder("-", {.object = "queue"});     // my_program | plumb check -
//
// Memory is bounded: where events come faster than they can be written, or nobody reads the pipe,
// recording threads wait until a half of their buffer is free. They wait before a call is counted
// or after a return was, so the history stays exact; but the program is slowed down.
//
// Arguments and results: numbers, booleans, strings, Value, and std::optional, vector, pair, tuple,
// set and multiset of them are copied as they are (a string or list above an eighth of the buffer
// is allocated). A type with a Convert of its own is converted in the thread that records it.
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
#include "plumb/record_buffer.hpp"
#include "plumb/result.hpp"
#include "plumb/value.hpp"

namespace plumb {

/// Use designated initialisers: fields may be added.
struct RecorderOptions {
  std::string object = {};  // the name of its specification, for the header
  std::optional<Value> initial = {};
  std::size_t buffer_bytes = std::size_t{1} << 20;  // of each process: some 40,000 events
};

/// Thread safety: process(), flush() and status() may be called from any thread; a Process and
/// its operations belong to one thread at a time. Requires: the recorder outlives both.
class PLUMB_API Recorder {
 public:
  class Process;
  class Operation;

  /// "-" is standard output; a name that ends in .gz is compressed. If the file cannot be
  /// written, flush() says so, and what is recorded is dropped.
  explicit Recorder(const std::string& file, const RecorderOptions& options = {});
  /// A pipe, a socket, an open file. It is not closed.
  explicit Recorder(int descriptor, const RecorderOptions& options = {});
  /// Writes what is left. So does an exception that nobody catches (std::terminate).
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// They are numbered from 0.
  Process process();
  /// Waits until what was recorded until now is written. Returns: what went wrong so far.
  Status flush();

 private:
  std::unique_ptr<detail::RecorderState> state_;
};

/// An operation that was called. One that is neither returned nor unknown stays pending; if it is
/// both, or twice, the first counts.
class PLUMB_API Recorder::Operation {
 public:
  void returned() { returned(Value::nil()); }
  template <class R>
  void returned(const R& result) {
    if (buffer_) std::exchange(buffer_, nullptr)->returned(process_, result);
  }
  /// It may or may not have taken effect, now or later.
  void unknown() {
    if (buffer_) std::exchange(buffer_, nullptr)->unknown(process_);
  }

  template <class T>
  static Value to_value(const T& x) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) return Value::string(x);
    else return Convert<T>::to(x);
  }

 private:
  friend class Process;
  Operation(detail::RecordBuffer& buffer, std::uint32_t process)
      : buffer_(&buffer), process_(process) {}

  detail::RecordBuffer* buffer_;
  std::uint32_t process_;
};

/// One thread of the history. After an operation whose outcome is unknown it continues under a new
/// number, because the old one is still busy.
class PLUMB_API Recorder::Process {
 public:
  template <class... A>
  Operation call(std::string_view method, const A&... args) {
    return Operation(*buffer_, buffer_->call(method, args...));
  }

  /// record(method, arguments..., function): calls the function and records its result. If it
  /// throws, the outcome is unknown and the exception propagates.
  template <class... A>
  requires(sizeof...(A) > 0) decltype(auto)
      record(std::string_view method, A&&... args_and_function) {
    constexpr std::size_t kArgs = sizeof...(A) - 1;
    return record_split(method, std::forward_as_tuple(std::forward<A>(args_and_function)...),
                        std::make_index_sequence<kArgs>());
  }

 private:
  friend class Recorder;
  explicit Process(detail::RecordBuffer& buffer) : buffer_(&buffer) {}

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

  detail::RecordBuffer* buffer_;
};

}  // namespace plumb
