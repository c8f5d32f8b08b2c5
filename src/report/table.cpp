// SPDX-License-Identifier: MIT
// One column a process, one row an event, time running down:
//
//   line   process 0     process 1     process 2
//      1   ┌ enq(1)
//      2   │             ┌ enq(2)
//      3   └ ok          │
//      4                 └ ok
//      5                               ┌ deq()
//      6                               └ 2              ◀ impossible
//
// A bar joins a call to its return, so what overlaps and what does not can be seen. An operation
// that never returns ends in "┆ pending", one of which only the call matters in "┆ result not
// needed". Of operations that look alike, and are many, a few are shown; a line below says how many
// more there are.
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "explain/words.hpp"

namespace plumb::report {
namespace {

std::string pad(std::string text, std::size_t columns) {
  const std::size_t width = text::width_of(text);
  if (width < columns) text.append(columns - width, ' ');
  return text;
}

std::string trim_right(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

struct TableContent {
  std::vector<OperationId> operations;
  std::vector<OperationId> only_called;
  OperationId culprit = kNone;
  std::string left_state;  // empty: from the start
  std::uint32_t left_position = 0;
  bool left_open = false;
  bool minimal = false;
  bool may_fold = false;
};

class TableMaker {
 public:
  TableMaker(const HistoryView& view, TableContent content, std::size_t columns)
      : view_(view), h_(*view.history), content_(std::move(content)),
        operations_(content_.operations), culprit_(content_.culprit) {
    if (content_.may_fold && operations_.size() > kMost) fold();
    std::uint32_t last_line = 0;
    for (const OperationId op : operations_) {
      if (std::find(processes_.begin(), processes_.end(), h_.process[op]) == processes_.end())
        processes_.push_back(h_.process[op]);
      last_line = std::max({last_line, h_.line[op], h_.return_line[op]});
    }
    std::sort(processes_.begin(), processes_.end(),
              [&](ProcessId a, ProcessId b) { return h_.processes[a] < h_.processes[b]; });
    if (last_line) line_columns_ = std::max<std::size_t>(std::to_string(last_line).size(), 4);
    const std::size_t share = (columns > 24 ? columns - 24 : 1) / processes_.size();
    cell_columns_ = std::clamp<std::size_t>(share, 10, 40);
  }

  std::vector<std::string> make() {
    collect_rows();
    std::vector<std::string> table;
    table.push_back(header());
    bool state_shown = content_.left_state.empty();
    for (const Row& row : rows_) {
      // What was open at the cut on the left was called before it.
      if (!state_shown && row.position >= content_.left_position) {
        table.push_back(left_state_row());
        state_shown = true;
      }
      table.push_back(render(row));
    }
    for (const std::string& more : folded_) table.push_back(line_cell("") + more);
    return table;
  }

 private:
  struct Row {
    std::uint32_t position = kNone;
    std::uint32_t line = 0;
    std::vector<std::string> cells;
    bool culprit = false;
  };

  static constexpr std::size_t kMost = 24;  // operations in full
  static constexpr std::size_t kAlike = 2;  // of each kind, if there are more

  bool only_called(OperationId op) const {
    return std::binary_search(content_.only_called.begin(), content_.only_called.end(), op);
  }
  bool open_at_end(OperationId op) const { return !h_.returned(op) || only_called(op); }

  std::string_view all_needed(std::size_t count) const {
    return !content_.minimal ? "" : count == 1 ? ", needed" : ", all needed";
  }

  // Keeps the last ones of those that look alike before the culprit returned, and the first ones of
  // those that were called later; of the kinds that are few, all, as long as there is room. What is
  // left is counted by method.
  void fold() {
    const std::uint32_t cut = culprit_ == kNone ? kNone : h_.ret[culprit_];
    cell_columns_ = 40;
    std::map<std::string, std::vector<OperationId>> before, after;
    for (const OperationId op : operations_)
      if (op != culprit_) (h_.call[op] > cut ? after : before)[call(op) + end(op)].push_back(op);
    std::vector<OperationId> kept;
    if (culprit_ != kNone) kept.push_back(culprit_);
    const auto keep = [&](std::map<std::string, std::vector<OperationId>>& kinds, bool later) {
      std::vector<OperationId> rest;
      for (auto& [name, ops] : kinds) {
        if (!later) std::reverse(ops.begin(), ops.end());
        const std::size_t room = kept.size() < kMost ? kMost - kept.size() : 0;
        const auto some = static_cast<std::ptrdiff_t>(std::min({ops.size(), kAlike, room}));
        kept.insert(kept.end(), ops.begin(), ops.begin() + some);
        rest.insert(rest.end(), ops.begin() + some, ops.end());
      }
      count_by_method(rest, later ? ", called later" : "");
    };
    keep(before, false);
    keep(after, true);
    std::sort(kept.begin(), kept.end());
    operations_ = std::move(kept);
  }

  // "and 9 more deq() = ..., all needed": what differs between them is left out.
  void count_by_method(const std::vector<OperationId>& ops, std::string_view when) {
    std::map<std::pair<std::string, std::string>, std::vector<OperationId>> groups;
    for (const OperationId op : ops)
      groups[{std::string(h_.call_of(op).method), open_at_end(op) ? fate(op) : ""}].push_back(op);
    const auto all_have = [](const std::vector<OperationId>& group, const auto& text) {
      return std::all_of(group.begin(), group.end(),
                         [&](OperationId op) { return text(op) == text(group.front()); });
    };
    for (const auto& [name, group] : groups) {
      const bool same_call = all_have(group, [&](OperationId op) { return call(op); });
      const bool same_end = all_have(group, [&](OperationId op) { return end(op); });
      folded_.push_back(fmt::format("and {} more {}{}{}{}", text::count_words(group.size()),
                                    same_call ? call(group.front()) : name.first + "(...)",
                                    same_end ? end(group.front()) : " = ...", when,
                                    all_needed(group.size())));
    }
  }

  // ", pending" or " = 5"
  std::string end(OperationId op) const {
    if (open_at_end(op)) return ", " + fate(op);
    const std::string outcome = result(op);
    return outcome == "ok" ? "" : " = " + outcome;
  }

  std::size_t column(OperationId op) const {
    return static_cast<std::size_t>(
        std::find(processes_.begin(), processes_.end(), h_.process[op]) - processes_.begin());
  }

  void collect_rows() {
    struct End {
      std::uint32_t position;
      OperationId op;
      bool is_return;
    };
    std::vector<End> ends;
    for (const OperationId op : operations_) {
      ends.push_back({h_.call[op], op, false});
      if (!open_at_end(op)) ends.push_back({h_.ret[op], op, true});
    }
    std::sort(ends.begin(), ends.end(),
              [](const End& a, const End& b) { return a.position < b.position; });
    // How many operations of each column are open: with clocks, those of one process may overlap.
    std::vector<std::size_t> open(processes_.size(), 0);
    for (const End& end : ends) {
      Row row;
      row.position = end.position;
      row.line = end.is_return ? h_.return_line[end.op] : h_.line[end.op];
      row.culprit = end.op == culprit_ && end.is_return;
      for (std::size_t i = 0; i < processes_.size(); ++i)
        row.cells.push_back(open[i] > 0 ? "│" : "");
      const std::size_t at = column(end.op);
      row.cells[at] = (end.is_return ? "└ " + result(end.op) : "┌ " + call(end.op));
      end.is_return ? --open[at] : ++open[at];
      rows_.push_back(std::move(row));
    }
    if (std::any_of(open.begin(), open.end(), [](std::size_t n) { return n > 0; })) {
      Row row;
      row.cells.resize(processes_.size());
      for (const OperationId op : operations_)
        if (open_at_end(op)) row.cells[column(op)] = "┆ " + fate(op);
      row.culprit = culprit_ != kNone && !h_.returned(culprit_);
      rows_.push_back(std::move(row));
    }
  }

  std::string call(OperationId op) const {
    const std::size_t args = std::max<std::size_t>(h_.call_of(op).args.size(), 1);
    return text::elide(call_words(h_, op, std::max<std::size_t>(cell_columns_ / args / 2 + 2, 6)),
                       cell_columns_);
  }

  std::string result(OperationId op) const {
    const Label& label = h_.labels[h_.label[op]];
    return text::elide(result_words(view_.specification(h_.object[op]), h_.call_of(op).method,
                                    label.result, cell_columns_),
                       cell_columns_);
  }

  std::string fate(OperationId op) const {
    if (only_called(op)) return "result not needed";
    return h_.fate[op] == Fate::crashed ? "crashed" : "pending";
  }

  std::string header() {
    std::vector<std::string> names;
    for (const ProcessId p : processes_) {
      const Value name = h_.processes[p];
      names.push_back(name.is_string() ? text::elide(std::string(name.as_text()), cell_columns_)
                                       : "process " + words(name, cell_columns_));
    }
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      std::size_t widest = text::width_of(names[i]);
      for (const Row& row : rows_) widest = std::max(widest, text::width_of(row.cells[i]));
      widths_.push_back(widest + 3);
    }
    return trim_right(line_cell("line") + join(names));
  }

  std::string left_state_row() const {
    return fmt::format("{}the state here is {}, forced by all that came before{}", line_cell(""),
                       text::elide(content_.left_state, 60),
                       content_.left_open ? "; what is open takes effect later" : "");
  }

  std::string line_cell(std::string_view text) const {
    return line_columns_ ? fmt::format("  {:>{}}   ", text, line_columns_) : "  ";
  }

  std::string join(const std::vector<std::string>& cells) const {
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) out += pad(cells[i], widths_[i]);
    return out;
  }

  std::string render(const Row& row) const {
    std::string out = line_cell(row.line ? std::to_string(row.line) : "") + join(row.cells);
    if (!row.culprit) return trim_right(out);
    return out + (h_.returned(culprit_) ? "◀ impossible" : "◀ never returns");
  }

  const HistoryView& view_;
  const History& h_;
  const TableContent content_;
  std::vector<OperationId> operations_;  // that have rows
  const OperationId culprit_;
  std::vector<std::string> folded_;  // what has none
  std::vector<ProcessId> processes_;
  std::vector<Row> rows_;
  std::vector<std::size_t> widths_;
  std::size_t cell_columns_ = 0;
  std::size_t line_columns_ = 0;  // 0: the events have no lines
};

}  // namespace

std::vector<std::string> make_table(const HistoryView& view, const Counterexample& c,
                                    std::size_t columns) {
  // What was cut down, but is still large. Whole runs are shown whole.
  const bool is_core = c.minimal || c.self_contained || !c.only_called.empty();
  TableContent content{c.operations,    c.only_called, c.culprit, c.left_state,
                       c.left_position, c.left_open,   c.minimal, is_core};
  return TableMaker(view, std::move(content), columns).make();
}

std::vector<std::string> make_table(const HistoryView& view, std::size_t columns) {
  TableContent all;
  for (OperationId op = 0; op < view.history->size(); ++op) all.operations.push_back(op);
  return TableMaker(view, std::move(all), columns).make();
}

}  // namespace plumb::report
