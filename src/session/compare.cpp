// SPDX-License-Identifier: MIT
#include "session/compare.hpp"

#include <map>
#include <set>
#include <span>

#include "session/steps.hpp"

namespace plumb::session {

using explore::Accessed;
using explore::Conflict;

namespace {

std::string thread_of(const Accessed& access, const Shown& shown) {
  const auto name = shown.names.find(access.thread);
  return name == shown.names.end() ? "thread " + std::to_string(access.thread) : name->second;
}

// "A push(1)"; of a thread that the object made: the thread.
std::string transaction_of(const Accessed& access, const lineup::Matrix& test,
                           const lineup::Object& object, const Shown& shown) {
  std::string thread = thread_of(access, shown);
  if (access.operation < 0) return thread;
  const lineup::Cell cell = lineup::cells(test)[static_cast<std::size_t>(access.operation)];
  return thread + " " + object.invocations[static_cast<std::size_t>(cell.invocation)].text;
}

// Names variables and blocks in the order of the calls.
class AccessWords {
 public:
  AccessWords(const lineup::Matrix& test, const lineup::Object& object, const Shown& shown,
              const runtime::Board& board, std::span<const Conflict> cycle)
      : test_(test), object_(object), shown_(shown), symbols_(symbols_of({&shown}, board)) {
    std::set<std::size_t> lines;
    for (const auto& [first, second] : cycle)
      for (const int line : {first.line, second.line})
        if (is_line(line)) lines.insert(static_cast<std::size_t>(line));
    names_ = memory_names_of(shown, symbols_, lines);
  }

  report::Comparison::Access describe(const Accessed& access) {
    report::Comparison::Access made;
    made.thread = thread_of(access, shown_);
    made.operation = transaction_of(access, test_, object_, shown_);
    made.writes = access.access.touch != explore::Touch::read;
    const auto line = static_cast<std::size_t>(access.line);
    if (!is_line(access.line)) return made;
    const runtime::TraceStep& step = shown_.trace[line];
    made.what = session::describe(step, names_.at(line), values_);
    const report::CallStack stack = stack_of(step.place, symbols_);
    if (const report::Frame* const frame = stack.own()) {
      made.file = frame->file;
      made.line = frame->line;
    }
    return made;
  }

 private:
  bool is_line(int line) const {
    return line >= 0 && static_cast<std::size_t>(line) < shown_.trace.size();
  }

  const lineup::Matrix& test_;
  const lineup::Object& object_;
  const Shown& shown_;
  const Symbols symbols_;
  std::map<std::size_t, MemoryNames::OfStep> names_;
  ValueNames values_;
};

}  // namespace

report::Comparison cycle_of(const lineup::Matrix& test, const lineup::Object& object,
                            const Shown& shown, const runtime::Board& shown_board,
                            const runtime::Board& searched, const Settings& settings,
                            const ReplayCommand& replay) {
  report::Comparison comparison;
  const std::span<const Conflict> cycle(shown_board.result.cycle.all.data(),
                                        shown_board.result.cycle.count);
  if (cycle.empty()) return comparison;
  comparison.test = to_text(test, object);
  comparison.replay = make_interleaving(shown, settings, searched, replay).replay.command;
  AccessWords words(test, object, shown, searched, cycle);
  for (const auto& [first, second] : cycle) {
    report::Comparison::Conflict& conflict = comparison.cycle.emplace_back();
    conflict.same_thread = first.thread == second.thread;
    conflict.before = words.describe(first);
    conflict.after = words.describe(second);
  }
  return comparison;
}

}  // namespace plumb::session
