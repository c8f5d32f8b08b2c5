// SPDX-License-Identifier: MIT
// Jepsen's histories (jepsen.history, Knossos): a client's operation is an :invoke and then
//   :ok    it took place;
//   :fail  it did not take place: as if it had never been called. In the text log a failed `cas`
//          is a comparison that failed, hence `cas = false`, as Porcupine and Horn read it; in EDN
//          and JSON it is read like any other, as by Knossos (--failed-cas chooses). One that
//          reports an :error failed for another reason than the comparison, and is left out either
//          way;
//   :info  unknown: pending to the end, and the client continues under a new number. Some logs
//          use the old number again: that is accepted, as another process.
// An operation has one :value. What of it is argument and what result depends on :f; whether it is
// a tuple [key value] (jepsen.independent) only the whole history shows.
#include "history/jepsen.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "history/input.hpp"

namespace plumb {
namespace {

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool reads(std::string_view f) { return one_of(f, {"read", "dequeue", "deq", "get", "pop"}); }

bool writes(std::string_view f) {
  return one_of(f, {"write", "enqueue", "enq", "push", "put", "append"});
}

bool is_map_method(std::string_view f) { return one_of(f, {"get", "put", "append", "delete"}); }

bool is_pair(Value v) { return v.is_list() && v.as_list().size() == 2; }

}  // namespace

std::optional<JepsenEvent::Type> jepsen_type(std::string_view name) {
  if (name.starts_with(':')) name.remove_prefix(1);
  if (name == "invoke") return JepsenEvent::invoke;
  if (name == "ok") return JepsenEvent::ok;
  if (name == "fail") return JepsenEvent::fail;
  if (name == "info") return JepsenEvent::info;
  return std::nullopt;
}

std::vector<Value> jepsen_args(std::string_view f, Value invoked) {
  if (reads(f)) return {};
  if (f == "cas" && is_pair(invoked)) return {invoked.as_list()[0], invoked.as_list()[1]};
  if (invoked.is_nil() && !writes(f)) return {};
  return {invoked};
}

Value jepsen_result(std::string_view f, Value invoked, Value returned) {
  if (f == "cas") return Value::boolean(true);
  if (reads(f) || f == "txn") return returned;
  if (writes(f) || returned == invoked) return Value::nil();
  return returned;
}

/// What the values of one history mean.
class JepsenHistory::Meaning {
 public:
  Meaning(const std::vector<JepsenEvent>& events, const std::optional<Header>& header,
          const ReadOptions& options)
      : events_(events), header_(header), options_(options) {
    for (const JepsenEvent& e : events_)
      if (is_client(e)) names_.insert(e.f);
    keyed_ = std::any_of(events_.begin(), events_.end(),
                         [](const JepsenEvent& e) { return is_client(e) && e.key; });
    tuples_ = header_ ? header_->independent : !keyed_ && looks_independent();
    map_ =
        (keyed_ || tuples_) && !names_.empty() &&
        (header_ ? !header_->independent : std::all_of(names_.begin(), names_.end(), [](Value f) {
          return is_map_method(f.as_text());
        }));
  }

  /// The key of an event, and the value without it.
  std::pair<std::optional<Value>, Value> split(const JepsenEvent& e) const {
    if (e.key) return {e.key, e.value};
    if (tuples_ && is_pair(e.value)) return {e.value.as_list()[0], e.value.as_list()[1]};
    return {std::nullopt, e.value};
  }

  /// Keys are arguments of a map's methods; otherwise every key is an object of its own.
  bool map() const { return map_; }
  bool is_register() const { return names_within({"read", "write", "cas"}); }

  void begin_objects(HistoryBuilder& builder) const {
    if (header_) {
      for (const Object& o : header_->objects)
        builder.begin_object(o.name, o.specification, o.initial);
      return;
    }
    const std::string kind = options_.specification.empty() ? guess() : options_.specification;
    std::optional<Value> initial;
    if (is_register()) initial = Value::nil();
    // In these logs an absent key reads as "".
    if (map_) initial = keyed_ ? Value::string("") : Value::nil();
    if (!kind.empty()) builder.begin_object(Value::nil(), kind, initial);
  }

 private:
  bool names_within(std::initializer_list<std::string_view> names) const {
    return !names_.empty() && std::all_of(names_.begin(), names_.end(),
                                          [&](Value f) { return one_of(f.as_text(), names); });
  }

  /// jepsen.independent: every value is [key value], also the one of a read's :invoke, which is
  /// nil otherwise. Where there are neither reads nor cas, the values could as well be pairs.
  bool looks_independent() const {
    bool certain = false;
    for (const JepsenEvent& e : events_) {
      if (!is_client(e) || (e.type != JepsenEvent::invoke && e.type != JepsenEvent::ok)) continue;
      if (!is_pair(e.value) || e.value.as_list()[0].is_list()) return false;
      const std::string_view f = e.f.as_text();
      const Value rest = e.value.as_list()[1];
      if (f == "cas" && !is_pair(rest)) return false;
      if (f == "cas" || (e.type == JepsenEvent::invoke && reads(f))) certain = true;
    }
    return certain;
  }

  bool every_read_is(Value::Kind kind) const {
    return std::all_of(events_.begin(), events_.end(), [&](const JepsenEvent& e) {
      return !is_client(e) || e.type != JepsenEvent::ok || e.f.as_text() != "read" ||
             split(e).second.kind() == kind;
    });
  }

  std::string guess() const {
    if (is_register()) return "register";
    if (map_) return "map";
    if (names_within({"enqueue", "dequeue", "enq", "deq"})) return "queue";
    if (names_within({"push", "pop"})) return "stack";
    if (names_within({"acquire", "release"})) return "mutex";
    if (names_within({"add", "read"}) && every_read_is(Value::Kind::integer)) return "counter";
    if (names_within({"add", "read"}) && every_read_is(Value::Kind::list)) return "set";
    if (names_within({"add", "remove", "contains", "insert"})) return "set";
    if (names_within({"txn"}) && only_reads_and_writes()) return "multi-register";
    return "";
  }

  /// Micro-operations [:r k v] and [:w k v]; others (Elle's :append) are another object.
  bool only_reads_and_writes() const {
    return std::all_of(events_.begin(), events_.end(), [&](const JepsenEvent& e) {
      const Value txn = split(e).second;
      if (!is_client(e) || !txn.is_list()) return true;
      return std::all_of(txn.as_list().begin(), txn.as_list().end(), [](Value micro) {
        return micro.is_list() && micro.as_list().size() == 3 && micro.as_list()[0].is_string() &&
               one_of(micro.as_list()[0].as_text(), {"r", "w", "read", "write"});
      });
    });
  }

  const std::vector<JepsenEvent>& events_;
  const std::optional<Header>& header_;
  const ReadOptions& options_;
  std::unordered_set<Value> names_;  // of the clients' methods
  bool keyed_ = false;               // events have a :key
  bool tuples_ = false;              // values are [key value]
  bool map_ = false;
};

namespace {

std::string as_note(const JepsenEvent& e) {
  static constexpr const char* kTypes[] = {"invoke", "ok", "fail", "info"};
  return fmt::format(R"({{"type":"note","process":{},"event":"{}","f":{},"value":{}}})",
                     e.process.to_string(), kTypes[e.type], e.f.to_string(), e.value.to_string());
}

}  // namespace

// Turns events into calls and returns, one after the other.
class JepsenHistory::Replay {
 public:
  Replay(const Meaning& meaning, const ReadOptions& options, bool knossos,
         ReadOptions::FailedCas failed_cas)
      : meaning_(meaning), knossos_(knossos), failed_cas_(failed_cas) {
    if (options.clock_skew) builder_.clock_skew(*options.clock_skew);
    meaning.begin_objects(builder_);
  }

  Status add(const JepsenEvent& e) {
    builder_.at_line(e.line);
    if (!is_client(e)) {
      builder_.note(as_note(e));
      return {};
    }
    if (e.f.as_text() == "drain")
      return bad_input("a drain is many operations in one event",
                       "write one dequeue for every element of the drain", e.line);
    Client& client = find_client(e.process);
    if (e.type == JepsenEvent::invoke) return call(client, e);
    Status status = end(client, e);
    client.open = nullptr;
    return status;
  }
  Result<History> finish() && { return std::move(builder_).finish(); }

  std::uint64_t failed_cas() const { return failed_; }
  std::uint64_t reads_of_nil() const { return reads_of_nil_; }

 private:
  struct Client {
    ProcessId process = kNone;
    int lives = 0;  // how often the number came back after an :info
    bool gone = true;
    const JepsenEvent* open = nullptr;
  };

  Client& find_client(Value name) {
    Client& client = clients_[name];
    if (!client.gone) return client;
    ++client.lives;
    client.process = builder_.process(
        client.lives == 1 ? name
                          : Value::string(fmt::format("{}#{}", name.to_string(), client.lives)));
    client.gone = false;
    return client;
  }

  Status call(Client& client, const JepsenEvent& e) {
    const std::string_view f = e.f.as_text();
    const auto [key, value] = meaning_.split(e);
    std::vector<Value> args = jepsen_args(f, value);
    if (meaning_.map() && key) args.insert(args.begin(), *key);
    const Value object = !meaning_.map() && key ? *key : Value::nil();
    client.open = &e;
    return builder_.call(client.process, builder_.object(object), builder_.intern_call(f, args),
                         e.time);
  }

  Status end(Client& client, const JepsenEvent& e) {
    const std::string_view f = e.f.as_text();
    const Value value = meaning_.split(e).second;
    if (!client.open && e.type == JepsenEvent::info) {
      builder_.note(as_note(e));
      return {};
    }
    if (client.open && client.open->f != e.f)
      return bad_input(fmt::format("process {} ends {}, but has called {}", e.process.to_string(),
                                   f, client.open->f.as_text()),
                       "an event ends the operation that its process invoked last", e.line);
    if (e.type == JepsenEvent::ok && client.open && knossos_ && meaning_.is_register() &&
        f == "read" && value.is_nil()) {
      ++reads_of_nil_;
      return builder_.cancelled(client.process);  // it changes nothing either
    }
    if (e.type == JepsenEvent::ok) {
      const Value invoked = client.open ? meaning_.split(*client.open).second : Value::nil();
      return builder_.returned(client.process, jepsen_result(f, invoked, value), e.time);
    }
    if (e.type == JepsenEvent::info) {
      client.gone = true;
      return builder_.crashed(client.process);
    }
    const bool comparison =
        client.open && f == "cas" && !e.has_error && (is_pair(value) || value.is_nil());
    failed_ += comparison;
    return comparison && failed_cas_ == ReadOptions::mismatch
               ? builder_.returned(client.process, Value::boolean(false), e.time)
               : builder_.cancelled(client.process);
  }

  const Meaning& meaning_;
  const bool knossos_;
  const ReadOptions::FailedCas failed_cas_;
  std::uint64_t failed_ = 0, reads_of_nil_ = 0;
  HistoryBuilder builder_;
  std::unordered_map<Value, Client> clients_;
};

Result<History> JepsenHistory::finish() && {
  const Meaning meaning(events_, header_, options_);
  const bool knossos = dialect_ == JepsenDialect::knossos && !header_;
  const auto read = [&](ReadOptions::FailedCas failed_cas, std::vector<std::string>& readings,
                        std::uint64_t& failed) -> Result<History> {
    Replay replay(meaning, options_, knossos, failed_cas);
    for (const JepsenEvent& e : events_)
      if (Status status = replay.add(e); !status.ok()) return std::move(status.error());
    failed = replay.failed_cas();
    if (const std::uint64_t n = replay.reads_of_nil())
      readings.push_back(fmt::format("{} of nil {} left out, as by Knossos: {} nothing",
                                     n == 1 ? "1 read" : fmt::format("{} reads", n),
                                     n == 1 ? "is" : "are", n == 1 ? "it says" : "they say"));
    return std::move(replay).finish();
  };
  ReadOptions::FailedCas chosen = options_.failed_cas;
  if (chosen == ReadOptions::by_format)
    chosen = knossos ? ReadOptions::absent : ReadOptions::mismatch;
  const bool absent = chosen == ReadOptions::absent;
  std::vector<std::string> readings, unused;
  std::uint64_t failed = 0;
  Result<History> history = read(chosen, readings, failed);
  if (!history.ok()) return history;
  history->readings = std::move(readings);
  // Our own files say what they mean.
  if (failed == 0 || header_) return history;
  const char* const did_not_happen = "did not happen (--failed-cas absent)";
  const char* const compared = "compared and returned false (--failed-cas mismatch)";
  history->readings.push_back(
      fmt::format("{} failed cas {}", failed, absent ? did_not_happen : compared));
  Result<History> other =
      read(absent ? ReadOptions::mismatch : ReadOptions::absent, unused, failed);
  if (!other.ok()) return history;
  history->other_reading = std::make_shared<const History>(*std::move(other));
  history->other_reading_words = fmt::format("if they {}", absent ? compared : did_not_happen);
  return history;
}

}  // namespace plumb
