// SPDX-License-Identifier: MIT
#include "report/finding_words.hpp"

namespace plumb::report {
namespace {

// " in Queue::pop()", " at queue.cpp:12" of a function without a name; empty: it is not known.
std::string where_words(const CallStack& stack) {
  const Frame* const frame = stack.own();
  if (frame == nullptr || frame->line == 0) return {};
  const std::string& function = frame->function;
  const bool is_lambda = function.empty() || function.find("{lambda") != function.npos ||
                         function.starts_with("operator()");
  return is_lambda ? " at " + frame->place() : " in " + function;
}

std::string crash_words(const Finding& finding) {
  // "the execution hung: nothing happened for 10 s"
  if (finding.signal.empty() && !finding.message.empty())
    return finding.message.substr(0, finding.message.find(':'));
  const std::string signal = finding.signal.empty() ? "" : " (" + finding.signal + ")";
  return "crash" + where_words(finding.here) + signal;
}

}  // namespace

std::string finding_words(FindingKind kind) {
  switch (kind) {
    case FindingKind::assertion: return "an assertion fails";
    case FindingKind::exception: return "an exception is not caught";
    case FindingKind::crash: return "crash";
    case FindingKind::race: return "data race";
    case FindingKind::use_after_free: return "use after free";
    case FindingKind::double_free: return "double free";
    case FindingKind::bad_free: return "invalid free";
    case FindingKind::out_of_bounds: return "access outside of a block";
    case FindingKind::deadlock: return "deadlock";
    case FindingKind::livelock: return "livelock";
    case FindingKind::leak: return "leak";
    case FindingKind::misuse: return "a lock or thread is misused";
    case FindingKind::divergence: return "the code is not deterministic";
    case FindingKind::none: break;
  }
  return "?";
}

std::string finding_words(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::crash: return crash_words(finding);
    case FindingKind::use_after_free:
    case FindingKind::double_free:
    case FindingKind::bad_free:
    case FindingKind::out_of_bounds: return finding_words(finding.kind) + where_words(finding.here);
    default: return finding_words(finding.kind);
  }
}

}  // namespace plumb::report
