// SPDX-License-Identifier: MIT
#include "support/random_history.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace plumb::test {
namespace {

Value access(std::string_view f, std::int64_t k, std::int64_t v) {
  if (f == "r") return Value::list({Value::string(f), Value::integer(k)});
  return Value::list({Value::string(f), Value::integer(k), Value::integer(v)});
}

const std::vector<Value>& small_values() {
  static const std::vector<Value> values = {Value::integer(0), Value::integer(1),
                                            Value::integer(2)};
  return values;
}

// Among them transactions, for the specifications that have some.
const std::vector<Value>& rare_values() {
  static const std::vector<Value> values = {Value::nil(),
                                            Value::boolean(true),
                                            Value::integer(-1),
                                            Value::integer(7),
                                            Value::string("a"),
                                            Value::string("b"),
                                            Value::list({Value::integer(1), Value::integer(1)}),
                                            Value::list({access("r", 1, 0)}),
                                            Value::list({access("r", 1, 0), access("r", 2, 0)}),
                                            Value::list({access("w", 1, 1)}),
                                            Value::list({access("w", 1, 1), access("w", 2, 1)}),
                                            Value::list({access("r", 1, 0), access("w", 1, 2)}),
                                            Value::list({access("r", 1, 0), access("w", 2, 2)})};
  return values;
}

// All lists of n of these values.
std::vector<std::vector<Value>> tuples(const std::vector<Value>& values, std::size_t n) {
  std::vector<std::vector<Value>> all = {{}};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::vector<Value>> longer;
    for (const auto& tuple : all)
      for (const Value v : values) {
        longer.push_back(tuple);
        longer.back().push_back(v);
      }
    all = std::move(longer);
  }
  return all;
}

void must(const Status& status) {
  if (!status) throw std::logic_error(status.error().to_string());
}

}  // namespace

RandomHistories::RandomHistories(const Specification& specification)
    : specification_(specification) {
  const auto methods = specification.methods();
  for (MethodId m = 0; m < methods.size(); ++m) {
    Kind kind;
    blocks_ = blocks_ || methods[m].blocks;
    const auto legal = [&](const std::vector<Value>& args) {
      return specification.reject({m, args, {}, false}).empty();
    };
    for (auto& args : tuples(small_values(), methods[m].args.size()))
      if (legal(args)) kind.args.push_back(std::move(args));
    std::vector<Value> all = small_values();
    all.insert(all.end(), rare_values().begin(), rare_values().end());
    for (auto& args : tuples(all, methods[m].args.size()))
      if (legal(args)) kind.rare_args.push_back(std::move(args));
    if (kind.args.empty()) kind.args = kind.rare_args;
    if (kind.args.empty()) throw std::logic_error("no arguments for " + methods[m].name);
    kinds_.push_back(std::move(kind));
  }
  for (const Value v :
       {Value::integer(1), Value::integer(2), Value::boolean(true),
        Value::list({Value::integer(1)}), Value::list({Value::integer(2), Value::integer(1)}),
        Value::list({Value::integer(1), Value::integer(2), Value::integer(1)})})
    if (specification.reject_initial(v).empty()) initials_.push_back(v);

  // A long walk shows which results there are.
  Random random(1);
  const auto space = specification.states({});
  StateId state = space->initial();
  for (int i = 0; i < 400; ++i) {
    const auto m = static_cast<MethodId>(random.below(kinds_.size()));
    const BoundLabel call{m, random.pick(kinds_[m].args), {}, false};
    const std::vector<Value> results = space->results(state, call);
    for (const Value v : results)
      if (kinds_[m].results.size() < 6 && std::ranges::count(kinds_[m].results, v) == 0)
        kinds_[m].results.push_back(v);
    std::vector<StateId> next;
    space->step(state, call, next);
    if (!next.empty()) state = random.pick(next);
    if (random.percent(5)) state = space->initial();
  }
}

class RandomHistories::Run {
 public:
  Run(const RandomHistories& source, std::uint64_t seed, const RandomOptions& options)
      : source_(source), spec_(source.specification_), random_(seed), options_(options) {}

  History make() {
    if (!source_.initials_.empty() && random_.percent(20))
      initial_ = random_.pick(source_.initials_);
    if (options_.one_key) key_ = random_.pick(small_values());
    stuck_ = !options_.plain && random_.percent(source_.blocks_ ? 20 : 3);
    for (MethodId m = 0; m < source_.kinds_.size(); ++m)
      if (options_.methods.empty() ||
          std::ranges::count(options_.methods, spec_.methods()[m].name) > 0)
        methods_.push_back(m);
    simulate();
    if (random_.percent(50))
      for (std::size_t times = random_.between(1, 2); times > 0; --times) spoil();
    if (options_.unrecorded > 0) forget_results(options_.unrecorded);
    else if (!options_.plain && random_.percent(10)) forget_results(30);
    return !options_.plain && random_.percent(15) ? build_timed() : build();
  }

 private:
  static constexpr std::int64_t kNever = INT64_MAX;
  struct Op {
    std::size_t process = 0;
    MethodId method = 0;
    std::vector<Value> args;
    Value result;
    std::int64_t call = 0, ret = kNever;  // times; ten apart, so that there is room
    bool crashed = false;
    bool took_effect = false;
  };
  struct Process {
    std::size_t open = SIZE_MAX;  // operation
    bool gone = false;
  };

  std::int64_t tick() { return now_ += 10; }
  bool open(const Process& p) const { return p.open != SIZE_MAX; }

  void call(std::size_t process) {
    Op op;
    op.process = process;
    do {
      op.method = random_.pick(methods_);
      op.args = random_args(op.method);
    } while (process >= options_.most_writers && added_argument(op) != SIZE_MAX);
    if (const std::size_t i = added_argument(op); options_.distinct && i != SIZE_MAX) {
      if (!random_.percent(1)) op.args[i] = Value::integer(100 + static_cast<int>(added_.size()));
      added_.push_back(op.args[i]);
    }
    op.call = tick();
    processes_[process].open = ops_.size();
    ops_.push_back(std::move(op));
  }
  std::vector<Value> random_args(MethodId method) {
    const Kind& kind = source_.kinds_[method];
    std::vector<Value> args =
        random_.pick(random_.percent(options_.distinct ? 0 : 4) ? kind.rare_args : kind.args);
    if (options_.one_key)
      for (const std::size_t i : spec_.methods()[method].key_args) args[i] = key_;
    return args;
  }
  // Which argument is the value that the operation adds.
  std::size_t added_argument(const Op& op) const {
    const auto added = spec_.traffic({op.method, op.args, {}, false}).adds;
    for (std::size_t i = op.args.size(); added && i-- > 0;)
      if (op.args[i] == *added) return i;
    return SIZE_MAX;
  }

  // With distinct values a cas would hardly ever succeed, did it not know what is there.
  void expect_what_is_there(Op& op) {
    std::vector<Value> guesses = small_values();
    guesses.insert(guesses.end(), added_.rbegin(), added_.rend());
    for (const Value guess : guesses) {
      op.args[op.args.size() - 2] = guess;
      if (space_->results(state_, {op.method, op.args, {}, false}).front().as_boolean()) return;
    }
  }

  /// Returns: whether it could; else it is blocked.
  bool take_effect(Op& op) {
    if (options_.distinct && name(op) == "cas" && !random_.percent(2)) expect_what_is_there(op);
    const std::vector<Value> results = space_->results(state_, {op.method, op.args, {}, false});
    if (results.empty()) return false;
    op.result = random_.pick(results);
    std::vector<StateId> next;
    space_->step(state_, {op.method, op.args, op.result, true}, next);
    state_ = random_.pick(next);
    return op.took_effect = true;
  }
  void finish(Process& p) {
    ops_[p.open].ret = tick();
    p.open = SIZE_MAX;
  }

  void simulate() {
    space_ = spec_.states(initial_);
    state_ = space_->initial();
    processes_.resize(random_.between(2, options_.most_processes));
    const std::size_t wanted = std::max(random_.between(options_.fewest, options_.most),
                                        random_.between(options_.fewest, options_.most));
    const bool leaves_some = random_.percent(35);
    std::size_t idle_turns = 0;
    while (idle_turns < 4 * processes_.size()) {
      ++idle_turns;
      const std::size_t i = random_.below(processes_.size());
      Process& p = processes_[i];
      if (p.gone) continue;
      if (!open(p)) {
        if (ops_.size() >= wanted) {
          if (leaves_some && random_.percent(30)) break;
          continue;
        }
        call(i);
      } else if (random_.percent(3)) {
        ops_[p.open].crashed = true;
        p = {SIZE_MAX, true};
      } else if (ops_[p.open].took_effect) {
        finish(p);
      } else if (!take_effect(ops_[p.open])) {
        continue;
      }
      idle_turns = 0;
    }
    if (stuck_) end_stuck();
    else
      for (Process& p : processes_)
        if (open(p) && random_.percent(30)) ops_[p.open].crashed = true;
  }

  // Whoever can go on does; then whatever blocks in the final state may be called once more.
  void end_stuck() {
    for (bool again = true; again;) {
      again = false;
      for (Process& p : processes_)
        if (open(p) && (ops_[p.open].took_effect || take_effect(ops_[p.open]))) {
          finish(p);
          again = true;
        }
    }
    const bool careless = random_.percent(20);
    for (std::size_t i = 0; i < processes_.size() && ops_.size() < options_.most; ++i) {
      if (processes_[i].gone || open(processes_[i]) || random_.percent(60)) continue;
      call(i);
      const Op& op = ops_.back();
      if (careless || space_->results(state_, {op.method, op.args, {}, false}).empty()) continue;
      ops_.pop_back();
      processes_[i].open = SIZE_MAX;
    }
  }

  void spoil() {
    if (ops_.empty()) return;
    const std::size_t i = random_.below(ops_.size());
    Op& op = ops_[i];
    const Kind& kind = source_.kinds_[op.method];
    if (op.ret == kNever) {
      if (op.crashed) return;
      op.ret = tick();  // it returned after all
      if (!op.took_effect) op.result = plausible(op);
      return;
    }
    switch (random_.below(kind.results.size() > 1 ? 8 : 4)) {
      case 0: ops_.erase(ops_.begin() + static_cast<std::ptrdiff_t>(i)); return;
      case 1: op.call = op.ret - 3; return;
      case 2: op.ret = op.call + 3; return;
      case 3: {
        Op& other = ops_[random_.below(ops_.size())];
        if (other.ret == kNever) return;
        std::swap(op.method, other.method);
        std::swap(op.args, other.args);
        std::swap(op.result, other.result);
        return;
      }
      default: op.result = plausible(op);
    }
  }
  Value plausible(const Op& op) {
    const Kind& kind = source_.kinds_[op.method];
    if (options_.distinct && !added_.empty() && kind.results.size() > 1 &&
        !spec_.methods()[op.method].returns_nothing && !kind.results.front().is_boolean() &&
        random_.percent(80))
      return random_.pick(added_);
    return kind.results.empty() ? Value::nil() : random_.pick(kind.results);
  }

  HistoryBuilder begin() const {
    HistoryBuilder builder;
    builder.begin_object(Value::nil(), spec_.name(), initial_);
    return builder;
  }
  const std::string& name(const Op& op) const { return spec_.methods()[op.method].name; }
  History end(HistoryBuilder builder) const {
    if (stuck_) must(builder.stuck());
    Result<History> history = std::move(builder).finish();
    if (!history) throw std::logic_error(history.error().to_string());
    return std::move(*history);
  }

  void forget_results(std::size_t percent) {
    for (Op& op : ops_)
      if (op.ret != kNever && spec_.methods()[op.method].nil_is_unrecorded &&
          random_.percent(percent))
        op.result = Value::nil();
  }

  History build() const {
    std::vector<std::tuple<std::int64_t, std::size_t, bool>> events;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      events.emplace_back(ops_[i].call, i, false);
      if (ops_[i].ret != kNever) events.emplace_back(ops_[i].ret, i, true);
    }
    std::sort(events.begin(), events.end());
    HistoryBuilder builder = begin();
    for (const auto& [time, i, is_return] : events) {
      const Op& op = ops_[i];
      const ProcessId p = builder.process(Value::integer(static_cast<std::int64_t>(op.process)));
      if (is_return) must(builder.returned(p, op.result));
      else must(builder.call(p, 0, builder.intern_call(name(op), op.args)));
    }
    for (const Op& op : ops_)
      if (op.crashed)
        must(builder.crashed(
            builder.process(Value::integer(static_cast<std::int64_t>(op.process)))));
    return end(std::move(builder));
  }

  // Clocks that err: a process seems to call before its last operation returned.
  History build_timed() {
    HistoryBuilder builder = begin();
    for (Op& op : ops_) {
      if (random_.percent(40)) op.call -= static_cast<std::int64_t>(10 * random_.below(6));
      if (op.ret != kNever && random_.percent(40))
        op.ret += static_cast<std::int64_t>(10 * random_.below(6));
    }
    for (const Op& op : ops_) {
      const ProcessId p = builder.process(Value::integer(static_cast<std::int64_t>(op.process)));
      const auto ret = op.ret == kNever ? std::nullopt : std::optional(ClockTime{op.ret, 0});
      must(builder.timed(p, 0, builder.intern_call(name(op), op.args), op.result, {op.call, 0}, ret,
                         op.crashed ? Fate::crashed : Fate::pending));
    }
    return end(std::move(builder));
  }

  const RandomHistories& source_;
  const Specification& spec_;
  Random random_;
  const RandomOptions& options_;
  std::optional<Value> initial_;
  Value key_;  // if there is only one
  bool stuck_ = false;
  std::unique_ptr<StateSpace> space_;
  StateId state_ = 0;
  std::vector<Process> processes_;
  std::vector<Op> ops_;
  std::vector<MethodId> methods_;
  std::vector<Value> added_;  // if they are distinct
  std::int64_t now_ = 0;
};

History RandomHistories::make(std::uint64_t seed, const RandomOptions& options) const {
  return Run(*this, seed, options).make();
}

}  // namespace plumb::test
