// SPDX-License-Identifier: MIT
// What a report is about: one file that was checked, how, and with what outcome.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/check.hpp"

namespace plumb::report {

struct Subject {
  std::string file;
  std::string specification;             // name, or names, for people
  const Specification* given = nullptr;  // --spec; null: what the history says
  const History* history = nullptr;      // null: it was not read to its end
  const CheckReport* report = nullptr;
  // From the report, or, where the check had to be abandoned, from its progress.
  std::uint64_t partitions = 0, partitions_decided = 0;
  CheckOptions options;
  double reading_seconds = 0, total_seconds = 0;
  std::uint64_t peak_bytes = 0;        // of the process
  std::string witness_file;            // empty: not written
  const QuasiReport* quasi = nullptr;  // of --quasi; its `check` is `report`
};

/// The specification of an object; null if there is none.
const Specification* specification_of(const Subject& subject, ObjectId object);
/// "queue", "queue and register"
std::string specification_names(const History& history, const Specification* given);

}  // namespace plumb::report
