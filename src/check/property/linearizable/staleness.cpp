// SPDX-License-Identifier: MIT
// How stale is a read? k-atomicity for k = 2.
//
// Aiyer, Alvisi & Bazzi ("On the availability of non-strict quorum systems", 2005): a history of a
// register is k-atomic if its operations have an order that respects real time, in which each read
// returns one of the last k values written before it. 1-atomic is linearizable. For k = 2 and
// unique values there are polynomial algorithms (Golab, Li & Shah, 2011); here it is an ordinary
// question to the ordinary search, about a register that remembers one value more, so values may
// repeat. A cell that was written once has its initial value as the other one; initially both are
// that.
//
// Reads stay pure, so the search is hardly worse than a register's: its states are pairs of values.
// Both answers are checked: an order is replayed, "no order" must be another search's answer, too.
#include "check/property/linearizable/staleness.hpp"

#include "check/monitors/cell.hpp"
#include "plumb/describe.hpp"

namespace plumb {
namespace {

struct TwoAtomic {
  Value last = Value::integer(0), before = last;

  TwoAtomic() = default;
  explicit TwoAtomic(Value initial) : last(initial), before(initial) {}
  auto state() const { return std::tie(last, before); }

  Value read() const { return choose(2) == 0 ? last : before; }
  void write(Value v) {
    before = last;
    last = v;
  }
};

const Specification& two_atomic() {
  static const auto spec = describe<TwoAtomic>("2-atomic register")
                               .method("read", &TwoAtomic::read)
                               .method("write", &TwoAtomic::write);
  return spec;
}

}  // namespace

unsigned staleness(const Problem& problem, Budget& budget) {
  if (problem.stuck || problem.origin) return 0;
  const Cell cell = as_cell(problem);
  if (!cell.reason.empty()) return 0;
  Problem relaxed = problem;
  relaxed.specification = &two_atomic();
  relaxed.initial = cell.values[cell.initial];
  for (LabelId l = 0; l < problem.labels.size(); ++l) {
    const CellMove& move = cell.moves[l];
    BoundLabel& label = relaxed.labels[l];
    switch (move.kind) {
      case CellMove::Kind::read: label = {0, {}, cell.values[move.from], true}; break;
      case CellMove::Kind::any: label = {0, {}, Value::nil(), false}; break;
      case CellMove::Kind::write:
        label = {1, std::span(&cell.values[move.to], 1), Value::nil(), true};
        break;
      default: return 0;  // a cas is as new as what it sees
    }
    relaxed.pure[l] = label.method == 0;
  }
  Answer answer = decide_jit(relaxed, budget);
  if (answer.verdict == Verdict::holds) {
    complete(answer);
    return verify_witness(relaxed, answer).empty() ? 2 : 0;
  }
  if (answer.verdict == Verdict::undecided) return 0;
  // What comes after the earliest failure does not matter to the second search.
  const Problem start =
      answer.failing_event == kNone ? relaxed : prefix(relaxed, answer.failing_event);
  return decide_wgl(start, budget).verdict == Verdict::violation ? 3 : 0;
}

}  // namespace plumb
