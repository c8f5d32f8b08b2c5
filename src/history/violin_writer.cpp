// SPDX-License-Identifier: MIT
// Writes the text form of Violin and LiMo. It has one object, operations instead of processes, and
// integers and words for values.
#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "history/reader.hpp"

namespace plumb {
namespace {

Error refused(const std::string& what) {
  return bad_input("Violin's form cannot express " + what, "write the native format");
}

bool is_word(std::string_view text) {
  return !text.empty() && text != "empty" && text != "true" && text != "false" &&
         std::all_of(text.begin(), text.end(),
                     [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
                     }) &&
         text.find_first_not_of("-0123456789") != std::string_view::npos;
}

/// Empty: not expressible.
std::string word(Value v) {
  if (v.is_integer() || v.is_boolean()) return v.to_string();
  if (v.is_string() && is_word(v.as_text())) return std::string(v.as_text());
  return "";
}

}  // namespace

Status write_violin(const History& h, std::ostream& out) {
  if (h.stuck) return refused("a stuck history");
  if (!h.after.empty()) return refused("operations of one process that overlap");
  if (h.objects.size() > 1 || (h.objects.size() == 1 && !h.objects[0].name.is_nil()))
    return refused("several objects");
  if (h.objects.size() == 1 && h.objects[0].initial) return refused("an initial value");
  if (h.objects.size() == 1 && !h.objects[0].specification.empty())
    out << "# @object " << h.objects[0].specification << '\n';
  for (const Event e : h.events) {
    const OperationId op = e.operation();
    const Call call = h.call_of(op);
    std::string line = fmt::format("[{}] ", op + 1);
    if (e.is_return()) {
      const Value result = h.labels[h.label[op]].result;
      line += "return";
      if (!result.is_nil()) {
        const std::string text = word(result);
        if (text.empty()) return refused(h.print(op));
        line += " " + text;
      }
    } else {
      if (!is_word(call.method)) return refused(h.print_call(op));
      (line += "call ") += call.method;
      for (std::size_t i = 0; i < call.args.size(); ++i) {
        const std::string text = word(call.args[i]);
        if (text.empty()) return refused(h.print_call(op));
        line += (i ? "," : "(") + text;
      }
      if (!call.args.empty()) line += ")";
    }
    out << (line += '\n');
  }
  return written(out);
}

}  // namespace plumb
