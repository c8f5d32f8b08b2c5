// SPDX-License-Identifier: MIT
// The header of a native file, which the EDN writer puts into a comment as well.
#pragma once

#include <string>
#include <vector>

#include <simdjson.h>

#include "plumb/history.hpp"

namespace plumb {

struct Header {
  std::vector<Object> objects;  // one with the name nil: what is true of every object
  bool independent = false;     // EDN: every value is a tuple [object value]
};

/// Requires: the element is an object with a "history" field.
Result<Header> read_header(simdjson::dom::element root);
std::string print_header(const Header& header);

}  // namespace plumb
