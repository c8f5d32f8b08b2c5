// SPDX-License-Identifier: MIT
// The native format: JSON Lines, one event or one operation with clock values a line.
//
// simdjson's DOM parser validates a whole line and is faster here than its on-demand one, which
// would accept a malformed rest of a line that nobody asked for. Lines are cut before it sees them:
// its own splitting drops a truncated last document.
#include <utility>

#include <fmt/format.h>

#include "history/header.hpp"
#include "history/json_value.hpp"
#include "history/reader.hpp"

namespace plumb {

using simdjson::dom::element;
using simdjson::dom::element_type;

namespace {

using Field = std::optional<element>;

struct Record {
  Field type, process, op, args, result, object, key, time, call, ret, crash, history;

  void set(std::string_view name, element e) {
    if (name == "type") type = e;
    else if (name == "process") process = e;
    else if (name == "op") op = e;
    else if (name == "args") args = e;
    else if (name == "result") result = e;
    else if (name == "object") object = e;
    else if (name == "key") key = e;
    else if (name == "time") time = e;
    else if (name == "call") call = e;
    else if (name == "return") ret = e;
    else if (name == "crash") crash = e;
    else if (name == "history") history = e;
  }
};

class NativeReader {
 public:
  explicit NativeReader(const ReadOptions& options) {
    if (options.clock_skew) builder_.clock_skew(*options.clock_skew);
  }

  Status line(std::string_view text, std::uint64_t number) {
    line_ = number;
    builder_.at_line(number);
    element root;
    simdjson::dom::object fields;
    const auto bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    simdjson::error_code code = parser_.parse(bytes, text.size(), false).get(root);
    if (!code) code = root.get_object().get(fields);
    if (code) return error(json_error(code), "every line is one JSON object");
    Record r;
    for (const auto field : fields) r.set(field.key, field.value);
    const bool first = !std::exchange(begun_, true);
    if (r.type) return event(r, text);
    if (r.call) return operation(r);
    if (r.history) return header(root, first);
    return error("neither an event (\"type\"), nor an operation (\"call\"), nor a header",
                 "correct the line, or name another format");
  }

  Result<History> finish() && { return std::move(builder_).finish(); }

 private:
  Error error(std::string message, std::string remedy) const {
    return bad_input(std::move(message), std::move(remedy), line_);
  }

  Status value(element e, Value& out) const {
    if (e.type() == element_type::INT64) {
      out = Value::integer(e.get_int64().value_unsafe());
      return {};
    }
    const std::optional<Value> v = to_value(e);
    if (!v) return error("an integer of more than 64 bits", "write it as a string");
    out = *v;
    return {};
  }

  Status time(const Field& field, const char* name, std::optional<ClockTime>& out) const {
    if (!field || field->is_null()) return {};
    out = to_clock_time(*field);
    if (out) return {};
    return error(fmt::format("\"{}\" is not a number of up to 64 bits", name),
                 "write the clock as a number");
  }

  Status process(const Record& r, ProcessId& out) {
    if (!r.process) return error("no \"process\"", "name the process that calls or returns");
    Value name;
    if (Status s = value(*r.process, name); !s) return s;
    out = builder_.process(name);
    return {};
  }

  Status object(const Record& r, ObjectId& out) {
    if (!r.object) {
      if (unnamed_ == kNone) unnamed_ = builder_.object(Value::nil());
      out = unnamed_;
      return {};
    }
    Value name;
    if (Status s = value(*r.object, name); !s) return s;
    out = builder_.object(name);
    return {};
  }

  Status call(const Record& r, CallId& out) {
    std::string_view method;
    if (!r.op || r.op->get_string().get(method) || method.empty())
      return error("no \"op\"", "name the method as a string: \"op\":\"enq\"");
    args_.clear();
    if (r.key)
      if (Status s = value(*r.key, args_.emplace_back()); !s) return s;
    if (r.args && !r.args->is_null()) {
      simdjson::dom::array items;
      if (r.args->get_array().get(items))
        return error("\"args\" is not an array", "write \"args\":[7]");
      for (const element item : items)
        if (Status s = value(item, args_.emplace_back()); !s) return s;
    }
    out = builder_.intern_call(method, args_);
    return {};
  }

  Status event(const Record& r, std::string_view text) {
    std::string_view type;
    if (r.type->get_string().get(type)) type = {};
    if (type == "note") {
      builder_.note(std::string(trim(text)));
      return {};
    }
    if (type == "stuck") return builder_.stuck();
    if (type != "call" && type != "return" && type != "crash")
      return error("unknown \"type\"", "one of call, return, crash, stuck, note");
    ProcessId p;
    if (Status s = process(r, p); !s) return s;
    if (type == "crash") return builder_.crashed(p);
    std::optional<ClockTime> at;
    if (Status s = time(r.time, "time", at); !s) return s;
    if (type == "return") {
      Value result;
      if (r.result)
        if (Status s = value(*r.result, result); !s) return s;
      return builder_.returned(p, result, at);
    }
    ObjectId o;
    CallId c;
    if (Status s = object(r, o); !s) return s;
    if (Status s = call(r, c); !s) return s;
    return builder_.call(p, o, c, at);
  }

  Status operation(const Record& r) {
    ProcessId p;
    ObjectId o;
    CallId c;
    Value result;
    std::optional<ClockTime> called, returned;
    if (Status s = process(r, p); !s) return s;
    if (Status s = object(r, o); !s) return s;
    if (Status s = call(r, c); !s) return s;
    if (r.result)
      if (Status s = value(*r.result, result); !s) return s;
    if (Status s = time(r.call, "call", called); !s) return s;
    if (Status s = time(r.ret, "return", returned); !s) return s;
    if (!called) return error("\"call\" is null", "say when the operation was called");
    bool crashed = false;
    if (r.crash && r.crash->get_bool().get(crashed))
      return error("\"crash\" is not a boolean", "write \"crash\":true, or leave it out");
    if (crashed && returned)
      return error("an operation that both crashed and returned", "leave one of the two out");
    return builder_.timed(p, o, c, result, *called, returned,
                          crashed ? Fate::crashed : Fate::pending);
  }

  Status header(element root, bool first) {
    if (!first)
      return error("a header that is not the first line",
                   "a file holds one history; split the file before this line");
    Result<Header> header = read_header(root);
    if (!header) {
      header.error().line = line_;
      return std::move(header.error());
    }
    for (Object& o : header->objects) builder_.begin_object(o.name, o.specification, o.initial);
    return {};
  }

  simdjson::dom::parser parser_;
  HistoryBuilder builder_;
  std::vector<Value> args_;
  ObjectId unnamed_ = kNone;  // the object of events that name none
  std::uint64_t line_ = 0;
  bool begun_ = false;
};

}  // namespace

Result<History> read_native(Input& input, const ReadOptions& options) {
  NativeReader reader(options);
  Lines lines(input, options.line_limit);
  for (std::string_view line; lines.next(line);) {
    if (lines.number() == 1) line = without_mark(line);
    if (trim(line).empty()) continue;
    if (Status s = reader.line(line, lines.number()); !s) return std::move(s.error());
  }
  if (!lines.status().ok()) return std::move(lines.status().error());
  return std::move(reader).finish();
}

}  // namespace plumb
