// SPDX-License-Identifier: MIT
// Writes events in real-time order, each with its recorded clock value. Events cannot express
// operations of one process that overlap; such histories are written as operations with clock
// values.
#include <algorithm>
#include <ostream>

#include "history/clock_time.hpp"
#include "history/header.hpp"
#include "history/print.hpp"
#include "history/reader.hpp"

namespace plumb {
namespace {

class NativeWriter {
 public:
  NativeWriter(const History& history, std::ostream& out) : h_(history), out_(out) {}

  Status write() {
    out_ << print_header({h_.objects, false}) << '\n';
    if (fits_events()) events();
    else operations();
    notes(kNone);
    if (h_.stuck) out_ << "{\"type\":\"stuck\"}\n";
    return written(out_);
  }

 private:
  bool fits_events() const {
    if (!h_.after.empty()) return false;
    std::vector<bool> open(h_.processes.size(), false);
    for (const Event e : h_.events) {
      const ProcessId p = h_.process[e.operation()];
      if (!e.is_return() && open[p]) return false;
      open[p] = !e.is_return();
    }
    return true;
  }

  void notes(std::uint32_t before) {
    for (; note_ < h_.notes.size() && h_.notes[note_].position <= before; ++note_)
      out_ << h_.notes[note_].text << '\n';
  }

  void field(const char* name, const std::string& text) {
    ((((line_ += ",\"") += name) += "\":") += text);
  }

  void call(OperationId op) {
    std::string method;
    const Call c = h_.call_of(op);
    append_json_string(method, c.method);
    const Value object = h_.objects[h_.object[op]].name;
    if (!object.is_nil()) field("object", object.to_string());
    field("op", method);
    field("args", Value::list(c.args).to_string());
  }

  void order(OperationId op) {
    if (!h_.order.empty() && h_.order[op] != History::kNoOrder)
      field("order", std::to_string(h_.order[op]));
  }

  void events() {
    for (std::uint32_t position = 0; position < h_.events.size(); ++position) {
      notes(position);
      const OperationId op = h_.events[position].operation();
      const bool is_return = h_.events[position].is_return();
      line_ = is_return ? "{\"type\":\"return\"" : "{\"type\":\"call\"";
      field("process", h_.processes[h_.process[op]].to_string());
      if (is_return) field("result", h_.labels[h_.label[op]].result.to_string());
      else call(op);
      if (is_return) order(op);
      if (!h_.call_time.empty())
        field("time", to_string((is_return ? h_.return_time : h_.call_time)[op]));
      out_ << (line_ += "}\n");
    }
    notes(static_cast<std::uint32_t>(h_.events.size()));
    for (OperationId op = 0; op < h_.size(); ++op)
      if (h_.fate[op] == Fate::crashed)
        out_ << "{\"type\":\"crash\",\"process\":" << h_.processes[h_.process[op]].to_string()
             << "}\n";
  }

  /// Whether the recorded clocks alone lead to this order of events: not where they were widened
  /// by a skew. (How they lead to an order: builder.cpp.)
  bool clocks_explain_order() const {
    if (h_.call_time.empty()) return false;
    std::vector<ClockTime> called = h_.call_time, returned = h_.return_time;
    std::vector<OperationId> neighbour(h_.processes.size(), kNone);
    for (auto op = static_cast<OperationId>(h_.size()); op-- > 0;) {
      OperationId& next = neighbour[h_.process[op]];
      if (next != kNone) called[op] = std::min(called[op], called[next]);
      next = op;
    }
    neighbour.assign(neighbour.size(), kNone);
    for (OperationId op = 0; op < h_.size(); ++op) {
      OperationId& before = neighbour[h_.process[op]];
      if (!h_.returned(op)) continue;
      if (before != kNone) returned[op] = std::max(returned[op], returned[before]);
      before = op;
    }
    return std::is_sorted(h_.events.begin(), h_.events.end(), [&](Event a, Event b) {
      const ClockTime x = (a.is_return() ? returned : called)[a.operation()];
      const ClockTime y = (b.is_return() ? returned : called)[b.operation()];
      return x < y || (x == y && !a.is_return() && b.is_return());
    });
  }

  /// Where the recorded clocks do not serve, positions do: only their order matters.
  void operations() {
    const bool clocks = clocks_explain_order();
    for (OperationId op = 0; op < h_.size(); ++op) {
      notes(h_.call[op]);
      line_ = "{\"process\":" + h_.processes[h_.process[op]].to_string();
      call(op);
      if (h_.returned(op)) field("result", h_.labels[h_.label[op]].result.to_string());
      order(op);
      field("call", clocks ? to_string(h_.call_time[op]) : std::to_string(h_.call[op]));
      if (!h_.returned(op)) field("return", "null");
      else field("return", clocks ? to_string(h_.return_time[op]) : std::to_string(h_.ret[op]));
      if (h_.fate[op] == Fate::crashed) field("crash", "true");
      out_ << (line_ += "}\n");
    }
  }

  const History& h_;
  std::ostream& out_;
  std::string line_;
  std::size_t note_ = 0;
};

}  // namespace

Status write_native(const History& history, std::ostream& out) {
  return NativeWriter(history, out).write();
}

}  // namespace plumb
