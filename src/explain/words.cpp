// SPDX-License-Identifier: MIT
#include "explain/words.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace plumb::report {

std::string words(Value value, std::size_t columns) {
  if (value.is_nil()) return "nil";
  const std::string text = text::printable(value.to_string());
  if (!value.is_string() || text::width_of(text) <= columns) return text::elide(text, columns);
  return text::elide(text, columns - 1) + '"';
}

std::string call_words(const History& history, OperationId op, std::size_t value_columns) {
  const Call call = history.call_of(op);
  std::string out;
  if (history.objects.size() > 1 && !history.objects[history.object[op]].name.is_nil()) {
    const Value name = history.objects[history.object[op]].name;
    out =
        (name.is_string() ? text::elide(text::printable(std::string(name.as_text())), value_columns)
                          : words(name, value_columns)) +
        ".";
  }
  out += text::printable(std::string(call.method)) + "(";
  for (std::size_t i = 0; i < call.args.size(); ++i)
    out += (i ? ", " : "") + words(call.args[i], value_columns);
  return out + ")";
}

std::string result_words(const Specification* specification, std::string_view method, Value result,
                         std::size_t columns) {
  if (!result.is_nil() || !specification) return words(result, columns);
  const auto id = specification->find(method);
  if (!id) return words(result, columns);
  const Method& known = specification->methods()[*id];
  if (known.returns_nothing) return "ok";
  return known.nil_word.empty() ? "nil" : known.nil_word;
}

std::string others_words(const Counterexample& counterexample, std::uint64_t operations) {
  const std::uint64_t others = operations - counterexample.operations.size();
  if (others == 0 || !counterexample.self_contained) return {};
  const bool from_start = counterexample.left_state.empty();
  return fmt::format(
      "This is a violation whatever the other {} did{}: even if {} took effect at any time, with "
      "any "
      "result, or never.",
      others == 1 ? "operation" : text::count_words(others) + " operations",
      from_start ? "" : " from that state on", others == 1 ? "it" : "each of them");
}

}  // namespace plumb::report
