// SPDX-License-Identifier: MIT
// PolyLin's text form: a header, then one operation a line with clock values.
//   # queue
//   enq 1 3 7          method, value, start, end
//   deq -1 8 9         -1: empty
//   # set
//   insert 5 1 3 7     method, value, result, start, end
// It names no processes: every operation has one of its own. One that ends when another begins
// comes before it, as PolyLin has it.
#include <algorithm>

#include "history/json_value.hpp"
#include "history/word_reader.hpp"

namespace plumb {
namespace {

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class PolylinReader : public WordReader<PolylinReader> {
 public:
  explicit PolylinReader(const ReadOptions& options) : WordReader(options) {
    builder_.equal_times_are_before();
  }

  Status event(std::string_view text) {
    const std::string_view method = take_word(text);
    std::vector<std::string_view> words;
    while (!trim(text).empty() && words.size() < 5) words.push_back(take_word(text));
    if (words.size() != 3 && words.size() != 4)
      return error("an operation has a method, a value, perhaps a result, a start and an end",
                   "write \"enq 1 3 7\"");
    const auto called = to_clock_time(words[words.size() - 2]);
    const auto returned = to_clock_time(words.back());
    if (!called || !returned)
      return error("a start or an end that is not a number", "write \"enq 1 3 7\"");
    const Value operand = value_of(words[0]);
    std::vector<Value> args;
    Value result;
    if (words.size() == 4) {
      args = {operand};
      result = truth(words[1]);
    } else if (one_of(method,
                      {"deq", "dequeue", "pop", "poll", "peek", "read", "front", "top", "size"})) {
      result = operand == Value::integer(-1) && method != "read" ? Value::nil() : operand;
    } else {
      args = {operand};
    }
    const ProcessId process = builder_.process(Value::integer(next_process_++));
    return builder_.timed(process, builder_.object(Value::nil()),
                          builder_.intern_call(method, args), result, *called, returned);
  }

  /// The first remark names the object.
  Status remark(std::string_view name) {
    if (named_ || name.empty()) return {};
    named_ = true;
    if (one_of(name, {"priorityqueue", "priority_queue", "priority-queue", "priority queue"}))
      name = "pqueue";
    builder_.begin_object(Value::nil(), std::string(name));
    return {};
  }

 private:
  static Value truth(std::string_view word) {
    if (one_of(word, {"1", "true"})) return Value::boolean(true);
    if (one_of(word, {"0", "false"})) return Value::boolean(false);
    return value_of(word);
  }

  std::int64_t next_process_ = 0;
  bool named_ = false;
};

}  // namespace

Result<History> read_polylin(Input& input, const ReadOptions& options) {
  return read_lines(PolylinReader(options), input, options);
}

}  // namespace plumb
