// SPDX-License-Identifier: MIT
// Histories: sequences of calls and returns (Herlihy & Wing; Line-Up, section 2.1.1).
//
//   HistoryBuilder b;
//   b.begin_object(Value::nil(), "queue");
//   auto p = b.process(Value::integer(0));
//   b.call(p, 0, b.intern_call("enq", {Value::integer(1)}));
//   b.returned(p, Value::nil());
//   Result<History> h = std::move(b).finish();
//
// A history is a structure of arrays: an operation is an index into them. Labels (method,
// arguments, result) are interned, so a million operations of ten kinds cost ten labels.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/export.hpp"
#include "plumb/result.hpp"
#include "plumb/value.hpp"

namespace plumb {

using OperationId = std::uint32_t;
using ProcessId = std::uint32_t;
using ObjectId = std::uint32_t;
using CallId = std::uint32_t;
using LabelId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xffffffffu;  // no operation, no position, not returned

/// Method and arguments, both of which live in the history.
struct Call {
  std::string_view method;
  std::span<const Value> args;
};

/// Numbered calls. A million different ones are common (every enq of a queue), so each takes no
/// more than its values: one for the method, one an argument.
class PLUMB_API Calls {
 public:
  std::size_t size() const { return ends_.size(); }
  Call operator[](CallId id) const {
    const std::uint32_t begin = id == 0 ? 0 : ends_[id - 1];
    return {values_[begin].as_text(), {values_.data() + begin + 1, values_.data() + ends_[id]}};
  }
  void add(std::string_view method, std::span<const Value> args);
  std::size_t bytes() const;

 private:
  std::vector<Value> values_;        // of each call its method, then its arguments
  std::vector<std::uint32_t> ends_;  // by call, in `values_`
};

/// Method, arguments and result. `known` is false where the operation did not return.
struct Label {
  CallId call = 0;
  bool known = false;
  Value result;
  friend bool operator==(const Label&, const Label&) = default;
};

/// How an operation ended. A pending one may or may not have taken effect; a crashed one too,
/// and its process is gone: a stuck history judges pending operations, never crashed ones.
enum class Fate : std::uint8_t { returned, pending, crashed };

/// One instance, with the name of its specification (empty: not said).
struct Object {
  Value name;
  std::string specification;
  std::optional<Value> initial;
};

/// A point of a recorded clock, exactly; only their order matters.
struct ClockTime {
  std::int64_t whole = 0;  // rounded down
  std::int64_t part = 0;   // what is above it, in units of 10^-18
  auto operator<=>(const ClockTime&) const = default;
};

/// A remark in the history: it decides nothing.
struct Note {
  std::uint32_t position;  // before this event
  std::string text;        // as JSON
};

/// One call or return: an operation and which of its two ends.
struct Event {
  std::uint32_t word;
  Event(OperationId operation, bool is_return) : word(operation << 1 | (is_return ? 1u : 0u)) {}
  OperationId operation() const { return word >> 1; }
  bool is_return() const { return word & 1; }
};

/// A recorded history: calls and returns in real-time order, as a structure of arrays.
struct PLUMB_API History {
  std::vector<Event> events;  // in real-time order; positions index this array
  /// One entry per operation, in the order of their calls.
  std::vector<LabelId> label;
  std::vector<ProcessId> process;
  std::vector<ObjectId> object;
  std::vector<std::uint32_t> call;  // position of the call
  std::vector<std::uint32_t> ret;   // position of the return, kNone where there is none
  std::vector<Fate> fate;
  std::vector<std::uint32_t> line;         // where the call stands in the file, 0: nowhere
  std::vector<std::uint32_t> return_line;  // likewise
  /// Where clocks make two operations of one process overlap: the operation of that process which
  /// must come first all the same. Empty where no operation has one.
  std::vector<OperationId> after;
  /// What the system itself says of their order (a revision, a zxid), kNoOrder where it says
  /// nothing; empty where it never does.
  static constexpr std::int64_t kNoOrder = INT64_MIN;
  std::vector<std::int64_t> order;
  /// As recorded, for writing it out again; empty where the history came without clocks.
  std::vector<ClockTime> call_time, return_time;

  std::vector<Label> labels;
  Calls calls;
  std::vector<Value> processes;  // names
  std::vector<Object> objects;
  std::vector<Note> notes;
  bool stuck = false;  // the pending operations can never return
  /// Where the format leaves open what operations mean: how they were read, a clause each.
  std::vector<std::string> readings;
  /// What another reading makes of it, and which one, as a clause; null: there is none.
  std::shared_ptr<const History> other_reading;
  std::string other_reading_words;
  std::string file;  // for messages

  std::size_t size() const { return label.size(); }
  Call call_of(OperationId op) const { return calls[labels[label[op]].call]; }
  bool returned(OperationId op) const { return ret[op] != kNone; }
  OperationId after_of(OperationId op) const { return after.empty() ? kNone : after[op]; }
  /// a happens before b: a returned before b was called, or `after` says so.
  bool happens_before(OperationId a, OperationId b) const;
  /// "enq(1)", "deq() = 2"
  std::string print_call(OperationId op) const;
  std::string print(OperationId op) const;
  std::size_t bytes() const;
};

/// Makes a history out of events in real-time order, or out of operations with clock values;
/// not out of both. Every function that can fail says what is wrong; the caller knows the line.
class PLUMB_API HistoryBuilder {
 public:
  HistoryBuilder();
  ~HistoryBuilder();
  HistoryBuilder(HistoryBuilder&&) noexcept;

  /// Names are kept, numbers are handed out in order of appearance.
  ProcessId process(Value name);
  ObjectId object(Value name);
  /// What the header says. `name` nil: the object of events that name none.
  void begin_object(Value name, std::string specification, std::optional<Value> initial = {});
  CallId intern_call(std::string_view method, std::span<const Value> args);
  CallId intern_call(std::string_view method, std::initializer_list<Value> args) {
    return intern_call(method, std::span<const Value>(args.begin(), args.size()));
  }
  /// The line of the file that the next events come from.
  void at_line(std::uint64_t line);

  /// Events in real-time order.
  Status call(ProcessId process, ObjectId object, CallId call, std::optional<ClockTime> time = {});
  Status returned(ProcessId process, Value result, std::optional<ClockTime> time = {});
  /// The operation is pending forever; the process may not call again.
  Status crashed(ProcessId process);
  /// The operation did not happen at all (Jepsen's :fail): as if it had never been called.
  Status cancelled(ProcessId process);
  /// The call that this process waits for, or nothing.
  std::optional<CallId> open_call(ProcessId process) const;
  Status stuck();
  void note(std::string json);

  /// One whole operation with clock values; `returned` empty: pending. Intervals are closed: equal
  /// times overlap. Operations of one process come in the order in which it made them, and that
  /// order is kept whatever the clocks say.
  Status timed(ProcessId process, ObjectId object, CallId call, Value result, ClockTime called,
               std::optional<ClockTime> returned, Fate fate = Fate::returned);

  /// A hint of the system for the operation that was just called, returned or timed: operations
  /// with smaller numbers came first.
  void order(std::int64_t number);

  /// Clocks of different processes may differ by this much.
  void clock_skew(ClockTime skew);
  /// Of timed operations, one that ends when another begins comes before it.
  void equal_times_are_before();

  /// Ends the history. Operations without a return are pending.
  Result<History> finish() &&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumb
