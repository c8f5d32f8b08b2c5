// SPDX-License-Identifier: MIT
// What decides one partition of a stream, event by event.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumb/check.hpp"
#include "plumb/stream.hpp"

namespace plumb {

/// Which object, and which part of it.
struct StreamPart {
  const Specification* specification = nullptr;
  std::optional<Value> initial;
  ObjectId object = 0;
  std::vector<Value> keys;
  std::shared_ptr<const std::vector<Object>> objects;  // all of the stream
};

/// An operation of a stream, as long as it is needed.
struct StreamedOp {
  Value process;
  MethodId method = 0;
  std::vector<Value> args;
  Value result;
  Fate fate = Fate::pending;  // crashed: it will never return
  std::uint64_t call_line = 0, return_line = 0;
};

class Online {
 public:
  explicit Online(StreamPart part) : part_(std::move(part)) {}
  virtual ~Online() = default;

  using Handle = std::uint32_t;
  virtual Handle call(StreamedOp op) = 0;
  virtual void returned(Handle op, Value result, std::uint64_t line) = 0;
  virtual void crashed(Handle op) = 0;
  /// Decides what can be decided now; `last`: nothing more will come.
  virtual Status settle(bool last) = 0;
  virtual std::uint64_t waiting() const = 0;  // events
  /// Nothing more is said from here on.
  void stop(const std::string& reason, std::uint64_t line) {
    if (verdict_ == Verdict::holds) give_up(reason, line);
  }

  /// So many events should wait before it is worth while to settle.
  std::size_t segment() const { return segment_; }
  const StreamPart& part() const { return part_; }
  Verdict verdict() const { return verdict_; }  // of what was decided
  const std::string& reason() const { return reason_; }
  StopReason stopped() const { return stopped_; }
  std::uint64_t line() const { return line_; }  // undecided: from here on; violation: proved here
  const char* engine() const { return engine_; }
  std::uint64_t operations() const { return operations_; }
  std::uint64_t covered() const { return covered_; }  // returns that some order explains
  const StreamReport& evidence() const { return *evidence_; }

 protected:
  void give_up(std::string reason, std::uint64_t line,
               StopReason stopped = StopReason::not_applicable) {
    verdict_ = Verdict::undecided;
    stopped_ = stopped;
    reason_ = std::move(reason);
    line_ = line;
  }

  StreamPart part_;
  Verdict verdict_ = Verdict::holds;
  StopReason stopped_ = StopReason::none;
  std::string reason_;
  std::uint64_t line_ = 0, operations_ = 0, covered_ = 0;
  const char* engine_ = "";
  std::size_t segment_ = 1;
  std::optional<StreamReport> evidence_;  // of a violation
};

/// Any specification: breadth-first search, cut wherever a single configuration is left.
std::unique_ptr<Online> online_segments(StreamPart part, const StreamOptions& options);
/// Queue and bag, each value inside at most once at a time.
std::unique_ptr<Online> online_queue(StreamPart part, const StreamOptions& options);
/// Whether that is one of them.
bool is_online_queue(const Specification& specification);

/// A history of these operations; events are operations and which of their ends, in order.
struct StreamedEvent {
  std::uint32_t op = 0;
  bool is_return = false;
};
Result<History> make_history(const StreamPart& part, const std::vector<const StreamedOp*>& ops,
                             const std::vector<StreamedEvent>& events);

}  // namespace plumb
