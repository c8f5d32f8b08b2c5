// SPDX-License-Identifier: MIT
#include "session/steps.hpp"

#include <cstdio>
#include <string_view>
#include <utility>

namespace plumb::session {

using runtime::Place;
using runtime::TraceStep;

bool is_of_library(const Frame& frame) {
  const std::string& file = frame.file;
  return frame.line == 0 || file.find("/c++/") != file.npos ||
         file.find("plumb/explore.hpp") != file.npos ||
         file.find("plumb/operations.hpp") != file.npos ||
         frame.function.find("plumb::detail::") != frame.function.npos;
}

namespace {

const char* order_name(int order) {
  constexpr const char* names[] = {"relaxed", "consume", "acquire",
                                   "release", "acq_rel", "seq_cst"};
  return order >= 0 && order < 6 ? names[order] : "";
}

bool is_at(const TraceStep& step, const Place& place) {
  return place.depth > 0 && step.place.pc[0] == place.pc[0] && step.thread == place.thread;
}

bool is_shown(const TraceStep& step, const Shown& shown) {
  if (!step.is_point && step.what[0] == 0) return false;
  if (is_at(step, shown.finding.here) || is_at(step, shown.finding.there)) return true;
  // The main thread of a test of an object waits for the others.
  const bool is_nothing = step.address == 0 && shown.names.contains(step.thread) &&
                          (step.what[0] == 0 || step.kind == TraceStep::Kind::waits);
  return step.is_point && !is_nothing;
}

}  // namespace

std::string ValueNames::place(std::uint64_t address, std::uint64_t block) {
  if (block != 0) return within(address, block);
  const std::size_t number = variables_.try_emplace(address, variables_.size()).first->second;
  return "v" + std::to_string(number + 1);
}

std::string ValueNames::value(std::uint64_t value, std::uint64_t block, std::uint32_t size) {
  if (block != 0) return within(value, block);
  if (size == 8 && variables_.contains(value)) return "&" + place(value, 0);
  const std::uint64_t sign = size == 4 ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63;
  const std::uint64_t extended =
      size == 4 && (value & sign) != 0 ? value | ~std::uint64_t{0} << 32 : value;
  const auto number = static_cast<std::int64_t>(extended);
  if (number > -1'000'000 && number < 1'000'000) return std::to_string(number);
  char text[32];
  std::snprintf(text, sizeof text, "0x%zx", static_cast<std::size_t>(value));
  return text;
}

std::string ValueNames::of(const MemoryName& name) {
  return name.before + (name.block == 0 ? "" : number_of(name.block)) + name.after;
}

std::string ValueNames::number_of(std::uint64_t block) {
  const std::size_t number = blocks_.try_emplace(block, blocks_.size()).first->second;
  return "#" + std::to_string(number + 1);
}

std::string ValueNames::within(std::uint64_t address, std::uint64_t block) {
  return number_of(block) + (address == block ? "" : "+" + std::to_string(address - block));
}

std::string describe(const TraceStep& step, const MemoryNames::OfStep& names, ValueNames& values) {
  std::string text = step.what[0] == 0 ? "continues" : step.what;
  if (step.waits_for == WaitsFor::nothing_ever) return "waits in plumb::block()";
  if (step.waits_for == WaitsFor::end_of_threads) return "waits for the others";
  if (step.address == 0) return text;
  text += " " + (names.place.is_known() ? values.of(names.place)
                                        : values.place(step.address, step.block));
  if (!step.has_values) return text;
  const auto value = [&](const MemoryName& name, std::uint64_t number, std::uint64_t block) {
    return name.is_known() ? values.of(name) : values.value(number, block, step.size);
  };
  if (step.kind == TraceStep::Kind::writes)
    return text + " := " + value(names.after, step.after, step.after_block);
  const std::string before = value(names.before, step.before, step.before_block);
  if (step.kind == TraceStep::Kind::reads) return text + " = " + before;
  if (step.failed) return text + " fails, is " + before;
  return text + ": " + before + " -> " + value(names.after, step.after, step.after_block);
}

std::map<std::size_t, MemoryNames::OfStep> memory_names_of(const Shown& shown,
                                                           const Symbols& symbols,
                                                           const std::set<std::size_t>& lines) {
  std::map<std::size_t, MemoryNames::OfStep> all;
  MemoryNames names(shown, symbols);
  for (const std::size_t line : lines) all[line] = names.of(line);
  return all;
}

Symbols symbols_of(const std::vector<const Shown*>& all, const runtime::Board& board) {
  Symbols symbols(board);
  const auto add = [&symbols](const Place& place) {
    symbols.add({place.pc.data(), static_cast<std::size_t>(place.depth)});
  };
  for (const Shown* const shown : all) {
    add(shown->finding.here);
    add(shown->finding.there);
    for (const TraceStep& step : shown->trace) add(step.place);
  }
  symbols.look_up();
  return symbols;
}

report::CallStack stack_of(const Place& place, const Symbols& symbols) {
  report::CallStack stack;
  stack.thread = place.thread;
  for (int i = 0; i < place.depth; ++i) {
    const bool of_c_library = symbols.is_of_c_library(place.pc[i]);
    for (const Frame& frame : symbols.frames(place.pc[i]))
      stack.frames.push_back(
          {frame.function, frame.file, frame.line, of_c_library || is_of_library(frame)});
  }
  return stack;
}

namespace {

report::Wait wait_of(const TraceStep& step, const std::string& what) {
  report::Wait wait;
  wait.thread = step.thread;
  wait.kind = step.waits_for;
  wait.what = what;
  wait.held_shared = step.held_shared;
  if (wait.kind == WaitsFor::end_of_thread) wait.ends = step.other_thread;
  for (int t = 0; t < explore::kMaxThreads; ++t)
    if ((step.held_by >> t & 1) != 0) wait.held_by.push_back(t);
  return wait;
}

// `steps`: what is shown, by lines of the trace.
void add_waits(const Shown& shown, const std::map<std::size_t, report::ThreadStep>& steps,
               report::Interleaving& made) {
  for (std::size_t i = 0; i < shown.trace.size(); ++i) {
    const TraceStep& step = shown.trace[i];
    const bool is_by_itself =
        step.waits_for == WaitsFor::end_of_threads || step.waits_for == WaitsFor::turn;
    if (step.kind != TraceStep::Kind::waits || is_by_itself) continue;
    const auto line = steps.find(i);
    const std::string_view head = "waits for ";
    const bool has_name = line != steps.end() && line->second.what.starts_with(head);
    made.waits.push_back(wait_of(step, has_name ? line->second.what.substr(head.size()) : ""));
  }
  for (int t = 0; t < explore::kMaxThreads; ++t)
    if ((shown.spinning >> t & 1) != 0) made.spinning.push_back(t);
}

}  // namespace

void add_steps(const Shown& shown, const Symbols& symbols, report::Interleaving& made) {
  std::set<std::size_t> lines;
  for (std::size_t i = 0; i < shown.trace.size(); ++i)
    if (is_shown(shown.trace[i], shown)) lines.insert(i);
  const auto names = memory_names_of(shown, symbols, lines);
  ValueNames values;
  std::map<std::size_t, report::ThreadStep> steps;
  for (const std::size_t line : lines) {
    const TraceStep& step = shown.trace[line];
    const MemoryNames::OfStep& named = names.at(line);
    report::ThreadStep& one = steps[line];
    one.thread = step.thread;
    one.what = describe(step, named, values);
    if (named.place.is_known()) one.name = values.of(named.place);
    one.order = order_name(step.order);
    one.events = step.events;
    const report::CallStack stack = stack_of(step.place, symbols);
    if (const report::Frame* const frame = stack.own()) one.at = *frame;
  }
  add_waits(shown, steps, made);
  for (auto& [line, one] : steps) {
    // After the names, so that the numbers begin with what is read most.
    const TraceStep& step = shown.trace[line];
    if (step.address != 0) one.address = values.place(step.address, step.block);
    made.steps.push_back(std::move(one));
  }
}

}  // namespace plumb::session
