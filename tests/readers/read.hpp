// SPDX-License-Identifier: MIT
// Short ways to read a text and to say what came out of it.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "plumb/formats.hpp"

namespace plumb {

/// "3:enq(7) 3=null" for a call and a return of process 3; "3:q1.enq(7)" on an object with a name.
inline std::string events(const History& h) {
  std::string out;
  for (const Event e : h.events) {
    const OperationId op = e.operation();
    const Value object = h.objects[h.object[op]].name;
    if (!out.empty()) out += " ";
    out += h.processes[h.process[op]].to_string();
    if (e.is_return()) out += "=" + h.labels[h.label[op]].result.to_string();
    else out += ":" + (object.is_nil() ? "" : object.to_string() + ".") + h.print_call(op);
  }
  return out;
}

/// Fates of the operations that did not return: "enq(7) crashed".
inline std::string unreturned(const History& h) {
  std::string out;
  for (OperationId op = 0; op < h.size(); ++op) {
    if (h.returned(op)) continue;
    if (!out.empty()) out += ", ";
    out += h.print_call(op) + (h.fate[op] == Fate::crashed ? " crashed" : " pending");
  }
  return out;
}

/// "queue", "register initially null"; the one of the objects without a name.
inline std::string specification(const History& h) {
  for (const Object& o : h.objects)
    if (o.name.is_nil())
      return o.specification + (o.initial ? " initially " + o.initial->to_string() : "");
  return "";
}

inline History read(std::string_view text, const ReadOptions& options = {}) {
  Result<History> h = read_history_text(text, "test", options);
  if (h) return std::move(*h);
  ADD_FAILURE() << h.error().to_string();
  return {};
}

/// "LINE: message", and a failure where there is no remedy.
inline std::string error_of(std::string_view text, const ReadOptions& options = {}) {
  Result<History> h = read_history_text(text, "test", options);
  if (h) return "no error";
  EXPECT_EQ(h.error().file, "test");
  EXPECT_NE(h.error().remedy, "") << h.error().message;
  return std::to_string(h.error().line) + ": " + h.error().message;
}

inline std::string write(const History& h, std::string_view format) {
  std::ostringstream out;
  Status s = write_history(h, format, out);
  return s.ok() ? out.str() : "error: " + s.error().message;
}

}  // namespace plumb
