// SPDX-License-Identifier: MIT
// Jepsen's events as JSON: objects one after the other, or in one array; also over several lines.
// Objects are cut out of the text first, so that memory holds one of them at a time.
#include <fmt/format.h>

#include "history/jepsen.hpp"
#include "history/json_value.hpp"
#include "history/reader.hpp"

namespace plumb {

using simdjson::dom::element;

namespace {

class JsonReader {
 public:
  JsonReader(Input& input, const ReadOptions& options)
      : in_(input), limit_(options.line_limit), history_(options, JepsenDialect::knossos) {
    // Below the native format's depth, in which a value is an argument: two levels more.
    allocated_ = parser_.allocate(1024, simdjson::DEFAULT_MAX_DEPTH - 8);
  }

  Result<History> read() && {
    if (allocated_ != simdjson::SUCCESS) return Error{ErrorKind::internal, "out of memory"};
    if (in_.peek() == 0xef)
      for (int i = 0; i < 3; ++i) in_.get();  // a byte order mark
    bool array = false, comma = true;         // comma: an object may follow
    int c;
    while ((c = next()) != Characters::kEnd) {
      line_ = in_.line();
      if (c == '{' && comma) {
        if (Status s = cut(); !s) return std::move(s.error());
        if (Status s = event(); !s) return std::move(s.error());
        comma = !array;
        begun_ = true;
      } else if (c == '[' && !begun_ && !array) {
        array = true;
        in_.get();
      } else if (c == ',' && array && !comma) {
        comma = true;
        in_.get();
      } else if (c == ']' && array && (!comma || !begun_)) {
        in_.get();
        if (next() != Characters::kEnd)
          return error("text after the end of the array", "remove it");
        if (!in_.status().ok()) break;
        return std::move(history_).finish();
      } else {
        return error("not a JSON object", "every event is one JSON object");
      }
    }
    if (!in_.status().ok()) return std::move(in_.status().error());
    if (array) {
      line_ = in_.line();
      return error("the array of events does not end", "the file is truncated: create it again");
    }
    return std::move(history_).finish();
  }

 private:
  Error error(std::string message, std::string remedy) const {
    return bad_input(std::move(message), std::move(remedy), line_);
  }

  int next() {
    int c;
    while ((c = in_.peek()) == ' ' || c == '\t' || c == '\r' || c == '\n') in_.get();
    return c;
  }

  /// Takes the text from one brace to the one that closes it.
  Status cut() {
    text_.clear();
    int depth = 0;
    bool quoted = false;
    do {
      const int c = in_.get();
      if (c == Characters::kEnd) {
        if (!in_.status().ok()) return std::move(in_.status());
        return error("an object that does not end", "the file is truncated: create it again");
      }
      if (text_.size() >= limit_)
        return error(fmt::format("an object of more than {} bytes", limit_), "split it");
      text_ += static_cast<char>(c);
      if (quoted && c == '\\') {
        const int escaped = in_.get();
        if (escaped != Characters::kEnd) text_ += static_cast<char>(escaped);
      } else if (c == '"') {
        quoted = !quoted;
      } else if (!quoted && (c == '{' || c == '[')) {
        ++depth;
      } else if (!quoted && (c == '}' || c == ']')) {
        --depth;
      }
    } while (depth > 0);
    return {};
  }

  Status event() {
    element root;
    text_.reserve(text_.size() + simdjson::SIMDJSON_PADDING);
    const auto bytes = reinterpret_cast<const std::uint8_t*>(text_.data());
    if (const auto code = parser_.parse(bytes, text_.size(), false).get(root))
      return error(json_error(code), "every event is one JSON object");
    if (const auto key = repeated_key(root))
      return error(fmt::format("the key \"{}\" twice in one object", *key), kRepeatedKeyRemedy);
    const simdjson::dom::object fields = root.get_object().value_unsafe();
    JepsenEvent e;
    e.line = line_;
    bool has_process = false, has_type = false;
    for (const auto field : fields) {
      const auto value = [&](Value& out) -> Status {
        const std::optional<Value> v = to_value(field.value);
        if (!v) return error("an integer of more than 64 bits", "write it as a string");
        out = *v;
        return {};
      };
      Status status;
      if (field.key == "process") {
        status = value(e.process);
        has_process = true;
      } else if (field.key == "type") {
        std::string_view name;
        const auto type = field.value.get(name) ? std::nullopt : jepsen_type(name);
        if (!type) return error("unknown \"type\"", "one of invoke, ok, fail, info");
        e.type = *type;
        has_type = true;
      } else if (field.key == "f") {
        status = value(e.f);
      } else if (field.key == "value") {
        status = value(e.value);
      } else if (field.key == "key") {
        status = value(e.key.emplace());
      } else if (field.key == "time") {
        e.time = to_clock_time(field.value, text_, "time");
        if (!e.time && !field.value.is_null())
          return error("\"time\" is not a number of up to 64 bits",
                       "write the clock as a number, with at most 18 digits after the point");
      } else if (field.key == "error") {
        e.has_error = !field.value.is_null();
      }
      if (!status) return status;
    }
    if (e.f.is_string() && e.f.as_text().starts_with(':'))
      e.f = Value::string(e.f.as_text().substr(1));
    if (!has_process || !has_type || !is_complete(e))
      return error("an event without \"process\", \"type\" or \"f\"", "give it all three");
    history_.add(e);
    return {};
  }

  Characters in_;
  std::size_t limit_;
  JepsenHistory history_;
  simdjson::dom::parser parser_;
  simdjson::error_code allocated_;
  std::string text_;
  std::uint64_t line_ = 0;
  bool begun_ = false;
};

}  // namespace

Result<History> read_jepsen_json(Input& input, const ReadOptions& options) {
  return JsonReader(input, options).read();
}

}  // namespace plumb
