// SPDX-License-Identifier: MIT
// SOAR by the letter: the predicate of Figure 3 of Guerraoui & Vukolic, "A scalable and oblivious
// atomicity assertion" (2008). A baseline; what we use is soar.cpp.
//
//     linRds(wrs, rds) = {r in rds : Ret[r] = Ret[last] and Resp[r] > Inv[last] and
//                         for all r' in rds: Resp[r] < Inv[r'] => Ret[r'] = Ret[last]}
//     SOAR(wrs, rds) = if wrs = {last} then for all r in rds: Ret[r] = Ret[last]
//                      else (for all r in rds \ linRds: not Inv[r] > Resp[last])
//                           and SOAR(wrs \ {last}, rds \ linRds)
//
// where last = lastWR(wrs). Lemmas 1 and 2 show that it is equivalent to the PO property (clmt.cpp)
// for a single writer. The recursion is a loop here, nothing else is changed: O(writes * reads^2).
//
// Two points where the text needs care. A write that did not return has Resp = infinity (Figure 4,
// line 041). A read is put into rds when it is called, with Resp = 0 until it returns; with more
// than one reader such a read would count as one that returned before everything, so the assertion
// is about the completed reads only, as section 3.2 says.
//
// The sets linRds are an order: w_0 R_0 w_1 R_1 ... ((*) in the proof of Lemma 1).
#include <algorithm>

#include "check/monitors/cell.hpp"
#include "check/monitors/monitors.hpp"

namespace plumb {
namespace {

struct Execution {
  std::vector<OperationId> wrs, rds;  // in the order of their calls; w_0 is not an operation
  std::vector<std::vector<OperationId>> linearized;  // R_W, ..., R_1, R_0
};

}  // namespace

Answer decide_soar_literal(const Problem& problem, Budget& budget, const EngineOptions&) {
  if (std::string reason = why_not_single_writer(problem); !reason.empty())
    return not_for("soar-literal", std::move(reason));
  const Cell cell = as_cell(problem);
  if (!cell.reason.empty()) return not_for("soar-literal", cell.reason);
  const auto inv = [&](OperationId op) { return problem.ops[op].call; };
  const auto resp = [&](OperationId op) { return problem.ops[op].ret; };  // kNone: infinity
  const auto execution = std::make_shared<Execution>();
  auto& [wrs, rds, linearized] = *execution;
  for (OperationId op = 0; op < problem.ops.size(); ++op) {
    const CellMove& m = cell.move(problem, op);
    if (m.changes()) wrs.push_back(op);
    else if (problem.ops[op].completed()) rds.push_back(op);
    if (m.kind == CellMove::Kind::any && problem.ops[op].completed())
      return not_for("soar-literal", "a read has no recorded result");
  }
  const auto ret = [&](OperationId read) { return cell.move(problem, read).from; };

  Answer answer;
  answer.engine = "soar-literal";
  answer.verdict = Verdict::holds;
  for (std::size_t i = wrs.size(); i-- > 0 && answer.verdict == Verdict::holds;) {
    const OperationId last = wrs[i];
    const CellValue written = cell.move(problem, last).to;
    std::vector<OperationId> lin_rds, rest;
    for (const OperationId r : rds) {
      if (++answer.stats.steps % 256 == 0 && budget.exhausted(256))
        return not_for("soar-literal", describe_stop(budget));
      const bool in = ret(r) == written && resp(r) > inv(last) &&
                      std::all_of(rds.begin(), rds.end(), [&](OperationId other) {
                        return !(resp(r) < inv(other)) || ret(other) == written;
                      });
      (in ? lin_rds : rest).push_back(r);
    }
    for (const OperationId r : rest)
      if (inv(r) > resp(last)) answer.verdict = Verdict::violation;  // line a2
    linearized.push_back(std::move(lin_rds));
    rds = std::move(rest);
  }
  for (const OperationId r : rds)
    if (ret(r) != cell.initial) answer.verdict = Verdict::violation;  // line a1
  if (answer.verdict == Verdict::violation) {
    answer.reason = "the predicate SOAR is false";
    return answer;
  }
  linearized.push_back(std::move(rds));
  answer.covered = problem.completed();
  answer.prove = [execution, &problem] {
    std::vector<OperationId> order = execution->linearized.back();
    for (std::size_t i = 0; i < execution->wrs.size(); ++i) {
      const auto& reads = execution->linearized[execution->wrs.size() - 1 - i];
      // A last write that did not return and that nobody read did not happen.
      if (problem.ops[execution->wrs[i]].completed() || !reads.empty())
        order.push_back(execution->wrs[i]);
      order.insert(order.end(), reads.begin(), reads.end());
    }
    return order;
  };
  return answer;
}

}  // namespace plumb
