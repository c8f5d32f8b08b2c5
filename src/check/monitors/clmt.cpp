// SPDX-License-Identifier: MIT
// CLMT: the PO property of Chockler, Lynch, Mitra & Tauber ("Proving atomicity: an assertional
// approach", 2005), as Guerraoui & Vukolic state it (Definition 1) and measure SOAR against it. A
// baseline for small histories, by the letter: it tries every relation.
//
// An execution without pending operations is atomic iff there is an irreflexive partial order < on
// its operations, w_0 (the initial value's write) among them, such that
//
//  1. if a returned before b was called, then not b < a;
//  2. any two writes are ordered;
//  3. a write that returned before a read was called is < the read;
//  4. if read a returned before read b was called, LastPrecWrites(a) are all < b;
//  5. some write in LastPrecWrites(a) has the value that read a returned,
//
// where LastPrecWrites(a) are the maximal writes < a. Sufficient: Lemma 2 of that paper; the order
// is the writes as they are ordered, each followed by the reads whose last write it is, in the
// order of their calls. Necessary: any linearization is such a relation.
//
// "clmt-literal" tries all 2^(m(m-1)) relations on m operations; w_0 is one of them. "clmt" is the
// variant that the paper compares with (section 4.2): one writer, w_i < w_(i+1), and w_0 is
// "pre-linearized", first; so only pairs with a read are open.
//
// A read that did not return is left out. A write that did not return counts as one that returns at
// the end of time: if it is ordered last, nobody sees it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "check/monitors/cell.hpp"
#include "check/monitors/monitors.hpp"

namespace plumb {
namespace {

using Kind = CellMove::Kind;
using Set = std::uint32_t;  // of operations

// 2^26 relations take a second or so; each operation more would take a thousand times as long.
constexpr std::size_t kMostPairs = 26;

class Clmt {
 public:
  Clmt(const Problem& problem, const Cell& cell) {
    ops_.push_back({kNone, 0, 0, cell.initial});  // w_0
    for (OperationId op = 0; op < problem.ops.size(); ++op) {
      const CellMove& m = cell.move(problem, op);
      const Problem::Op& o = problem.ops[op];
      const std::uint32_t ret = o.completed() ? o.ret + 1 : kNone;
      if (m.changes() || o.completed()) ops_.push_back({op, o.call + 1, ret, value_of(m)});
      if (m.changes()) writes_ |= Set{1} << (ops_.size() - 1) % 32;
    }
  }

  /// Which pairs a relation may or may not contain: all, or, for a single writer, those with a
  /// read, but for w_0. (Operations are numbered in the order of their calls, and so are a single
  /// writer's writes.)
  void open_pairs(bool single_writer) {
    for (std::uint32_t a = 0; a < ops_.size(); ++a) {
      Row row;
      row.first = open_;
      for (std::uint32_t b = 0; b < ops_.size(); ++b) {
        const bool fixed = single_writer && (a == 0 || b == 0 || (is_write(a) && is_write(b)));
        if (fixed && a < b) row.fixed |= Set{1} << b;
        if (!fixed && a != b) row.open.push_back(b);
      }
      open_ += row.open.size();
      rows_.push_back(std::move(row));
    }
  }
  std::size_t size() const { return ops_.size(); }
  std::size_t open() const { return open_; }

  /// Requires: open() <= kMostPairs. Returns: holds (then order() tells), violation, or undecided
  /// if the budget does not last.
  Verdict run(Budget& budget, SearchStats& stats) {
    for (std::size_t a = 0; a < ops_.size(); ++a)
      for (std::size_t b = 0; b < ops_.size(); ++b)
        if (ops_[a].ret < ops_[b].call) before_.push_back({a, b});
    for (Row& row : rows_) {  // at most half of the pairs are in one row
      for (Set chosen = 0; chosen < Set{1} << row.open.size(); ++chosen) {
        row.choices.push_back(row.fixed);
        for (Set rest = chosen; rest; rest &= rest - 1)
          row.choices.back() |= Set{1}
                                << row.open[static_cast<std::size_t>(std::countr_zero(rest))];
      }
    }
    after_.resize(ops_.size());
    for (Set relation = 0; relation < Set{1} << open_; ++relation) {
      if (++stats.steps % 65536 == 0 && budget.exhausted(65536)) return Verdict::undecided;
      for (std::size_t a = 0; a < rows_.size(); ++a) {
        const Row& row = rows_[a];
        if (relation & ((Set{1} << row.first) - 1)) break;  // this row and the rest are as before
        after_[a] = row.choices[relation >> row.first & (row.choices.size() - 1)];
      }
      if (is_partial_order() && has_properties()) return Verdict::holds;
    }
    return Verdict::violation;
  }

  /// Requires: run() said that it holds.
  std::vector<OperationId> order() const {
    std::vector<std::pair<int, std::uint32_t>> places;  // how many writes precede; number
    for (std::uint32_t a = 0; a < ops_.size(); ++a)
      places.emplace_back(2 * std::popcount(preceding_writes(a)) - (is_write(a) ? 0 : 1), a);
    std::sort(places.begin(), places.end());
    std::vector<OperationId> order;
    for (const auto& [place, a] : places)
      if (a != 0) order.push_back(ops_[a].id);
    return order;
  }

 private:
  struct Op {
    OperationId id;
    std::uint32_t call, ret;
    CellValue value;
  };
  struct Row {  // of a relation: what is greater than one operation
    Set fixed = 0;
    std::vector<std::uint32_t> open;
    std::size_t first = 0;     // the bits of `open` start here
    std::vector<Set> choices;  // by those bits
  };
  static CellValue value_of(const CellMove& m) { return m.changes() ? m.to : m.from; }
  bool is_write(std::size_t a) const { return writes_ >> a & 1; }
  bool less(std::size_t a, std::size_t b) const { return after_[a] >> b & 1; }
  Set preceding_writes(std::size_t a) const {
    Set found = 0;
    for (Set rest = writes_; rest; rest &= rest - 1) {
      const auto w = static_cast<std::size_t>(std::countr_zero(rest));
      if (less(w, a)) found |= Set{1} << w;
    }
    return found;
  }
  Set last_preceding_writes(std::size_t a) const {
    const Set preceding = preceding_writes(a);
    Set found = 0;
    for (Set rest = preceding; rest; rest &= rest - 1) {
      const auto w = static_cast<std::size_t>(std::countr_zero(rest));
      if ((after_[w] & preceding) == 0) found |= Set{1} << w;
    }
    return found;
  }

  // Irreflexive, for no relation contains a pair (a, a); so transitive is enough.
  bool is_partial_order() const {
    for (std::size_t a = 0; a < after_.size(); ++a)
      for (Set rest = after_[a]; rest; rest &= rest - 1)
        if (after_[static_cast<std::size_t>(std::countr_zero(rest))] & ~after_[a]) return false;
    return true;
  }
  bool has_properties() const {
    for (const auto& [a, b] : before_) {
      if (less(b, a)) return false;                                  // 1
      if (is_write(a) && !is_write(b) && !less(a, b)) return false;  // 3
      if (is_write(a) || is_write(b)) continue;
      for (Set rest = last_preceding_writes(a); rest; rest &= rest - 1)
        if (!less(static_cast<std::size_t>(std::countr_zero(rest)), b)) return false;  // 4
    }
    for (std::size_t a = 0; a < ops_.size(); ++a) {
      if (is_write(a)) {
        for (std::size_t b = 0; b < a; ++b)
          if (is_write(b) && !less(a, b) && !less(b, a)) return false;  // 2
        continue;
      }
      bool found = false;
      for (Set rest = last_preceding_writes(a); rest; rest &= rest - 1)
        found |= ops_[static_cast<std::size_t>(std::countr_zero(rest))].value == ops_[a].value;
      if (!found) return false;  // 5
    }
    return true;
  }

  std::vector<Op> ops_;
  Set writes_ = 1;
  std::vector<Row> rows_;
  std::size_t open_ = 0;
  std::vector<Set> after_;                                   // by operation: those that are greater
  std::vector<std::pair<std::size_t, std::size_t>> before_;  // in real time
};

Answer decide_po(const char* engine, bool single_writer, const Problem& problem, Budget& budget) {
  const Cell cell = as_cell(problem);
  if (!cell.reason.empty()) return not_for(engine, cell.reason);
  for (const Problem::Op& op : problem.ops) {
    const Kind kind = cell.moves[op.label].kind;
    if (kind == Kind::write || kind == Kind::read) continue;
    if (kind != Kind::cas && !op.completed()) continue;
    return not_for(engine, "there are operations other than reads and writes");
  }
  const auto clmt = std::make_shared<Clmt>(problem, cell);
  const std::size_t n = clmt->size();
  if (n > 32) return not_for(engine, fmt::format("{} operations are too many", n));
  clmt->open_pairs(single_writer);
  if (clmt->open() > kMostPairs)
    return not_for(engine, fmt::format("2^{} relations are too many", clmt->open()));

  Answer answer;
  answer.engine = engine;
  answer.verdict = clmt->run(budget, answer.stats);
  if (answer.verdict == Verdict::undecided) answer.reason = describe_stop(budget);
  if (answer.verdict == Verdict::violation)
    answer.reason = fmt::format("none of 2^{} relations has the PO property", clmt->open());
  if (answer.verdict == Verdict::holds) {
    answer.covered = problem.completed();
    answer.prove = [clmt] { return clmt->order(); };
  }
  return answer;
}

}  // namespace

Answer decide_clmt(const Problem& problem, Budget& budget, const EngineOptions&) {
  if (std::string reason = why_not_single_writer(problem); !reason.empty())
    return not_for("clmt", std::move(reason));
  return decide_po("clmt", true, problem, budget);
}

Answer decide_clmt_literal(const Problem& problem, Budget& budget, const EngineOptions&) {
  return decide_po("clmt-literal", false, problem, budget);
}

}  // namespace plumb
