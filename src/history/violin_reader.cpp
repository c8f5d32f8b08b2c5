// SPDX-License-Identifier: MIT
// The text form of Violin and LiMo:
//   # @object atomic-queue
//   [1] call add(1)
//   [1] return
//   [2] call remove
//   [2] return empty
// The number is the operation's; it stands for the process. Blanks before it mean nothing.
#include <charconv>

#include "history/word_reader.hpp"

namespace plumb {
namespace {

class ViolinReader : public WordReader<ViolinReader> {
 public:
  using WordReader::WordReader;

  Status event(std::string_view text) {
    std::int64_t id = 0;
    const auto end = std::from_chars(text.data() + 1, text.data() + text.size(), id);
    if (text[0] != '[' || end.ec != std::errc() || end.ptr == text.data() + text.size() ||
        *end.ptr != ']')
      return error("neither a call nor a return", "write \"[1] call add(1)\" or \"[1] return 1\"");
    text.remove_prefix(static_cast<std::size_t>(end.ptr + 1 - text.data()));
    const std::string_view verb = take_word(text);
    const ProcessId process = builder_.process(Value::integer(id));
    if (verb == "call") return call(process, trim(text));
    if (verb == "return") return builder_.returned(process, value(trim(text)));
    return error("neither \"call\" nor \"return\"", "write one of them after the number");
  }

  Status remark(std::string_view text) {
    if (take_word(text) != "@object") return {};
    std::string_view name = trim(text);
    if (name.starts_with("atomic-")) name.remove_prefix(7);
    if (name.empty()) return error("@object without a name", "write \"# @object queue\"");
    builder_.begin_object(Value::nil(), std::string(name));
    return {};
  }

 private:
  Status call(ProcessId process, std::string_view text) {
    const std::size_t open = text.find('(');
    const std::string_view method = trim(text.substr(0, open));
    if (method.empty() || method.find_first_of(" \t)") != std::string_view::npos)
      return error("a call without a method", "write \"[1] call add(1)\"");
    std::vector<Value> args;
    if (open != std::string_view::npos) {
      if (text.back() != ')')
        return error("a call without its closing bracket", "write \"[1] call add(1)\"");
      std::string_view rest = trim(text.substr(open + 1, text.size() - open - 2));
      while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        args.push_back(value(trim(rest.substr(0, comma))));
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
      }
    }
    return builder_.call(process, builder_.object(Value::nil()),
                         builder_.intern_call(method, args));
  }

  /// An integer, a truth value, or a word; nothing and "empty" are nil.
  static Value value(std::string_view text) {
    if (text.empty() || text == "empty") return Value::nil();
    if (text == "true" || text == "false") return Value::boolean(text == "true");
    return value_of(text);
  }
};

}  // namespace

Result<History> read_violin(Input& input, const ReadOptions& options) {
  return read_lines(ViolinReader(options), input, options);
}

}  // namespace plumb
