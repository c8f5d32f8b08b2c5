// SPDX-License-Identifier: MIT
// Writes Jepsen's EDN, one event a line. A first comment carries the native header: EDN tools skip
// it, and our reader learns from it the specification, the initial value, and whether values are
// tuples [object value].
#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <simdjson.h>

#include "history/clock_time.hpp"
#include "history/header.hpp"
#include "history/jepsen.hpp"
#include "history/print.hpp"
#include "history/reader.hpp"

namespace plumb {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

void append_edn_string(std::string& out, std::string_view text) {
  append_json_string(out, text);  // every escape that it uses is one of EDN's too
}

void append_edn(std::string& out, element e) {
  if (e.type() == element_type::OBJECT) {
    const simdjson::dom::object fields = e.get_object().value_unsafe();
    out += '{';
    bool first = true;
    for (const auto field : fields) {
      if (!std::exchange(first, false)) out += ", ";
      append_edn_string(out, field.key);
      out += ' ';
      append_edn(out, field.value);
    }
    out += '}';
  } else if (e.type() == element_type::ARRAY) {
    const simdjson::dom::array items = e.get_array().value_unsafe();
    out += '[';
    bool first = true;
    for (const element item : items) {
      if (!std::exchange(first, false)) out += ' ';
      append_edn(out, item);
    }
    out += ']';
  } else if (e.type() == element_type::STRING) {
    append_edn_string(out, e.get_string().value_unsafe());
  } else if (e.is_null()) {
    out += "nil";
  } else if (e.type() == element_type::DOUBLE) {
    append_json_real(out, e.get_double().value_unsafe());
  } else {
    out += simdjson::minify(e);
  }
}

bool append_edn(std::string& out, Value v) {
  if (v.is_nil()) {
    out += "nil";
  } else if (v.is_string()) {
    append_edn_string(out, v.as_text());
  } else if (v.is_list()) {
    out += '[';
    bool first = true;
    for (const Value item : v.as_list()) {
      if (!std::exchange(first, false)) out += ' ';
      if (!append_edn(out, item)) return false;
    }
    out += ']';
  } else if (v.kind() == Value::Kind::opaque) {
    simdjson::dom::parser parser;
    element root;
    if (parser.parse(simdjson::padded_string(v.as_text())).get(root)) return false;
    append_edn(out, root);
  } else {
    out += v.to_string();
  }
  return true;
}

bool is_keyword(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           u >= 0x80 || std::string_view("-_.!?*+<>=/$%&").find(c) != std::string_view::npos;
  });
}

class EdnWriter {
 public:
  EdnWriter(const History& history, std::ostream& out) : h_(history), out_(out) {}

  Status write() {
    if (h_.stuck) return refused("a stuck history", "write the native format");
    if (!h_.after.empty())
      return refused("operations of one process that overlap", "write the native format");
    independent_ = std::any_of(h_.objects.begin(), h_.objects.end(),
                               [](const Object& o) { return !o.name.is_nil(); });
    keyed_ = !independent_ && h_.size() > 0 &&
             std::all_of(h_.label.begin(), h_.label.end(), [&](LabelId l) {
               const Call c = h_.calls[h_.labels[l].call];
               return !c.args.empty() && is_map_method(c.method);
             });
    numbered_ = !std::all_of(h_.processes.begin(), h_.processes.end(),
                             [](Value name) { return name.is_integer(); });
    out_ << "; " << print_header({h_.objects, independent_}) << '\n';

    std::vector<OperationId> open(h_.processes.size(), kNone);
    std::size_t note = 0;
    for (std::uint32_t position = 0; position < h_.events.size(); ++position) {
      for (; note < h_.notes.size() && h_.notes[note].position <= position; ++note)
        out_ << "; " << h_.notes[note].text << '\n';
      const Event e = h_.events[position];
      const OperationId op = e.operation();
      OperationId& before = open[h_.process[op]];
      if (!e.is_return() && before != kNone)
        if (Status s = event(before, "info"); !s) return s;
      if (Status s = event(op, !e.is_return() ? "invoke" : failed_cas(op) ? "fail" : "ok"); !s)
        return s;
      before = e.is_return() ? kNone : op;
    }
    for (OperationId op = 0; op < h_.size(); ++op)
      if (h_.fate[op] == Fate::crashed && open[h_.process[op]] == op)
        if (Status s = event(op, "info"); !s) return s;
    return written(out_);
  }

 private:
  static bool is_map_method(std::string_view f) {
    return f == "get" || f == "put" || f == "append" || f == "delete";
  }

  static Error refused(const std::string& what, std::string remedy) {
    return bad_input("EDN cannot express " + what, std::move(remedy));
  }

  bool failed_cas(OperationId op) const {
    return h_.call_of(op).method == "cas" && h_.call_of(op).args.size() == 2 &&
           h_.labels[h_.label[op]].result == Value::boolean(false);
  }

  Status event(OperationId op, std::string_view type) {
    const Call c = h_.call_of(op);
    const Label& label = h_.labels[h_.label[op]];
    std::vector<Value> args(c.args.begin(), c.args.end());
    std::optional<Value> key;
    if (keyed_) {
      key = args[0];
      args.erase(args.begin());
    }
    const Value invoked = args.empty()       ? Value::nil()
                          : args.size() == 1 ? args[0]
                                             : Value::list(args);
    const Value returned = jepsen_result(c.method, invoked, invoked) == label.result
                               ? invoked  // an :ok repeats its :invoke where it has no news
                               : label.result;
    // What the reader will make of it must be the same.
    if (!is_keyword(c.method) || c.method == "drain" || jepsen_args(c.method, invoked) != args ||
        (label.known && !failed_cas(op) &&
         jepsen_result(c.method, invoked, returned) != label.result))
      return refused(h_.print(op), "write the native format");

    Value value = type == "ok" ? returned : invoked;
    if (independent_) value = Value::list({h_.objects[h_.object[op]].name, value});
    const ProcessId p = h_.process[op];
    std::string line = "{:process ";
    line += numbered_ ? std::to_string(p) : h_.processes[p].to_string();
    line += fmt::format(", :type :{}, :f :{}", type, c.method);
    bool expressible = true;
    if (key) expressible = append_edn(line += ", :key ", *key);
    expressible = append_edn(line += ", :value ", value) && expressible;
    if (!expressible) return refused(h_.print(op), "write the native format");
    if (!h_.call_time.empty() && type != "info")
      line += ", :time " + to_string((type == "invoke" ? h_.call_time : h_.return_time)[op]);
    out_ << (line += "}\n");
    return {};
  }

  const History& h_;
  std::ostream& out_;
  bool independent_ = false;  // values are [object value]
  bool keyed_ = false;        // a map's keys stand in :key
  bool numbered_ = false;     // names of processes are not all integers: numbers instead
};

}  // namespace

Status write_edn(const History& history, std::ostream& out) {
  return EdnWriter(history, out).write();
}

}  // namespace plumb
