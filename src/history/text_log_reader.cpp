// SPDX-License-Identifier: MIT
// Jepsen's text log: lines of other loggers among
//   INFO  jepsen.util - 3   :invoke :cas    [1 2]
//   INFO  jepsen.util - 3   :info   :cas    :timed-out
// that is, blank-separated: a process, a type, a method, a value, and perhaps why it failed.
#include <algorithm>

#include "history/edn.hpp"
#include "history/jepsen.hpp"
#include "history/reader.hpp"

namespace plumb {
namespace {

/// Where the line has a type as a word of its own: the process before it, and what follows.
bool find_event(std::string_view line, std::string_view& process, JepsenEvent::Type& type,
                std::string_view& rest) {
  std::string_view before;
  for (rest = line; !trim(rest).empty();) {
    const std::string_view word = take_word(rest);
    if (word.starts_with(':') && !before.empty()) {
      if (const auto t = jepsen_type(word)) {
        process = before;
        type = *t;
        return true;
      }
    }
    before = word;
  }
  return false;
}

bool is_process(std::string_view word) {
  if (word.starts_with(':')) return word.size() > 1;
  if (word.starts_with('-')) word.remove_prefix(1);
  return !word.empty() && word.size() < 19 &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Status read_event(std::string_view line, std::uint64_t number, std::size_t limit,
                  JepsenHistory& history) {
  JepsenEvent e;
  std::string_view process, rest;
  if (!find_event(line, process, e.type, rest)) return {};
  const std::string_view method = trim(rest);
  // Anybody may log a keyword; an event has a process before it and a method after it.
  if (!is_process(process) || method.size() < 2 || method[0] != ':') return {};
  e.line = number;
  Characters process_text(process), rest_text(rest);
  EdnParser process_parser(process_text, limit), parser(rest_text, limit);
  const auto failed = [&](EdnParser& p) {
    p.error().line = number;
    return std::move(p.error());
  };
  if (!process_parser.value(e.process)) return failed(process_parser);
  std::string f;
  if (!parser.name(f)) return failed(parser);
  e.f = Value::string(f);
  if (parser.next_form() != Characters::kEnd && !parser.value(e.value)) return failed(parser);
  Value error;
  if (parser.next_form() != Characters::kEnd && !parser.value(error)) return failed(parser);
  if (!parser.error().message.empty()) return failed(parser);
  e.has_error = !error.is_nil();
  history.add(e);
  return {};
}

}  // namespace

Result<History> read_text_log(Input& input, const ReadOptions& options) {
  JepsenHistory history(options, JepsenDialect::log);
  Lines lines(input, options.line_limit);
  for (std::string_view line; lines.next(line);) {
    Status s = read_event(line, lines.number(), options.line_limit, history);
    if (!s) return std::move(s.error());
  }
  if (!lines.status().ok()) return std::move(lines.status().error());
  return std::move(history).finish();
}

}  // namespace plumb
