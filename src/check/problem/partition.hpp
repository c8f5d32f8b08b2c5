// SPDX-License-Identifier: MIT
// From a history to problems: bind each operation to its specification, then split by object and,
// where the specification allows it, by key.
#pragma once

#include <string>
#include <vector>

#include "check/problem/problem.hpp"
#include "plumb/check.hpp"

namespace plumb {

struct Partition {
  ObjectId object = 0;
  std::vector<Value> keys;  // empty: the whole object
  Problem problem;
};

struct Partitioning {
  std::vector<Partition> partitions;
  std::vector<std::string> notes;  // why something was not split
  /// Some `after` edge leads from one partition to another: see merge_by_real_time.
  bool linked = false;
};

/// Requires: the history outlives the partitions (they refer to its values).
/// Returns: an error with its line where an operation is not the specification's.
Result<Partitioning> make_partitions(const History& history, const CheckOptions& options);

}  // namespace plumb
