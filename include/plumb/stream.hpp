// SPDX-License-Identifier: MIT
// Decides a history while it is being made.
//
//   plumb::Stream stream;
//   stream.begin_object(Value::nil(), "queue");
//   stream.call(stream.process(Value::integer(0)), 0, stream.intern_call("enq",
//   {Value::integer(1)})); stream.returned(...); if (!stream.settle()) ...                     // a
//   violation, or no answer from some event on plumb::StreamReport report = stream.finish();
//
// Memory is bounded by the operations that are open at once and by what is inside the objects, not
// by the length of the stream. Hence `holds` comes without a witness; its scope says how far.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/check.hpp"
#include "plumb/export.hpp"
#include "plumb/history.hpp"
#include "plumb/result.hpp"

namespace plumb {

/// Use designated initialisers: fields may be added.
struct StreamOptions {
  const Specification* specification = nullptr;  // null: what the stream says of its objects
  std::optional<Value> initial = {};
  bool partition = true;                            // by key; by object always
  std::size_t segment = 4096;                       // events of a partition decided together
  std::size_t most_waiting = std::size_t{1} << 20;  // events that may wait for one to return
  std::size_t memory_bytes = 0;                     // of the whole process; 0: none
  const std::atomic<bool>* interrupt = nullptr;
};

/// The answer so far, or at the end.
struct StreamReport {
  CheckReport check;  // verdict, partitions, counterexample
  History history;    // of the counterexample: the operations around it
  std::uint64_t events = 0;
  std::uint64_t decided = 0;       // events that are covered by the verdict
  std::uint64_t line = 0;          // undecided: the rest is, from this line on
  std::uint64_t most_waiting = 0;  // events that were held back at once, at most
};

/// The functions of HistoryBuilder, as far as a stream can have them.
class PLUMB_API Stream {
 public:
  explicit Stream(StreamOptions options = {});
  ~Stream();
  Stream(Stream&&) noexcept;

  ProcessId process(Value name);
  ObjectId object(Value name);
  void begin_object(Value name, std::string specification, std::optional<Value> initial = {});
  /// Good until the next one.
  CallId intern_call(std::string_view method, std::span<const Value> args);
  void at_line(std::uint64_t line);

  Status call(ProcessId process, ObjectId object, CallId call, std::optional<ClockTime> time = {});
  Status returned(ProcessId process, Value result, std::optional<ClockTime> time = {});
  Status crashed(ProcessId process);
  Status stuck();
  void note(std::string json);
  void order(std::int64_t number);  // hints are not used
  Status timed(ProcessId process, ObjectId object, CallId call, Value result, ClockTime called,
               std::optional<ClockTime> returned, Fate fate = Fate::returned);

  /// False once there is a violation: what follows changes nothing.
  bool holds_so_far() const;
  /// Decides what has come until now, without waiting for more. Returns: holds_so_far().
  bool settle();
  std::uint64_t events() const;
  std::uint64_t waiting() const;  // events that are not decided yet
  /// Decides the rest; operations without a return are pending.
  Result<StreamReport> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumb
