// SPDX-License-Identifier: MIT
// A stream: from events to partitions, and back to one verdict.
#include "plumb/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "check/online/online.hpp"
#include "spec/families.hpp"

namespace plumb {
namespace {

struct KeyHash {
  std::size_t operator()(const std::pair<ObjectId, Value>& k) const {
    return (k.second.hash() ^ k.first) * 0x9e3779b97f4a7c15u;
  }
};

Error bad(std::string message, std::string remedy, std::uint64_t line) {
  return {ErrorKind::bad_input, std::move(message), std::move(remedy), {}, line};
}

}  // namespace

Result<History> make_history(const StreamPart& part, const std::vector<const StreamedOp*>& ops,
                             const std::vector<StreamedEvent>& events) {
  HistoryBuilder builder;
  for (const Object& o : *part.objects) builder.begin_object(o.name, o.specification, o.initial);
  // Names that processes have in the history: one that went on after a crash has several.
  std::vector<ProcessId> process(ops.size());
  for (const StreamedEvent event : events) {
    const StreamedOp& op = *ops[event.op];
    Status status;
    if (event.is_return) {
      builder.at_line(op.return_line);
      status = builder.returned(process[event.op], op.result);
    } else {
      builder.at_line(op.call_line);
      process[event.op] = builder.process(op.process);
      const std::string& method = part.specification->methods()[op.method].name;
      status = builder.call(process[event.op], part.object, builder.intern_call(method, op.args));
    }
    if (!status) return std::move(status.error());
  }
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (ops[i]->fate == Fate::crashed)
      if (Status status = builder.crashed(process[i]); !status) return std::move(status.error());
  return std::move(builder).finish();
}

struct Stream::State {
  explicit State(const StreamOptions& o) : options(o) {}

  struct Process {
    Value name;
    Online* open = nullptr;  // where its operation is
    Online::Handle op = 0;
    const Specification* specification = nullptr;
    MethodId method = 0;
    std::vector<Value> args;
    std::uint64_t line = 0;  // of its call, 0: none is open
    bool gone = false;
  };
  struct KnownObject {
    const Specification* specification = nullptr;
    Online* whole = nullptr;  // it is not split
    bool split = false;       // it is
    std::string undecided;    // why nothing more is said of it
  };

  Error error(std::string message, std::string remedy) const {
    return bad(std::move(message), std::move(remedy), line);
  }

  Status find_specification_of(ObjectId id) {
    KnownObject& o = known[id];
    Object& object = (*objects)[id];
    o.specification =
        options.specification ? options.specification : find_specification(object.specification);
    if (options.initial) object.initial = options.initial;
    if (!o.specification)
      return error(object.specification.empty()
                       ? "the stream does not say what object it is of"
                       : fmt::format("unknown specification '{}'", object.specification),
                   "add --spec NAME, or a header like {\"history\":1,\"object\":\"queue\"}");
    object.specification = o.specification->name();
    if (object.initial)
      if (std::string why = o.specification->reject_initial(*object.initial); !why.empty())
        return error(fmt::format("initial value of {}: {}", o.specification->name(), why),
                     "see docs/specifications.md for initial values");
    return {};
  }

  // Where the operation belongs; null: nothing is said of it any more.
  Online* place(ObjectId id, const BoundLabel& label) {
    KnownObject& o = known[id];
    if (o.whole) return o.whole;
    if (!o.undecided.empty()) return nullptr;
    const std::vector<Value> keys =
        options.partition ? o.specification->keys(label) : std::vector<Value>{};
    if (keys.size() != 1 && o.split) {
      o.undecided = fmt::format("{} concerns more than one key; --no-partition decides it",
                                o.specification->methods()[label.method].name);
      for (const auto& part : parts)
        if (part->part().object == id) part->stop(o.undecided, line);
      return nullptr;
    }
    if (keys.size() == 1) {
      o.split = true;
      Online*& part = by_key[{id, keys.front()}];
      if (!part) part = open_part(id, keys);
      return part;
    }
    return o.whole = open_part(id, {});
  }
  Online* open_part(ObjectId id, std::vector<Value> keys) {
    StreamPart part{known[id].specification, (*objects)[id].initial, id, std::move(keys), objects};
    const bool queue = is_online_queue(*part.specification);
    parts.push_back(queue ? online_queue(std::move(part), options)
                          : online_segments(std::move(part), options));
    return parts.back().get();
  }

  Status look(Online& part, bool last) {
    Status status = part.settle(last);
    if (part.verdict() == Verdict::violation) violated = &part;
    return status;
  }

  StreamOptions options;
  std::uint64_t line = 0, events = 0, operations = 0, completed = 0, most_waiting = 0;
  std::vector<Process> processes;
  std::unordered_map<Value, ProcessId> process_names;
  std::shared_ptr<std::vector<Object>> objects = std::make_shared<std::vector<Object>>();
  std::vector<KnownObject> known;  // about each of them
  std::unordered_map<Value, ObjectId> object_names;
  std::unordered_map<std::pair<ObjectId, Value>, Online*, KeyHash> by_key;
  std::vector<std::unique_ptr<Online>> parts;
  Online* violated = nullptr;
  std::string_view method;  // of the call that is being made
  std::span<const Value> args;
  Status failure;
};

Stream::Stream(StreamOptions options) : state_(std::make_unique<State>(options)) {}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;

ProcessId Stream::process(Value name) {
  const auto next = static_cast<ProcessId>(state_->processes.size());
  const auto [at, fresh] = state_->process_names.try_emplace(name, next);
  if (fresh) state_->processes.emplace_back().name = name;
  return at->second;
}

ObjectId Stream::object(Value name) {
  std::vector<Object>& objects = *state_->objects;
  const auto next = static_cast<ObjectId>(objects.size());
  const auto [at, fresh] = state_->object_names.try_emplace(name, next);
  if (fresh) {
    // As in a file: the unnamed object of the header says what all others are.
    Object object{name, {}, {}};
    if (!objects.empty() && objects.front().name.is_nil()) {
      object.specification = objects.front().specification;
      object.initial = objects.front().initial;
    }
    objects.push_back(std::move(object));
    state_->known.emplace_back();
  }
  return at->second;
}

void Stream::begin_object(Value name, std::string specification, std::optional<Value> initial) {
  const ObjectId id = object(name);
  Object& o = (*state_->objects)[id];
  o.specification = std::move(specification);
  o.initial = initial;
}

CallId Stream::intern_call(std::string_view method, std::span<const Value> args) {
  state_->method = method;
  state_->args = args;
  return 0;
}

void Stream::at_line(std::uint64_t line) { state_->line = line; }

Status Stream::call(ProcessId process, ObjectId object, CallId, std::optional<ClockTime>) {
  State& s = *state_;
  State::Process& p = s.processes[process];
  if (p.gone)
    return s.error(fmt::format("process {} calls after it crashed", p.name.to_string()),
                   "give it a new name after a crash");
  if (p.line)
    return s.error(fmt::format("process {} calls again before its call of line {} returned",
                               p.name.to_string(), p.line),
                   "record the return, or use one process name per thread");
  State::KnownObject& o = s.known[object];
  if (!o.specification)
    if (Status found = s.find_specification_of(object); !found) return found;
  const auto method = o.specification->find(s.method);
  if (!method) {
    std::string names;
    for (const Method& m : o.specification->methods())
      names += (names.empty() ? "" : ", ") + m.name;
    return s.error(fmt::format("unknown operation '{}' of {}", s.method, o.specification->name()),
                   "it has: " + names);
  }
  const BoundLabel label{*method, s.args, {}, false};
  if (std::string why = o.specification->reject(label); !why.empty())
    return s.error(std::move(why),
                   "see docs/specifications.md for the operations of " + o.specification->name());
  ++s.events;
  ++s.operations;
  p.line = s.line ? s.line : 1;
  p.specification = o.specification;
  p.method = *method;
  p.args.assign(s.args.begin(), s.args.end());
  p.open = s.place(object, label);
  if (!p.open) return {};
  StreamedOp op;
  op.process = p.name;
  op.method = *method;
  op.args = p.args;
  op.call_line = s.line;
  p.op = p.open->call(std::move(op));
  return {};
}

Status Stream::returned(ProcessId process, Value result, std::optional<ClockTime>) {
  State& s = *state_;
  State::Process& p = s.processes[process];
  if (!p.line)
    return s.error(fmt::format("process {} returns without a call", p.name.to_string()),
                   "record the call before the return");
  if (std::string why = p.specification->reject({p.method, p.args, result, true}); !why.empty())
    return s.error(std::move(why),
                   "see docs/specifications.md for the operations of " + p.specification->name());
  ++s.events;
  ++s.completed;
  p.line = 0;
  if (!p.open) return {};
  p.open->returned(p.op, result, s.line);
  const std::uint64_t waiting = p.open->waiting();
  if (waiting < p.open->segment()) return {};
  s.most_waiting = std::max(s.most_waiting, waiting);
  return s.look(*p.open, false);
}

Status Stream::crashed(ProcessId process) {
  State& s = *state_;
  State::Process& p = s.processes[process];
  if (p.gone)
    return s.error(fmt::format("process {} crashes twice", p.name.to_string()),
                   "leave one of the two out");
  p.gone = true;
  if (p.line && p.open) p.open->crashed(p.op);
  p.line = 0;
  return {};
}

Status Stream::stuck() {
  for (const auto& part : state_->parts)
    part->stop("a stuck history is judged as a whole; check it as a file", state_->line);
  return {};
}
void Stream::note(std::string) {}
void Stream::order(std::int64_t) {}
Status Stream::timed(ProcessId, ObjectId, CallId, Value, ClockTime, std::optional<ClockTime>,
                     Fate) {
  return state_->error("an operation with clock values in a stream of events",
                       "check it as a file: operations have to be sorted first");
}

bool Stream::holds_so_far() const { return !state_->violated; }
std::uint64_t Stream::events() const { return state_->events; }
std::uint64_t Stream::waiting() const {
  std::uint64_t all = 0;
  for (const auto& part : state_->parts) all += part->waiting();
  return all;
}

bool Stream::settle() {
  for (const auto& part : state_->parts)
    if (state_->failure.ok() && part->waiting() > 0) state_->failure = state_->look(*part, false);
  return holds_so_far();
}

Result<StreamReport> Stream::finish() {
  State& s = *state_;
  if (!s.violated)
    for (const auto& part : s.parts) {
      if (Status status = s.look(*part, true); !status) return std::move(status.error());
      if (s.violated) break;
    }
  if (!s.failure.ok()) return std::move(s.failure.error());
  StreamReport report;
  if (s.violated) report = s.violated->evidence();
  CheckReport& check = report.check;
  check.verdict = s.violated ? Verdict::violation : Verdict::holds;
  check.partitions.clear();
  if (s.options.specification)
    if (std::string note = refused_family_note(*s.options.specification); !note.empty())
      check.scope_notes.push_back(std::move(note));
  const auto undecided = [&](const PartitionReport& part, std::uint64_t line) {
    if (check.verdict == Verdict::violation) return;
    if (check.verdict == Verdict::holds || line < report.line) {
      check.reason = part.reason;
      check.stopped = part.stopped;
      report.line = line;
    }
    check.verdict = Verdict::undecided;
  };
  for (const auto& part : s.parts) {
    PartitionReport p;
    p.object = part->part().object;
    p.keys = part->part().keys;
    p.operations = part->operations();
    p.verdict = part->verdict();
    p.engine = part->engine();
    p.reason = part->reason();
    p.stopped = part->stopped();
    p.covered = part->covered();
    if (p.verdict == Verdict::undecided) undecided(p, part->line());
    check.partitions.push_back(std::move(p));
  }
  if (!s.violated) report.history.objects = *s.objects;

  if (s.violated) report.line = s.violated->line();
  report.events = s.events;
  report.most_waiting = s.most_waiting;
  check.operations = s.operations;
  check.completed = s.completed;
  check.pending = s.operations - s.completed;
  return report;
}

}  // namespace plumb
