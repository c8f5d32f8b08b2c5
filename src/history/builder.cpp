// SPDX-License-Identifier: MIT
// Builds a history in one pass.
//
// Events in real-time order are appended as they come. A return needs no search: every process
// knows its open operation.
//
// Operations with clock values are sorted at the end, O(n log n). Intervals are closed, so of two
// ends at the same time a call comes before a return: the two operations overlap. What a process
// did one after the other must stay so whatever its clock says, hence, for the operations
// o_1, o_2, ... of one process in file order,
//     call'(o_k) = min { call(o_j) : j >= k },   return'(o_k) = max { return(o_j) : j <= k }.
// This widens intervals only, so no order between processes is invented; it makes calls and
// returns of one process monotone; and where o_k and o_{k+1} now overlap, `after` keeps their
// order. A skew D between the clocks of two processes widens every interval by D at both ends
// first: then a happens before b only where return(a) + D < call(b) - D.
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/flat_index.hpp"
#include "history/clock_time.hpp"
#include "history/print.hpp"
#include "plumb/history.hpp"

namespace plumb {
namespace {

constexpr std::size_t kMostOperations = 0x7ffffffe;  // an Event has 31 bits for its operation
constexpr std::size_t kSmallProcess = 1 << 16;       // names below are looked up in an array

std::uint64_t combine(std::uint64_t a, std::uint64_t b) {
  a = (a ^ b) * 0x9e3779b97f4a7c15u;
  return a ^ a >> 29;
}

struct End {
  ClockTime time;
  std::uint32_t operation;
  std::uint32_t rank;  // among those of one time
  friend bool operator<(const End& a, const End& b) {
    return std::tie(a.time.whole, a.time.part, a.rank, a.operation) <
           std::tie(b.time.whole, b.time.part, b.rank, b.operation);
  }
  bool earlier_than(const End& other) const {
    return std::tie(time.whole, time.part, rank) <
           std::tie(other.time.whole, other.time.part, other.rank);
  }
};

// At one time calls come before returns, so that the operations overlap; or, where equal times mean
// "before", returns before calls, and in between those operations that take no time at all.
std::uint32_t rank_of_call(bool equal_is_before, bool takes_no_time) {
  return !equal_is_before ? 0 : takes_no_time ? 1 : 3;
}
std::uint32_t rank_of_return(bool equal_is_before, bool takes_no_time) {
  return !equal_is_before ? 1 : takes_no_time ? 2 : 0;
}

}  // namespace

struct HistoryBuilder::State {
  enum class Form { none, events, timed };

  struct Process {
    OperationId open = kNone;
    bool gone = false;
  };

  History h;
  Form form = Form::none;
  std::uint32_t line = 0;
  OperationId latest = kNone;          // the operation that was just called, returned or timed
  std::vector<Process> open;           // by process
  std::vector<ProcessId> small_names;  // by integer name
  std::unordered_map<Value, ProcessId> names;  // all other names
  std::unordered_map<Value, ObjectId> object_names;
  FlatIndex label_index, call_index;
  std::vector<OperationId> cancelled;
  std::vector<std::uint32_t> note_operation;  // how many operations came before the note
  std::optional<ClockTime> skew;
  bool equal_is_before = false;
  bool takes_no_time(OperationId op) const {
    return h.fate[op] == Fate::returned && h.call_time[op] == h.return_time[op];
  }
  std::uint32_t untimed_line = kNone;  // of the first event without a time

  Error error(std::string message, std::string remedy) const {
    return {ErrorKind::bad_input, std::move(message), std::move(remedy), {}, line};
  }

  Error clock_error(const std::string& call, ClockTime called, ClockTime returned) const {
    return error(fmt::format("{} returns at {}, before its call at {}", call, to_string(returned),
                             to_string(called)),
                 "exchange them, or correct the clock");
  }

  std::string process_name(ProcessId p) const { return h.processes[p].to_string(); }

  // The call of an operation stands in `label` until its result is known.
  std::string describe(OperationId op) const {
    const std::string text = to_string(h.calls[h.label[op]]);
    return h.line[op] ? fmt::format("{} of line {}", text, h.line[op]) : text;
  }

  LabelId intern_label(const Label& label) {
    const std::uint64_t hash =
        combine(combine(label.call, label.result.hash()), label.known ? 1 : 2);
    const auto next = static_cast<LabelId>(h.labels.size());
    const LabelId id = label_index.find_or_insert(
        hash, next, [&](std::uint32_t i) { return h.labels[i] == label; });
    if (id == next) h.labels.push_back(label);
    return id;
  }

  void end_without_result(OperationId op, Fate fate) {
    h.fate[op] = fate;
    h.label[op] = intern_label({h.label[op], false, Value::nil()});
  }

  Status enter(Form wanted) {
    if (h.stuck)
      return error("an event after \"stuck\"", "make \"stuck\" the last event of the history");
    if (form == Form::none) form = wanted;
    if (form != wanted)
      return error("events in real-time order and operations with clock values in one history",
                   "write the whole history in one of the two forms");
    return {};
  }

  Status append(ProcessId p, ObjectId object, std::uint32_t label) {
    if (h.size() >= kMostOperations)
      return error(fmt::format("more than {} operations", kMostOperations), "split the history");
    h.label.push_back(label);
    h.process.push_back(p);
    h.object.push_back(object);
    h.fate.push_back(Fate::pending);
    h.ret.push_back(kNone);
    h.line.push_back(line);
    h.return_line.push_back(0);
    latest = static_cast<OperationId>(h.size() - 1);
    return {};
  }

  void call_time(std::optional<ClockTime> time) {
    if (untimed_line != kNone) return;
    if (time) h.call_time.push_back(*time);
    else without_time();
  }

  void return_time(OperationId op, std::optional<ClockTime> time) {
    if (untimed_line != kNone) return;
    if (!time) return without_time();
    h.return_time.resize(h.size());
    h.return_time[op] = *time;
  }

  // Times decide nothing without a skew, and a part of them is of no use to anybody.
  void without_time() {
    untimed_line = line;
    h.call_time = {};
    h.return_time = {};
  }

  void remove_cancelled();
  Status sort_by_clock();
  void inherit_specification();
};

HistoryBuilder::HistoryBuilder() : state_(std::make_unique<State>()) {}
HistoryBuilder::~HistoryBuilder() = default;
HistoryBuilder::HistoryBuilder(HistoryBuilder&&) noexcept = default;

ProcessId HistoryBuilder::process(Value name) {
  State& s = *state_;
  ProcessId* slot = nullptr;
  if (name.is_integer() && static_cast<std::uint64_t>(name.as_integer()) < kSmallProcess) {
    const auto i = static_cast<std::size_t>(name.as_integer());
    if (i >= s.small_names.size()) s.small_names.resize(i + 1, kNone);
    slot = &s.small_names[i];
  } else {
    slot = &s.names.try_emplace(name, kNone).first->second;
  }
  if (*slot == kNone) {
    *slot = static_cast<ProcessId>(s.h.processes.size());
    s.h.processes.push_back(name);
    s.open.emplace_back();
  }
  return *slot;
}

ObjectId HistoryBuilder::object(Value name) {
  State& s = *state_;
  const auto [at, fresh] =
      s.object_names.try_emplace(name, static_cast<ObjectId>(s.h.objects.size()));
  if (fresh) s.h.objects.push_back({name, {}, {}});
  return at->second;
}

void HistoryBuilder::begin_object(Value name, std::string specification,
                                  std::optional<Value> initial) {
  Object& o = state_->h.objects[object(name)];
  o.specification = std::move(specification);
  o.initial = initial;
}

CallId HistoryBuilder::intern_call(std::string_view method, std::span<const Value> args) {
  State& s = *state_;
  std::uint64_t hash = XXH3_64bits(method.data(), method.size());
  for (const Value arg : args) hash = combine(hash, arg.hash());
  const auto next = static_cast<CallId>(s.h.calls.size());
  const CallId id = s.call_index.find_or_insert(hash, next, [&](std::uint32_t i) {
    const Call c = s.h.calls[i];
    return c.method == method && std::equal(c.args.begin(), c.args.end(), args.begin(), args.end());
  });
  if (id == next) s.h.calls.add(method, args);
  return id;
}

void HistoryBuilder::at_line(std::uint64_t line) {
  state_->line = static_cast<std::uint32_t>(std::min<std::uint64_t>(line, kNone - 1));
}

Status HistoryBuilder::call(ProcessId process, ObjectId object, CallId call,
                            std::optional<ClockTime> time) {
  State& s = *state_;
  if (Status status = s.enter(State::Form::events); !status) return status;
  State::Process& p = s.open[process];
  if (p.gone)
    return s.error(fmt::format("process {} calls {} after it crashed", s.process_name(process),
                               s.h.calls[call].method),
                   "give the client that follows a crash a new process number");
  if (p.open != kNone)
    return s.error(fmt::format("process {} calls {} before its {} returned",
                               s.process_name(process), s.h.calls[call].method, s.describe(p.open)),
                   "give operations that overlap different processes");
  const auto op = static_cast<OperationId>(s.h.size());
  if (Status status = s.append(process, object, call); !status) return status;
  s.call_time(time);
  s.h.call.push_back(static_cast<std::uint32_t>(s.h.events.size()));
  s.h.events.emplace_back(op, false);
  p.open = op;
  return {};
}

Status HistoryBuilder::returned(ProcessId process, Value result, std::optional<ClockTime> time) {
  State& s = *state_;
  if (Status status = s.enter(State::Form::events); !status) return status;
  const OperationId op = std::exchange(s.open[process].open, kNone);
  if (op == kNone)
    return s.error(fmt::format("process {} returns without a call", s.process_name(process)),
                   "write the call before its return");
  s.h.fate[op] = Fate::returned;
  s.h.ret[op] = static_cast<std::uint32_t>(s.h.events.size());
  s.h.return_line[op] = s.line;
  s.latest = op;
  s.return_time(op, time);
  s.h.label[op] = s.intern_label({s.h.label[op], true, result});
  s.h.events.emplace_back(op, true);
  return {};
}

Status HistoryBuilder::crashed(ProcessId process) {
  State& s = *state_;
  if (Status status = s.enter(State::Form::events); !status) return status;
  State::Process& p = s.open[process];
  if (p.gone)
    return s.error(fmt::format("process {} crashes twice", s.process_name(process)),
                   "remove the second crash");
  if (p.open != kNone) s.end_without_result(p.open, Fate::crashed);
  p = {kNone, true};
  return {};
}

Status HistoryBuilder::cancelled(ProcessId process) {
  State& s = *state_;
  if (Status status = s.enter(State::Form::events); !status) return status;
  const OperationId op = std::exchange(s.open[process].open, kNone);
  if (op == kNone)
    return s.error(fmt::format("process {} fails without a call", s.process_name(process)),
                   "write the call before its end");
  s.cancelled.push_back(op);
  return {};
}

std::optional<CallId> HistoryBuilder::open_call(ProcessId process) const {
  const OperationId op = state_->open[process].open;
  return op == kNone ? std::nullopt : std::optional<CallId>(state_->h.label[op]);
}

Status HistoryBuilder::stuck() {
  State& s = *state_;
  if (s.h.stuck) return s.error("\"stuck\" twice", "remove the second one");
  s.h.stuck = true;
  return {};
}

void HistoryBuilder::note(std::string json) {
  State& s = *state_;
  s.h.notes.push_back({static_cast<std::uint32_t>(s.h.events.size()), std::move(json)});
  s.note_operation.push_back(static_cast<std::uint32_t>(s.h.size()));
}

Status HistoryBuilder::timed(ProcessId process, ObjectId object, CallId call, Value result,
                             ClockTime called, std::optional<ClockTime> returned, Fate fate) {
  State& s = *state_;
  if (Status status = s.enter(State::Form::timed); !status) return status;
  if (returned && *returned < called)
    return s.clock_error(to_string(s.h.calls[call]), called, *returned);
  const bool known = returned.has_value();
  const LabelId label = s.intern_label({call, known, known ? result : Value::nil()});
  if (Status status = s.append(process, object, label); !status) return status;
  s.h.fate.back() = known ? Fate::returned : fate == Fate::returned ? Fate::pending : fate;
  if (known) s.h.return_line.back() = s.line;
  s.h.call_time.push_back(called);
  s.h.return_time.push_back(returned.value_or(ClockTime{}));
  return {};
}

void HistoryBuilder::order(std::int64_t number) {
  State& s = *state_;
  s.h.order.resize(s.h.size(), History::kNoOrder);
  s.h.order[s.latest] = number;
}

void HistoryBuilder::clock_skew(ClockTime skew) { state_->skew = skew; }

void HistoryBuilder::equal_times_are_before() { state_->equal_is_before = true; }

namespace {

/// Keeps the entries whose `number` is not kNone, each at its new place.
template <class T>
void renumber(std::vector<T>& entries, const std::vector<std::uint32_t>& number, std::size_t size) {
  if (entries.empty()) return;
  std::vector<T> result(size, entries[0]);
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (number[i] != kNone) result[number[i]] = entries[i];
  entries.swap(result);
}

void renumber_operations(History& h, const std::vector<std::uint32_t>& number, std::size_t size) {
  renumber(h.label, number, size);
  renumber(h.process, number, size);
  renumber(h.object, number, size);
  renumber(h.fate, number, size);
  renumber(h.line, number, size);
  renumber(h.return_line, number, size);
  if (!h.order.empty()) h.order.resize(number.size(), History::kNoOrder);
  renumber(h.order, number, size);
  renumber(h.call_time, number, size);
  renumber(h.return_time, number, size);
}

void place_events(History& h) {
  h.call.assign(h.size(), kNone);
  h.ret.assign(h.size(), kNone);
  for (std::uint32_t position = 0; position < h.events.size(); ++position) {
    const Event e = h.events[position];
    (e.is_return() ? h.ret : h.call)[e.operation()] = position;
  }
}

}  // namespace

void HistoryBuilder::State::remove_cancelled() {
  if (cancelled.empty()) return;
  std::vector<std::uint32_t> number(h.size(), 0);
  for (const OperationId op : cancelled) number[op] = kNone;
  std::uint32_t size = 0;
  for (std::uint32_t& n : number)
    if (n != kNone) n = size++;

  std::size_t note = 0;
  std::uint32_t kept = 0, calls = 0;
  const auto events = static_cast<std::uint32_t>(h.events.size());
  for (std::uint32_t position = 0; position <= events; ++position) {
    for (; note < h.notes.size() && h.notes[note].position == position; ++note) {
      h.notes[note].position = kept;
      note_operation[note] = calls;
    }
    if (position == events) break;
    const Event e = h.events[position];
    if (number[e.operation()] == kNone) continue;
    h.events[kept++] = Event(number[e.operation()], e.is_return());
    if (!e.is_return()) ++calls;
  }
  h.events.erase(h.events.begin() + kept, h.events.end());
  renumber_operations(h, number, size);
  place_events(h);
}

Status HistoryBuilder::State::sort_by_clock() {
  const auto size = static_cast<std::uint32_t>(h.size());
  const ClockTime d = skew.value_or(ClockTime{});
  std::vector<End> calls(size), returns;
  returns.reserve(size);

  std::vector<std::optional<ClockTime>> bound(h.processes.size());
  for (std::uint32_t op = size; op-- > 0;) {
    auto& earliest = bound[h.process[op]];
    const ClockTime time = shifted(h.call_time[op], d, true);
    earliest = earliest ? std::min(*earliest, time) : time;
    calls[op] = {*earliest, op, rank_of_call(equal_is_before, takes_no_time(op))};
  }
  bound.assign(bound.size(), std::nullopt);
  for (std::uint32_t op = 0; op < size; ++op) {
    if (h.fate[op] != Fate::returned) continue;
    if (h.return_time[op] < h.call_time[op]) {
      line = h.return_line[op];
      return clock_error(h.print_call(op), h.call_time[op], h.return_time[op]);
    }
    auto& latest = bound[h.process[op]];
    const ClockTime time = shifted(h.return_time[op], d, false);
    latest = latest ? std::max(*latest, time) : time;
    returns.push_back({*latest, op, rank_of_return(equal_is_before, takes_no_time(op))});
  }
  if (!std::is_sorted(calls.begin(), calls.end())) std::sort(calls.begin(), calls.end());
  std::vector<std::uint32_t> number(size);
  for (std::uint32_t i = 0; i < size; ++i) number[calls[i].operation] = i;
  // Returns at one time go by their calls, not by the file: it does not order processes.
  for (End& end : returns) end.operation = number[end.operation];
  std::sort(returns.begin(), returns.end());

  h.events.clear();
  h.events.reserve(calls.size() + returns.size());
  for (auto c = calls.begin(), r = returns.begin(); c != calls.end() || r != returns.end();) {
    if (r == returns.end() || (c != calls.end() && !r->earlier_than(*c)))
      h.events.emplace_back(number[c++->operation], false);
    else h.events.emplace_back(r++->operation, true);
  }
  renumber_operations(h, number, size);
  place_events(h);

  std::vector<OperationId> last(h.processes.size(), kNone);  // completed
  for (OperationId op = 0; op < size; ++op) {
    OperationId& before = last[h.process[op]];
    if (before != kNone && h.call[op] < h.ret[before]) {
      h.after.resize(size, kNone);
      h.after[op] = before;
    }
    if (h.returned(op)) before = op;
  }
  for (std::size_t i = 0; i < h.notes.size(); ++i)
    h.notes[i].position = note_operation[i] < size ? h.call[number[note_operation[i]]]
                                                   : static_cast<std::uint32_t>(h.events.size());
  std::stable_sort(h.notes.begin(), h.notes.end(),
                   [](const Note& a, const Note& b) { return a.position < b.position; });
  return {};
}

// An instance that the header does not mention is of the kind that the header says for all.
void HistoryBuilder::State::inherit_specification() {
  const auto all = object_names.find(Value::nil());
  if (all == object_names.end()) return;
  const Object common = h.objects[all->second];
  for (Object& o : h.objects) {
    if (!o.specification.empty()) continue;
    o.specification = common.specification;
    if (!o.initial) o.initial = common.initial;
  }
}

Result<History> HistoryBuilder::finish() && {
  State& s = *state_;
  if (s.skew && *s.skew < ClockTime{})
    return Error{ErrorKind::usage, "a negative clock skew", "give a number from 0"};
  if (!s.h.call_time.empty()) s.h.return_time.resize(s.h.size());
  s.remove_cancelled();
  for (OperationId op = 0; s.form == State::Form::events && op < s.h.size(); ++op)
    if (s.h.fate[op] == Fate::pending) s.end_without_result(op, Fate::pending);
  if (s.form == State::Form::events && s.skew && s.untimed_line != kNone)
    return Error{ErrorKind::bad_input,
                 "a clock skew was given, but this event has no time",
                 "give every event a time, or leave the clock skew out",
                 {},
                 s.untimed_line};
  if (s.form == State::Form::timed || (s.skew && s.h.size() > 0)) {
    if (Status status = s.sort_by_clock(); !status) return std::move(status.error());
  }
  s.inherit_specification();
  return std::move(s.h);
}

}  // namespace plumb
