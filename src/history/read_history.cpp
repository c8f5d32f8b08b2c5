// SPDX-License-Identifier: MIT
// Chooses the reader by the contents of the file, never by its name.
#include <algorithm>
#include <array>
#include <new>
#include <ostream>
#include <system_error>

#include <fmt/format.h>

#include "history/reader.hpp"

namespace plumb {
namespace {

struct Format {
  std::string_view name;
  Result<History> (*read)(Input&, const ReadOptions&);
};

constexpr std::array<Format, 6> kFormats{{{"native", read_native},
                                          {"edn", read_edn},
                                          {"jepsen-json", read_jepsen_json},
                                          {"jepsen-log", read_text_log},
                                          {"violin", read_violin},
                                          {"polylin", read_polylin}}};
constexpr std::array<std::string_view, 6> kReadable{
    {"native", "edn", "jepsen-json", "jepsen-log", "violin", "polylin"}};
constexpr std::array<std::string_view, 3> kWritable{{"native", "edn", "violin"}};

bool space(char c) { return is_blank(c) || c == '\n'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

void skip_spaces(std::string_view& text) {
  while (!text.empty() && space(text[0])) text.remove_prefix(1);
}

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return trim(line);
}

/// Whether the first object has one of Jepsen's types. The native ones are others, and so the first
/// "type" decides; a string that contains all this would have its quotes escaped.
std::string_view json_kind(std::string_view text) {
  const std::size_t line = text.find('\n');
  std::size_t at = text.find("\"type\"");
  const std::size_t object_end = text.find('}');
  if (at == std::string_view::npos || (at > object_end && at > line)) return "native";
  std::string_view rest = text.substr(at + 6);
  skip_spaces(rest);
  if (!rest.starts_with(':')) return "native";
  rest.remove_prefix(1);
  skip_spaces(rest);
  for (const std::string_view type : {"\"invoke\"", "\"ok\"", "\"fail\"", "\"info\"", "\":invoke\"",
                                      "\":ok\"", "\":fail\"", "\":info\""})
    if (rest.starts_with(type)) return "jepsen-json";
  return "native";
}

std::string_view bracket_kind(std::string_view text) {
  text.remove_prefix(1);
  if (text.empty()) return "edn";
  if (digit(text[0]) || text[0] == '-') return "violin";
  skip_spaces(text);
  if (!text.starts_with('{')) return "edn";
  text.remove_prefix(1);
  skip_spaces(text);
  return text.starts_with('"') ? "jepsen-json" : "edn";
}

/// "enq 1 3 7"
bool is_polylin(std::string_view line) {
  const std::string_view method = take_word(line);
  if (method.empty() || digit(method[0])) return false;
  int numbers = 0;
  for (; !trim(line).empty(); ++numbers) {
    const std::string_view word = take_word(line);
    if (numbers > 0 && !digit(word[0]) && word[0] != '-' && word != "true" && word != "false")
      return false;
  }
  return numbers == 3 || numbers == 4;
}

bool is_text_log(std::string_view line) {
  for (const std::string_view type : {":invoke", ":ok", ":fail", ":info"}) {
    const std::size_t at = line.find(type);
    const std::size_t end = at + type.size();
    if (at != std::string_view::npos && at > 0 && is_blank(line[at - 1]) && end < line.size() &&
        is_blank(line[end]))
      return true;
  }
  return false;
}

}  // namespace

std::string_view guess_format(std::string_view text) {
  text = without_mark(text);
  skip_spaces(text);
  if (text.empty()) return "";
  if (text[0] == '(' || text[0] == ';') return "edn";
  if (text[0] == '[') return bracket_kind(text);
  if (text[0] == '{') {
    std::string_view rest = text.substr(1);
    skip_spaces(rest);
    return rest.starts_with('"') || rest.starts_with('}') ? json_kind(text) : "edn";
  }
  if (text[0] == '#' && text.size() > 1 && !space(text[1]) && text[1] != '@' && text[1] != '#') {
    // A tag or a dropped form of EDN, unless it is a remark without a blank.
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.find_first_of("{[(") != std::string_view::npos) return "edn";
  }
  for (int i = 0; i < 1000 && !text.empty(); ++i) {
    const std::string_view line = take_line(text);
    if (line.starts_with("# @object") || line.starts_with("#@object")) return "violin";
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '[' && line.size() > 1 && digit(line[1])) return "violin";
    if (is_polylin(line)) return "polylin";
    if (is_text_log(line)) return "jepsen-log";
  }
  return "";
}

namespace {

Result<History> read(Result<std::unique_ptr<Input>> input, const ReadOptions& options) {
  if (!input) return std::move(input.error());
  const std::string_view text = (*input)->block().text();
  const bool blank = std::all_of(text.begin(), text.end(), space);
  if (blank && text.size() < 4096) return bad_input("is empty", "record at least one event");
  const std::string name =
      options.format.empty() ? std::string(guess_format(text)) : options.format;
  for (const Format& format : kFormats)
    if (format.name == name) return format.read(**input, options);
  if (!options.format.empty())
    return Error{ErrorKind::usage, fmt::format("there is no format \"{}\"", name),
                 "one of native, edn, jepsen-json, jepsen-log, violin, polylin"};
  return bad_input("is not a history in any format that this program knows",
                   "name the format if it is one of them, or convert the file to the native one",
                   1);
}

Result<History> named(Result<History> history, const std::string& name) {
  if (history) history->file = name;
  else if (history.error().file.empty()) history.error().file = name;
  return history;
}

template <class Open>
Result<History> guarded(Open open, const ReadOptions& options) {
  try {
    return read(open(), options);
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::internal, "out of memory", "increase its memory limit, or free memory"};
  } catch (const std::system_error& e) {  // no thread to be had
    return Error{ErrorKind::internal, e.what(), "try again when the machine is less busy"};
  }
}

}  // namespace

Result<History> read_history(const std::string& path, const ReadOptions& options) {
  return named(guarded([&] { return Input::open(path, options.line_limit); }, options),
               path == "-" ? "standard input" : path);
}

Result<History> read_history_from(std::string first, int fd, const std::string& name,
                                  const ReadOptions& options) {
  return named(
      guarded([&] { return Input::resume(std::move(first), fd, options.line_limit); }, options),
      name);
}

Result<History> read_history_text(std::string_view text, std::string name,
                                  const ReadOptions& options) {
  return named(guarded([&] { return Input::of_text(text, options.line_limit); }, options), name);
}

Status write_history(const History& history, std::string_view format, std::ostream& out) {
  if (format == "native") return write_native(history, out);
  if (format == "edn") return write_edn(history, out);
  if (format == "violin") return write_violin(history, out);
  return Error{ErrorKind::usage, fmt::format("cannot write the format \"{}\"", format),
               "one of native, edn, violin"};
}

Status written(std::ostream& out) {
  if (out.flush()) return {};
  return Error{ErrorKind::internal, "the output cannot be written", "free some space"};
}

std::span<const std::string_view> readable_formats() { return kReadable; }
std::span<const std::string_view> writable_formats() { return kWritable; }

}  // namespace plumb
