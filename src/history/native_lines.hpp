// SPDX-License-Identifier: MIT
// The native format, line by line: JSON Lines, one event or one operation with clock values a line.
// What is read goes to a builder: a HistoryBuilder, or a stream's (src/check/online/).
//
// simdjson's DOM parser validates a whole line and is faster here than its on-demand one, which
// would accept a malformed rest of a line that nobody asked for. Lines are cut before it sees them:
// its own splitting drops a truncated last document.
#pragma once

#include <array>
#include <utility>

#include <fmt/format.h>

#include "history/header.hpp"
#include "history/json_value.hpp"
#include "history/reader.hpp"

namespace plumb::native {

using simdjson::dom::element;
using simdjson::dom::element_type;

/// The fields that a line may have.
enum class Field {
  op,
  key,
  type,
  args,
  time,
  call,
  crash,
  order,
  result,
  object,
  returned,
  process,
  history,
  other,
};

inline Field field_of(std::string_view name) {
  switch (name.size()) {
    case 2: return name == "op" ? Field::op : Field::other;
    case 3: return name == "key" ? Field::key : Field::other;
    case 4:
      if (name == "type") return Field::type;
      if (name == "args") return Field::args;
      if (name == "time") return Field::time;
      return name == "call" ? Field::call : Field::other;
    case 5: return name == "crash" ? Field::crash : name == "order" ? Field::order : Field::other;
    case 6:
      if (name == "result") return Field::result;
      if (name == "object") return Field::object;
      return name == "return" ? Field::returned : Field::other;
    case 7:
      return name == "process" ? Field::process : name == "history" ? Field::history : Field::other;
    default: return Field::other;
  }
}

constexpr std::size_t index(Field field) { return static_cast<std::size_t>(field); }

/// The fields of a line. One record serves for all lines, so that a word is cleared for each.
class Record {
 public:
  void clear() { has_ = 0; }
  void set(Field field, element e) {
    fields_[index(field)] = e;
    has_ |= 1u << index(field);
  }
  const element* operator[](Field field) const {
    return has_ & 1u << index(field) ? &fields_[index(field)] : nullptr;
  }

 private:
  std::uint32_t has_ = 0;
  std::array<element, index(Field::other) + 1> fields_;
};

template <class Builder>
class Reader {
 public:
  /// Requires: the builder outlives the reader.
  explicit Reader(Builder& builder) : builder_(builder) {}

  Status line(std::string_view text, std::uint64_t number) {
    line_ = number;
    builder_.at_line(number);
    element root;
    simdjson::dom::object fields;
    const auto bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    simdjson::error_code code = parser_.parse(bytes, text.size(), false).get(root);
    if (!code) code = root.get_object().get(fields);
    if (code) return error(json_error(code), "every line is one JSON object");
    r_.clear();
    text_ = text;
    for (const auto field : fields) {
      const Field known = field_of(field.key);
      if (known != Field::other && r_[known]) return repeated(field.key);
      r_.set(known, field.value);
    }
    const bool first = !std::exchange(begun_, true);
    if (r_[Field::type]) return event(text);
    if (r_[Field::call]) return operation();
    if (r_[Field::history]) return header(root, first);
    return error("neither an event (\"type\"), nor an operation (\"call\"), nor a header",
                 "correct the line, or name another format");
  }

 private:
  Error error(std::string message, std::string remedy) const {
    return bad_input(std::move(message), std::move(remedy), line_);
  }

  Error repeated(std::string_view key) const {
    return error(fmt::format("the key \"{}\" twice in one object", key), kRepeatedKeyRemedy);
  }

  Status value(element e, Value& out) const {
    switch (e.type()) {  // the usual ones here, where they are inlined
      case element_type::INT64: out = Value::integer(e.get_int64().value_unsafe()); return {};
      case element_type::BOOL: out = Value::boolean(e.get_bool().value_unsafe()); return {};
      case element_type::NULL_VALUE: out = Value::nil(); return {};
      default: break;
    }
    if (const auto key = repeated_key(e)) return repeated(*key);
    const std::optional<Value> v = to_value(e);
    if (!v) return error("an integer of more than 64 bits", "write it as a string");
    out = *v;
    return {};
  }

  Status time(Field field, const char* name, std::optional<ClockTime>& out) const {
    const element* e = r_[field];
    if (!e || e->is_null()) return {};
    out = to_clock_time(*e, text_, name);
    if (out) return {};
    return error(fmt::format("\"{}\" is not a number of up to 64 bits", name),
                 "write the clock as a number, with at most 18 digits after the point");
  }

  Status process(ProcessId& out) {
    if (!r_[Field::process])
      return error("no \"process\"", "name the process that calls or returns");
    Value name;
    if (Status s = value(*r_[Field::process], name); !s) return s;
    out = builder_.process(name);
    return {};
  }

  Status object(ObjectId& out) {
    if (!r_[Field::object]) {
      if (unnamed_ == kNone) unnamed_ = builder_.object(Value::nil());
      out = unnamed_;
      return {};
    }
    Value name;
    if (Status s = value(*r_[Field::object], name); !s) return s;
    out = builder_.object(name);
    return {};
  }

  Status call(CallId& out) {
    std::string_view method;
    if (!r_[Field::op] || r_[Field::op]->get_string().get(method) || method.empty())
      return error("no \"op\"", "name the method as a string: \"op\":\"enq\"");
    args_.clear();
    if (r_[Field::key])
      if (Status s = value(*r_[Field::key], args_.emplace_back()); !s) return s;
    if (r_[Field::args] && !r_[Field::args]->is_null()) {
      simdjson::dom::array items;
      if (r_[Field::args]->get_array().get(items))
        return error("\"args\" is not an array", "write \"args\":[7]");
      for (const element item : items)
        if (Status s = value(item, args_.emplace_back()); !s) return s;
    }
    out = builder_.intern_call(method, args_);
    return {};
  }

  Status event(std::string_view text) {
    std::string_view type;
    if (r_[Field::type]->get_string().get(type)) type = {};
    if (type == "note") {
      builder_.note(std::string(trim(text)));
      return {};
    }
    if (type == "stuck") return builder_.stuck();
    if (type != "call" && type != "return" && type != "crash")
      return error("unknown \"type\"", "one of call, return, crash, stuck, note");
    ProcessId p = 0;
    if (Status s = process(p); !s) return s;
    if (type == "crash") return builder_.crashed(p);
    std::optional<ClockTime> at;
    if (Status s = time(Field::time, "time", at); !s) return s;
    if (type == "return") {
      Value result;
      if (r_[Field::result])
        if (Status s = value(*r_[Field::result], result); !s) return s;
      if (Status s = builder_.returned(p, result, at); !s) return s;
      return order();
    }
    ObjectId o = 0;
    CallId c = 0;
    if (Status s = object(o); !s) return s;
    if (Status s = call(c); !s) return s;
    return builder_.call(p, o, c, at);
  }

  Status operation() {
    ProcessId p = 0;
    ObjectId o = 0;
    CallId c = 0;
    Value result;
    std::optional<ClockTime> called, returned;
    if (Status s = process(p); !s) return s;
    if (Status s = object(o); !s) return s;
    if (Status s = call(c); !s) return s;
    if (r_[Field::result])
      if (Status s = value(*r_[Field::result], result); !s) return s;
    if (Status s = time(Field::call, "call", called); !s) return s;
    if (Status s = time(Field::returned, "return", returned); !s) return s;
    if (!called) return error("\"call\" is null", "say when the operation was called");
    bool crashed = false;
    if (r_[Field::crash] && r_[Field::crash]->get_bool().get(crashed))
      return error("\"crash\" is not a boolean", "write \"crash\":true, or leave it out");
    if (crashed && returned)
      return error("an operation that both crashed and returned", "leave one of the two out");
    if (Status s = builder_.timed(p, o, c, result, *called, returned,
                                  crashed ? Fate::crashed : Fate::pending);
        !s)
      return s;
    return order();
  }

  Status order() {
    if (!r_[Field::order] || r_[Field::order]->is_null()) return {};
    std::int64_t number = 0;
    if (r_[Field::order]->get_int64().get(number) || number == History::kNoOrder)
      return error("\"order\" is not a 64-bit integer", "write the revision as a number");
    builder_.order(number);
    return {};
  }

  Status header(element root, bool first) {
    if (!first)
      return error("a header that is not the first line",
                   "a file holds one history; split the file before this line");
    if (const auto key = repeated_key(root)) return repeated(*key);
    Result<Header> header = read_header(root);
    if (!header) {
      header.error().line = line_;
      return std::move(header.error());
    }
    for (Object& o : header->objects) builder_.begin_object(o.name, o.specification, o.initial);
    return {};
  }

  simdjson::dom::parser parser_;
  Record r_;
  Builder& builder_;
  std::vector<Value> args_;
  ObjectId unnamed_ = kNone;  // the object of events that name none
  std::string_view text_;     // of the line
  std::uint64_t line_ = 0;
  bool begun_ = false;
};

}  // namespace plumb::native
