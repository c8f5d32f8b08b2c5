// SPDX-License-Identifier: MIT
#include "support/history_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>
#include <vector>

namespace plumb::test {
namespace {

class Parser {
 public:
  Parser(std::string_view text, std::string specification, std::optional<Value> initial)
      : text_(text), specification_(std::move(specification)), initial_(initial) {
    builder_.begin_object(Value::nil(), specification_, initial_);
  }

  History run() {
    for (skip_space(); !at_end(); skip_space()) {
      if (!accept("//")) event();
      if (at_end()) break;
      while (!at_end() && text_[at_] != '|') ++at_;
      accept("|");
    }
    Result<History> history = std::move(builder_).finish();
    if (!history) fail(history.error().to_string());
    return std::move(*history);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument(fmt::format("\"{}\", column {}: {}", text_, at_ + 1, what));
  }
  void must(const Status& status) const {
    if (!status) fail(status.error().to_string());
  }
  bool at_end() const { return at_ == text_.size(); }
  void skip_space() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool accept(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("expected '{}'", token));
  }
  // Names of processes, objects and methods; numbers; true, false, nil.
  std::string_view word() {
    skip_space();
    const std::size_t begin = at_;
    while (!at_end() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' ||
            (text_[at_] == '-' && at_ + 1 < text_.size() &&
             std::isalnum(static_cast<unsigned char>(text_[at_ + 1])))))
      ++at_;
    if (begin == at_) fail("expected a word");
    return text_.substr(begin, at_ - begin);
  }
  static Value named(std::string_view word) {
    std::int64_t i = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), i);
    if (error == std::errc{} && end == word.data() + word.size()) return Value::integer(i);
    return Value::string(word);
  }
  Value value() {
    if (accept("[")) {
      std::vector<Value> items;
      while (!accept("]")) {
        if (!items.empty()) expect(",");
        items.push_back(value());
      }
      return Value::list(items);
    }
    if (accept("\"")) {
      const std::size_t end = text_.find('"', at_);
      if (end == text_.npos) fail("string without an end");
      const Value string = Value::string(text_.substr(at_, end - at_));
      at_ = end + 1;
      return string;
    }
    const std::string_view w = word();
    if (w == "nil" || w == "null") return Value::nil();
    if (w == "true" || w == "false") return Value::boolean(w == "true");
    if (!at_end() && text_[at_] == '.') {
      ++at_;
      return Value::real(std::stod(std::string(w) + "." + std::string(word())));
    }
    return named(w);
  }
  ClockTime time() {
    std::int64_t t = 0;
    skip_space();
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), t);
    if (error != std::errc{}) fail("expected a time");
    at_ = static_cast<std::size_t>(end - text_.data());
    return {t, 0};
  }

  void event() {
    if (accept("#")) return must(builder_.stuck());
    const ProcessId process = builder_.process(named(word()));
    if (accept("!")) return must(builder_.crashed(process));
    if (accept(":")) return must(builder_.returned(process, value()));
    std::string_view method = word();
    ObjectId object = 0;
    if (accept(".")) {
      object = builder_.object(named(method));
      builder_.begin_object(named(method), specification_, initial_);
      method = word();
    }
    std::vector<Value> args;
    if (accept("("))
      while (!accept(")")) {
        if (!args.empty()) expect(",");
        args.push_back(value());
      }
    const CallId call = builder_.intern_call(method, args);
    const bool returns = accept(":");
    const Value result = returns ? value() : Value::nil();
    if (accept("@")) {
      const ClockTime called = time();
      if (returns) {
        expect("-");
        return must(builder_.timed(process, object, call, result, called, time()));
      }
      const Fate fate = accept("!") ? Fate::crashed : Fate::pending;
      if (fate == Fate::pending) expect("-");
      return must(builder_.timed(process, object, call, result, called, std::nullopt, fate));
    }
    must(builder_.call(process, object, call));
    if (returns) must(builder_.returned(process, result));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string specification_;
  std::optional<Value> initial_;
  HistoryBuilder builder_;
};

std::string to_text(Value v) {
  if (v.is_nil()) return "nil";
  if (v.is_list()) {
    std::string text;
    for (const Value item : v.as_list()) text += (text.empty() ? "" : ", ") + to_text(item);
    return "[" + text + "]";
  }
  return v.to_string();
}
std::string name_text(Value v) { return v.is_string() ? std::string(v.as_text()) : v.to_string(); }

std::string call_text(const History& h, OperationId op) {
  const Call call = h.call_of(op);
  std::string args;
  for (const Value v : call.args) args += (args.empty() ? "" : ", ") + to_text(v);
  const Value object = h.objects[h.object[op]].name;
  return fmt::format("{} {}{}{}", name_text(h.processes[h.process[op]]),
                     object.is_nil() ? "" : name_text(object) + ".", call.method,
                     args.empty() ? "" : "(" + args + ")");
}

std::string timed_text(const History& h, OperationId op) {
  const std::string call = call_text(h, op);
  if (!h.returned(op))
    return fmt::format("{} @{}{}", call, h.call_time[op].whole,
                       h.fate[op] == Fate::crashed ? "!" : "-");
  return fmt::format("{}: {} @{}-{}", call, to_text(h.labels[h.label[op]].result),
                     h.call_time[op].whole, h.return_time[op].whole);
}

}  // namespace

History parse_history(std::string_view text, std::string specification,
                      std::optional<Value> initial) {
  return Parser(text, std::move(specification), initial).run();
}

std::string to_text(const History& h) {
  std::vector<std::string> parts;
  if (!h.call_time.empty()) {
    // The builder numbers operations by their calls, and those of one process keep their order.
    for (OperationId op = 0; op < h.size(); ++op) parts.push_back(timed_text(h, op));
  } else {
    for (std::size_t i = 0; i < h.events.size(); ++i) {
      const OperationId op = h.events[i].operation();
      if (h.events[i].is_return()) {
        parts.push_back(fmt::format("{}: {}", name_text(h.processes[h.process[op]]),
                                    to_text(h.labels[h.label[op]].result)));
        continue;
      }
      parts.push_back(call_text(h, op));
      if (h.ret[op] == i + 1) {
        parts.back() += ": " + to_text(h.labels[h.label[op]].result);
        ++i;
      }
    }
    for (OperationId op = 0; op < h.size(); ++op)
      if (h.fate[op] == Fate::crashed) parts.push_back(name_text(h.processes[h.process[op]]) + "!");
  }
  if (h.stuck) parts.push_back("#");
  return fmt::format("{}", fmt::join(parts, " | "));
}

Problem make_problem(const History& history, const Specification& specification) {
  Problem problem;
  problem.specification = &specification;
  problem.initial = history.objects[0].initial;
  problem.stuck = history.stuck;
  problem.events = history.events;
  std::vector<LabelId> number;  // two labels may bind to one
  for (const Label& label : history.labels) {
    const Call call = history.calls[label.call];
    const auto method = specification.find(call.method);
    if (!method) throw std::invalid_argument("no method " + std::string(call.method));
    BoundLabel bound{*method, call.args, label.result, label.known};
    if (const std::string why = specification.reject(bound); !why.empty())
      throw std::invalid_argument(why);
    const Method& m = specification.methods()[*method];
    if (m.returns_nothing) bound.result = Value::nil(), bound.known = true;
    else if (m.nil_is_unrecorded && label.result.is_nil()) bound.known = false;
    const auto same = std::ranges::find_if(problem.labels, [&](const BoundLabel& other) {
      return other.method == bound.method && other.known == bound.known &&
             other.result == bound.result && std::ranges::equal(other.args, bound.args);
    });
    number.push_back(static_cast<LabelId>(same - problem.labels.begin()));
    if (same != problem.labels.end()) continue;
    problem.labels.push_back(bound);
    problem.pure.push_back(specification.pure(bound));
  }
  for (OperationId op = 0; op < history.size(); ++op) {
    Problem::Op o;
    o.label = number[history.label[op]];
    o.call = history.call[op];
    o.ret = history.ret[op];
    o.after = history.after_of(op);
    o.source = op;
    o.judged = history.stuck && history.fate[op] == Fate::pending;
    problem.ops.push_back(o);
  }
  return problem;
}

Answer decide_verified(const std::string& engine, const Problem& problem,
                       const EngineOptions& options) {
  Budget budget;
  Answer answer = decide(engine, problem, budget, options);
  complete(answer);
  if (answer.verdict == Verdict::holds)
    if (const std::string wrong = verify_witness(problem, answer); !wrong.empty())
      throw std::logic_error(engine + ": " + wrong);
  return answer;
}

Verdict verdict(const Problem& problem) {
  const Verdict expected = decide_verified("brute", problem).verdict;
  const auto& general = general_engines();
  for (const std::string& engine : engine_names()) {
    const Verdict v = decide_verified(engine, problem).verdict;
    if (v == Verdict::undecided && std::ranges::count(general, engine) == 0) continue;
    if (v != expected)
      throw std::logic_error(
          fmt::format("brute says {}, {} says {}", to_string(expected), engine, to_string(v)));
  }
  return expected;
}

const std::vector<std::string>& general_engines() {
  static const std::vector<std::string> names = {"brute", "wgl", "jit", "auto"};
  return names;
}

}  // namespace plumb::test
