// SPDX-License-Identifier: MIT
// What Jepsen's events mean, whichever notation they come in (EDN, JSON, text log).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "history/header.hpp"
#include "plumb/formats.hpp"

namespace plumb {

struct JepsenEvent {
  enum Type : std::uint8_t { invoke, ok, fail, info };

  Value process;
  Value f;
  Value value;
  std::optional<Value> key;
  std::optional<ClockTime> time;
  std::uint64_t line = 0;
  Type type = invoke;
  bool has_error = false;  // an :error that says why
};

/// With or without its colon.
std::optional<JepsenEvent::Type> jepsen_type(std::string_view name);

/// Only an integer is a client; :nemesis and the like are not.
inline bool is_client(const JepsenEvent& e) { return e.process.is_integer(); }

/// A client's event names its method.
inline bool is_complete(const JepsenEvent& e) {
  return !is_client(e) || (e.f.is_string() && !e.f.as_text().empty());
}

/// What a client's call and its :ok mean, keys and tuples aside. The writer uses it too, to see
/// whether what it writes will be read as the same.
std::vector<Value> jepsen_args(std::string_view f, Value invoked);
Value jepsen_result(std::string_view f, Value invoked, Value returned);

/// Whose histories are written like that. Knossos reads a failed operation, whichever it is, as one
/// that did not happen, and a read of nil as one that says nothing.
enum class JepsenDialect { knossos, log };

/// Collects events, then decides what the values mean: that takes all of them.
class JepsenHistory {
 public:
  JepsenHistory(const ReadOptions& options, JepsenDialect dialect)
      : options_(options), dialect_(dialect) {}

  void header(Header header) { header_ = std::move(header); }
  void add(const JepsenEvent& event) { events_.push_back(event); }
  Result<History> finish() &&;

 private:
  class Meaning;
  class Replay;

  const ReadOptions& options_;
  const JepsenDialect dialect_;
  std::optional<Header> header_;
  std::vector<JepsenEvent> events_;
};

}  // namespace plumb
