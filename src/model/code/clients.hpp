// SPDX-License-Identifier: MIT
#pragma once

#include "model/code/names.hpp"

namespace plumb::model {

Cell count_processes(const ModelText& text, const Names& names);

/// What the processes call: fills in the program's classes and calls. Requires: its operations are
/// there.
void add_clients(const ModelText& text, const Names& names, Program& program);

}  // namespace plumb::model
