// SPDX-License-Identifier: MIT
// What must hold of every input, however bad: it is refused with a message, or it is a well-formed
// history that survives being written and read again.
#pragma once

#include <sstream>
#include <string>
#include <string_view>

#include "plumb/formats.hpp"

namespace plumb {

/// Empty, or what is wrong.
inline std::string ill_formed(const History& h) {
  if (h.process.size() != h.size() || h.object.size() != h.size() || h.call.size() != h.size() ||
      h.ret.size() != h.size() || h.fate.size() != h.size() || h.line.size() != h.size() ||
      h.return_line.size() != h.size())
    return "arrays of different sizes";
  std::size_t ends = 0;
  for (OperationId op = 0; op < h.size(); ++op) {
    if (h.call[op] >= h.events.size() || h.events[h.call[op]].word != Event(op, false).word)
      return "a call that is not where it should be";
    if (op > 0 && h.call[op] <= h.call[op - 1]) return "calls out of order";
    if ((h.fate[op] == Fate::returned) != h.returned(op)) return "a fate that is not true";
    if (h.labels.at(h.label[op]).known != h.returned(op)) return "a label that is not true";
    if (h.returned(op) && (h.ret[op] <= h.call[op] || h.ret[op] >= h.events.size() ||
                           h.events[h.ret[op]].word != Event(op, true).word))
      return "a return that is not where it should be";
    if (h.process[op] >= h.processes.size() || h.object[op] >= h.objects.size())
      return "a process or an object that does not exist";
    if (h.after_of(op) != kNone &&
        (h.after_of(op) >= op || h.process[h.after_of(op)] != h.process[op] ||
         !h.returned(h.after_of(op))))
      return "an `after` that makes no sense";
    ends += h.returned(op) ? 2 : 1;
  }
  return ends == h.events.size() ? "" : "events that belong to nothing";
}

/// Empty, or what differs. Lines do, of course.
inline std::string difference(const History& a, const History& b) {
  if (a.size() != b.size() || a.call != b.call || a.ret != b.ret) return "events";
  if (a.fate != b.fate || a.after != b.after || a.stuck != b.stuck) return "fates";
  if (a.call_time != b.call_time || a.return_time != b.return_time) return "times";
  for (OperationId op = 0; op < a.size(); ++op) {
    const Object &x = a.objects[a.object[op]], &y = b.objects[b.object[op]];
    if (a.print(op) != b.print(op)) return a.print(op) + " and " + b.print(op);
    if (a.processes[a.process[op]] != b.processes[b.process[op]]) return "processes";
    if (x.name != y.name || x.specification != y.specification || x.initial != y.initial)
      return "objects";
  }
  if (a.notes.size() != b.notes.size()) return "notes";
  for (std::size_t i = 0; i < a.notes.size(); ++i)
    if (a.notes[i].position != b.notes[i].position || a.notes[i].text != b.notes[i].text)
      return "notes";
  return "";
}

/// Empty, or which property fails.
inline std::string failed_property(std::string_view format, std::string_view input) {
  const ReadOptions options{.format = std::string(format), .line_limit = 1 << 16};
  const Result<History> h = read_history_text(input, "input", options);
  if (!h.ok()) {
    if (h.error().message.empty()) return "an error without a message";
    if (h.error().file != "input") return "an error without a file";
    return h.error().kind == ErrorKind::bad_input ? "" : "not bad input: " + h.error().to_string();
  }
  if (const std::string wrong = ill_formed(*h); !wrong.empty()) return wrong;

  std::ostringstream out;
  if (Status s = write_history(*h, "native", out); !s.ok()) return s.error().to_string();
  const Result<History> again = read_history_text(out.str(), "again", {.format = "native"});
  if (!again.ok()) return again.error().to_string();
  if (const std::string wrong = difference(*h, *again); !wrong.empty())
    return "written and read again: " + wrong + "\n" + out.str();

  // Other formats may refuse, but must be able to read what they wrote.
  for (const std::string_view other : {"edn", "violin"}) {
    std::ostringstream text;
    if (!write_history(*h, other, text).ok() || h->size() == 0) continue;
    const Result<History> back =
        read_history_text(text.str(), "again", {.format = std::string(other)});
    if (!back.ok()) return back.error().to_string() + "\n" + text.str();
    if (back->call != h->call || back->ret != h->ret)
      return "written in another format and read again: events\n" + text.str();
    for (OperationId op = 0; op < h->size(); ++op)
      if (back->print(op) != h->print(op))
        return "in another format: " + h->print(op) + " and " + back->print(op);
  }
  return "";
}

}  // namespace plumb
