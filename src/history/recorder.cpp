// SPDX-License-Identifier: MIT
// A number is drawn and its event stored under the lock of one log, which only a flush ever
// contends for. A flush looks at the next number, n, and then locks one log after the other: by
// then every number below n is in its log, and all of them together may be written in order.
#include "plumb/recorder.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>

namespace plumb {
namespace {

struct Recorded {
  enum class Kind : std::uint8_t { call, returned, unknown };
  std::uint64_t number;
  std::uint32_t process;
  Kind kind;
  std::string method;       // call
  std::vector<Value> args;  // call
  Value result;             // returned

  void append_to(std::string& out) const {
    static constexpr const char* kTypes[] = {"call", "return", "crash"};
    out += std::string("{\"type\":\"") + kTypes[static_cast<int>(kind)] +
           "\",\"process\":" + std::to_string(process);
    if (kind == Kind::call) {
      out += ",\"op\":" + Value::string(method).to_string() + ",\"args\":[";
      for (std::size_t i = 0; i < args.size(); ++i) out += (i ? "," : "") + args[i].to_string();
      out += ']';
    } else if (kind == Kind::returned) {
      out += ",\"result\":" + result.to_string();
    }
    out += "}\n";
  }
};

constexpr std::size_t kFlushAt = 1 << 16;  // events of one process: bounds the memory

}  // namespace

struct Recorder::Log {
  State* state;
  std::mutex mutex;
  std::vector<Recorded> events;
  std::uint32_t process;
  bool busy = false;  // an operation of `process` is open

  void add(std::uint32_t in, Recorded::Kind kind, std::string method, std::vector<Value> args,
           Value result);
};

struct Recorder::State {
  std::mutex mutex;  // of everything down to `error`
  std::deque<Log> logs;
  std::FILE* file = nullptr;
  std::string name;
  int error = 0;  // errno of the first failure

  std::atomic<std::uint64_t> next_number{0};
  std::atomic<std::uint32_t> next_process{0};

  void write(const std::string& text) {
    if (file && error == 0 &&
        (std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fflush(file) != 0))
      error = errno;
  }

  void flush() {
    const std::lock_guard lock(mutex);
    const std::uint64_t limit = next_number.load();
    std::vector<Recorded> events;
    for (Log& log : logs) {
      const std::lock_guard log_lock(log.mutex);
      const auto end = std::partition_point(log.events.begin(), log.events.end(),
                                            [&](const Recorded& e) { return e.number < limit; });
      std::move(log.events.begin(), end, std::back_inserter(events));
      log.events.erase(log.events.begin(), end);
    }
    std::sort(events.begin(), events.end(),
              [](const Recorded& a, const Recorded& b) { return a.number < b.number; });
    std::string text;
    for (const Recorded& event : events) event.append_to(text);
    write(text);
  }

  // An uncaught exception need not unwind, so destructors do not run: the recorders that are alive
  // are flushed by a terminate handler, which then goes on to the one that was there before.
  static inline std::mutex alive_mutex;
  static inline std::vector<State*> alive;
  static inline std::terminate_handler next_handler = nullptr;

  [[noreturn]] static void on_terminate() {
    {
      const std::lock_guard lock(alive_mutex);
      for (State* state : alive) state->flush();
    }
    if (next_handler) next_handler();
    std::abort();
  }

  void enlist() {
    const std::lock_guard lock(alive_mutex);
    if (!next_handler) next_handler = std::set_terminate(&on_terminate);
    alive.push_back(this);
  }
  void delist() {
    const std::lock_guard lock(alive_mutex);
    std::erase(alive, this);
  }
};

void Recorder::Log::add(std::uint32_t in, Recorded::Kind kind, std::string method,
                        std::vector<Value> args, Value result) {
  bool full = false;
  {
    const std::lock_guard lock(mutex);
    const std::uint64_t number = state->next_number.fetch_add(1);
    events.push_back({number, in, kind, std::move(method), std::move(args), result});
    full = events.size() >= kFlushAt;
  }
  // Not between a call's number and the call itself: that would only widen its interval.
  if (full && kind != Recorded::Kind::call) state->flush();
}

Recorder::Recorder(const std::string& file, const RecorderOptions& options)
    : state_(std::make_unique<State>()) {
  state_->name = file;
  state_->file = std::fopen(file.c_str(), "wb");
  if (!state_->file) state_->error = errno;
  std::string header = "{\"history\":1";
  if (!options.object.empty()) header += ",\"object\":" + Value::string(options.object).to_string();
  if (options.initial) header += ",\"initial\":" + options.initial->to_string();
  state_->write(header + "}\n");
  state_->enlist();
}

Recorder::~Recorder() {
  state_->delist();
  state_->flush();
  if (state_->file) std::fclose(state_->file);
}

Recorder::Process Recorder::process() {
  const std::lock_guard lock(state_->mutex);
  Log& log = state_->logs.emplace_back();
  log.state = state_.get();
  log.process = state_->next_process.fetch_add(1);
  return Process(log);
}

Status Recorder::flush() {
  state_->flush();
  const std::lock_guard lock(state_->mutex);
  if (state_->error == 0) return {};
  return Error{state_->file ? ErrorKind::internal : ErrorKind::missing_file,
               std::string("the history could not be written: ") + std::strerror(state_->error), "",
               state_->name, 0};
}

Recorder::Operation Recorder::Process::called(std::string_view method, std::vector<Value> args) {
  Log& log = *log_;
  if (log.busy) log.process = log.state->next_process.fetch_add(1);
  log.busy = true;
  log.add(log.process, Recorded::Kind::call, std::string(method), std::move(args), {});
  return Operation(log, log.process);
}

void Recorder::Operation::ended(Value result) {
  log_->add(process_, Recorded::Kind::returned, {}, {}, result);
  if (log_->process == process_) log_->busy = false;
}

void Recorder::Operation::unknown() { log_->add(process_, Recorded::Kind::unknown, {}, {}, {}); }

}  // namespace plumb
