// SPDX-License-Identifier: MIT
#include "refine/simulate.hpp"

#include "base/clock.hpp"
#include "model/code/sequential.hpp"
#include "refine/replay.hpp"

namespace plumb::refine {

Result<VerifyReport> simulate(const model::Program& program, std::string_view text,
                              const VerifyOptions& options, const Choose& choose) {
  VerifyReport report;
  report.question = options.question.value_or(Criterion::linearizable);
  report.simulated = true;
  report.specification = make_specification(program);
  const auto start = Clock::now();
  Found& found = report.found;
  Walk walk(program, text);
  std::vector<PlainStep> possible = walk.possible();
  while (!possible.empty()) {
    const std::optional<PlainStep> step = choose(walk, possible);
    if (!step) break;
    if (Status taken = walk.take(*step); !taken.ok()) return std::move(taken.error());
    found.trace.push_back(*step);
    possible = walk.possible();
  }
  found.depth = found.transitions = found.trace.size();
  bool stuck = false;
  for (std::uint32_t p = 0; p < program.processes(); ++p)
    if (possible.empty() && !walk.cut() && walk.operation(p) != kNone) {
      stuck = !walk.fault();
      found.culprit = p;
    }
  report.trace = walk.trace();
  if (stuck) report.waiting = walk.waiting();
  const bool fault = walk.fault().has_value();
  Result<History> history = walk.history(stuck);
  if (!history.ok()) return std::move(history.error());
  report.history = std::make_unique<History>(std::move(*history));
  Result<CheckReport> checked = check_history(options, report);
  if (!checked.ok()) return std::move(checked.error());
  found.verdict = fault ? Verdict::violation : checked->verdict;
  report.reason = checked->reason;
  if (found.verdict == Verdict::undecided) found.stopped = checked->stopped;
  if (found.verdict == Verdict::violation) {
    found.kind = fault ? Found::fault : stuck ? Found::stuck : Found::unexplained;
    if (Status done = replay(program, text, report); !done.ok()) return std::move(done.error());
    if (Status done = confirm(options, report); !done.ok()) return std::move(done.error());
  }
  report.seconds = since(start);
  return report;
}

}  // namespace plumb::refine
