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
// that is open at the end ends in "┆ pending" or "┆ returns later". Rows are events of the shown
// operations only, up to the culprit's return: what comes later cannot change it.
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

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
  OperationId culprit = kNone;
  std::string left_state;  // empty: from the start
  std::uint32_t left_position = 0;
};

class TableMaker {
 public:
  TableMaker(const HistoryView& view, TableContent content, std::size_t columns)
      : view_(view), h_(*view.history), operations_(std::move(content.operations)),
        culprit_(content.culprit), left_state_(std::move(content.left_state)),
        left_position_(content.left_position), cut_(culprit_ == kNone ? kNone : h_.ret[culprit_]) {
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
    bool state_shown = left_state_.empty();
    for (const Row& row : rows_) {
      // What was open at the cut on the left was called before it.
      if (!state_shown && row.position >= left_position_) {
        table.push_back(left_state_row());
        state_shown = true;
      }
      table.push_back(render(row));
    }
    return table;
  }

 private:
  struct Row {
    std::uint32_t position = kNone;
    std::uint32_t line = 0;
    std::vector<std::string> cells;
    bool culprit = false;
  };

  bool open_at_end(OperationId op) const { return !h_.returned(op) || h_.ret[op] > cut_; }

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
      row.culprit = cut_ == kNone && culprit_ != kNone;
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

  // An open operation that has taken effect has done so with the result that it returned later.
  std::string fate(OperationId op) const {
    if (!h_.returned(op)) return h_.fate[op] == Fate::crashed ? "crashed" : "pending";
    const std::string later = result(op);
    return later == "ok" ? "returns later" : text::elide("later: " + later, cell_columns_);
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
    return fmt::format("{}the state here is {}, forced by all that came before", line_cell(""),
                       text::elide(left_state_, 60));
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
    return out + (cut_ == kNone ? "◀ never returns" : "◀ impossible");
  }

  const HistoryView& view_;
  const History& h_;
  const std::vector<OperationId> operations_;
  const OperationId culprit_;
  const std::string left_state_;
  const std::uint32_t left_position_;
  const std::uint32_t cut_;
  std::vector<ProcessId> processes_;
  std::vector<Row> rows_;
  std::vector<std::size_t> widths_;
  std::size_t cell_columns_ = 0;
  std::size_t line_columns_ = 0;  // 0: the events have no lines
};

}  // namespace

std::vector<std::string> make_table(const HistoryView& view, const Counterexample& c,
                                    std::size_t columns) {
  TableContent content{c.operations, c.culprit, c.left_state, c.left_position};
  if (!c.focus.empty()) {
    content.operations = c.focus;
    content.left_state.clear();
  }
  return TableMaker(view, std::move(content), columns).make();
}

std::vector<std::string> make_table(const HistoryView& view, std::size_t columns) {
  TableContent all;
  for (OperationId op = 0; op < view.history->size(); ++op) all.operations.push_back(op);
  return TableMaker(view, std::move(all), columns).make();
}

}  // namespace plumb::report
