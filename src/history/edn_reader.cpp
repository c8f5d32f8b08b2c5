// SPDX-License-Identifier: MIT
// Jepsen's EDN: one map an event, one after the other or in one vector or list.
#include "history/edn.hpp"
#include "history/jepsen.hpp"
#include "history/json_value.hpp"
#include "history/reader.hpp"

namespace plumb {
namespace {

class EdnReader {
 public:
  EdnReader(Input& input, const ReadOptions& options)
      : in_(input), parser_(in_, options.line_limit), history_(options, JepsenDialect::knossos) {}

  Result<History> read() && {
    if (in_.peek() == 0xef)
      for (int i = 0; i < 3; ++i) in_.get();  // a byte order mark
    std::string comment;
    parser_.comment = &comment;
    int open = parser_.next_form();
    parser_.comment = nullptr;
    if (Status s = header(comment); !s) return std::move(s.error());
    if (open == '[' || open == '(') in_.get();
    else open = 0;
    for (;;) {
      parser_.begin_form();
      const int c = parser_.next_form();
      if (c == Characters::kEnd || c == ']' || c == ')') break;
      if (!event()) return std::move(parser_.error());
    }
    const int close = in_.get();
    const int wanted = open == '[' ? ']' : open == '(' ? ')' : Characters::kEnd;
    if (close != wanted || parser_.next_form() != Characters::kEnd) {
      parser_.fail(close == Characters::kEnd ? "the list of events does not end"
                                             : "text after the end of the list of events",
                   "the file is truncated or corrupt: create it again");
    }
    if (!in_.status().ok()) parser_.fail("", "");
    if (!parser_.error().message.empty()) return std::move(parser_.error());
    return std::move(history_).finish();
  }

 private:
  /// A first comment that is a native header says what the events alone do not.
  Status header(const std::string& comment) {
    if (!comment.starts_with("{\"history\"")) return {};
    simdjson::dom::parser json;
    simdjson::dom::element root;
    if (const auto code = json.parse(comment).get(root))
      return bad_input(json_error(code), "correct the header in the comment", 1);
    Result<Header> header = read_header(root);
    if (!header) {
      header.error().line = 1;
      return std::move(header.error());
    }
    history_.header(std::move(*header));
    return {};
  }

  bool event() {
    JepsenEvent e;
    e.line = in_.line();
    if (in_.peek() != '{')
      return parser_.fail("an event is expected here", "write it as a map: {:process 3, ...}");
    in_.get();
    bool has_process = false, has_type = false;
    while (parser_.next_form() != '}') {
      if (in_.peek() == Characters::kEnd)
        return parser_.fail("the text ends within an event", "make the file again");
      if (!parser_.name(name_)) return false;
      if (parser_.next_form() == '}')
        return parser_.fail("a map with a key without a value", "complete the map");
      Value v;
      if (name_ == "process") {
        if (!parser_.value(e.process)) return false;
        has_process = true;
      } else if (name_ == "type") {
        if (!parser_.name(text_)) return false;
        const auto type = jepsen_type(text_);
        if (!type) return parser_.fail("unknown :type", "one of :invoke, :ok, :fail, :info");
        e.type = *type;
        has_type = true;
      } else if (name_ == "f") {
        if (!parser_.value(e.f)) return false;
      } else if (name_ == "value") {
        if (!parser_.value(e.value)) return false;
      } else if (name_ == "key") {
        if (!parser_.value(v)) return false;
        e.key = v;
      } else if (name_ == "time") {
        text_.clear();
        if (!parser_.text(text_)) return false;
        e.time = to_clock_time(text_);
        if (!e.time && text_ != "null")
          return parser_.fail(":time is not a number", "write the clock as a number");
      } else {
        text_.clear();
        if (!parser_.text(text_)) return false;
        if (name_ == "error" && text_ != "null") e.has_error = true;
      }
    }
    in_.get();
    if (!has_process || !has_type || !is_complete(e))
      return parser_.fail("an event without :process, :type or :f", "give it all three");
    history_.add(e);
    return true;
  }

  Characters in_;
  EdnParser parser_;
  JepsenHistory history_;
  std::string name_, text_;
};

}  // namespace

Result<History> read_edn(Input& input, const ReadOptions& options) {
  return EdnReader(input, options).read();
}

}  // namespace plumb
