// SPDX-License-Identifier: MIT
// A finding: what it is, where (both places of a race), then the interleaving as a table with a
// column per thread and a row per step.
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "report/text_parts.hpp"

namespace plumb::report {
namespace {

constexpr std::size_t kMostRows = 60;

// Characters, not bytes, should they ever differ: function names are ASCII.
std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string without_blanks_at_end(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// The calls of the user's own code; if there are none (a thread whose function is a library's), the
// innermost.
std::string stack_text(const CallStack& stack, const Interleaving& interleaving) {
  std::vector<const Frame*> frames;
  for (const Frame& frame : stack.frames)
    if (!frame.of_library) frames.push_back(&frame);
  if (frames.empty() && !stack.frames.empty()) frames.push_back(&stack.frames.front());
  std::string text;
  for (const Frame* const frame : frames) {
    const std::string first = frame == frames.front() ? interleaving.thread_name(stack.thread) : "";
    text += "    " + padded(first, 11) + frame->place() + "  " + frame->function + "\n";
  }
  return text;
}

}  // namespace

std::string Frame::place() const {
  return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(line);
}

const Frame* CallStack::own() const {
  const auto own =
      std::find_if(frames.begin(), frames.end(), [](const Frame& f) { return !f.of_library; });
  return own != frames.end() ? &*own : frames.empty() ? nullptr : &frames.front();
}

std::string Interleaving::thread_name(int thread) const {
  const auto name = names.find(thread);
  return name == names.end() ? "thread " + std::to_string(thread) : name->second;
}

std::string_view reuse_words(Reuse heap) {
  switch (heap) {
    case Reuse::never: return "never reused";
    case Reuse::fifo: return "reused late";
    case Reuse::lifo: break;
  }
  return "reused at once";
}

std::string finding_text(const Finding& finding) {
  const Interleaving& shown = finding.interleaving;
  std::string text = "\n  " + finding.message;
  if (shown.heap != Reuse::never)
    text.append(" (freed memory is ").append(reuse_words(shown.heap)).append(")");
  text += "\n";
  if (finding.here.thread >= 0) text += stack_text(finding.here, shown);
  if (finding.there.thread >= 0) text += stack_text(finding.there, shown);
  if (!finding.replayed && finding.kind != FindingKind::divergence) {
    text += shown.complete ? "  Replaying its schedule did not show it again.\n"
                           : "  Its schedule is too long to be kept.\n";
  }
  return text;
}

std::string interleaving_text(const Interleaving& interleaving) {
  const std::vector<ThreadStep>& steps = interleaving.steps;
  if (steps.empty()) return {};
  std::vector<std::string> what;
  std::set<int> threads;
  for (const ThreadStep& step : steps) {
    what.push_back((step.at ? step.at->place() : "?") + "  " + step.what);
    threads.insert(step.thread);
  }
  // The beginning of a long one, and its end.
  const bool is_long = steps.size() > kMostRows;
  const std::size_t gap = is_long ? kMostRows / 3 : steps.size();
  const std::size_t after = is_long ? steps.size() - kMostRows + kMostRows / 3 : steps.size();
  std::map<int, std::size_t> width;
  for (const int t : threads) width[t] = 10;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i >= gap && i < after) continue;
    width[steps[i].thread] = std::max(width[steps[i].thread], what[i].size());
  }
  std::string head = "\n  ";
  for (const int t : threads) head += padded(interleaving.thread_name(t), width[t] + 3);
  std::string text = without_blanks_at_end(head) + "\n";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i == gap && after > gap) text += "  ... " + text::count_words(after - gap) + " steps\n";
    if (i >= gap && i < after) continue;
    const bool is_switch = i > 0 && steps[i].thread != steps[i - 1].thread;
    std::string line = is_switch ? "> " : "  ";
    for (const int t : threads) line += padded(t == steps[i].thread ? what[i] : "", width[t] + 3);
    text += without_blanks_at_end(line) + "\n";
  }
  return text;
}

}  // namespace plumb::report
