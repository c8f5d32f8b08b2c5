// SPDX-License-Identifier: MIT
// What a proof does not speak of, because it never happens.
#pragma once

#include <string>
#include <vector>

#include "model/code/machine.hpp"
#include "model/syntax/quote.hpp"

namespace plumb::refine {

struct Warning {
  enum Kind {
    never_called,    // an operation
    never_returns,   // an operation
    never_reached,   // a statement
    never_passes,    // an await
    never_succeeds,  // a CAS
    never_fails
  } kind;
  model::Place place;
  std::string what;  // the operation's name, or the statement

  bool operator==(const Warning& other) const {
    return kind == other.kind && place.line == other.place.line &&
           place.column == other.place.column && what == other.what;
  }
};

/// "never fails"
const char* to_string(Warning::Kind kind);

/// Requires: `coverage` is that of a search that saw everything. In the order of the text.
std::vector<Warning> vacuity(const model::Program& program, const model::Coverage& coverage,
                             const model::Quotes& quotes);

}  // namespace plumb::refine
