// SPDX-License-Identifier: MIT
#include "history/parse_value.hpp"

#include "history/json_value.hpp"

namespace plumb {

std::optional<Value> parse_value(std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  if (parser.parse(json.data(), json.size()).get(element)) return std::nullopt;
  return to_value(element);
}

}  // namespace plumb
