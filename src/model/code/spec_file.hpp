// SPDX-License-Identifier: MIT
// spec "FILE": a specification that is another model.
#pragma once

#include <string>
#include <vector>

#include "model/code/program.hpp"
#include "model/syntax/ast.hpp"

namespace plumb::model {

struct NamedModel {
  std::string file, text;
};

/// Reads the model that another one names. Throws: Mistake, where it cannot be read, or where
/// models are each other's specifications.
NamedModel read_named_model(const FileText& named, const Origin& origin);

/// For each operation of the object which one of the specification it is: the one with the same
/// name, which has to take and return the same. Throws: Mistake, at the place.
std::vector<std::uint32_t> same_operations(const Program& object, const SpecModel& spec,
                                           Place place);

}  // namespace plumb::model
