// SPDX-License-Identifier: MIT
// The steps of an execution as people read them: places in the source, variables and blocks by
// short names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/finding.hpp"
#include "session/memory_names.hpp"
#include "session/symbols.hpp"
#include "session/watch.hpp"

namespace plumb::session {

/// What the source has no name for: variables are called v1, v2, ... (A and B are threads) and
/// blocks of the heap #1, #2, ..., in the order in which they appear; small numbers are themselves.
class ValueNames {
 public:
  std::string place(std::uint64_t address, std::uint64_t block);
  std::string value(std::uint64_t value, std::uint64_t block, std::uint32_t size);
  /// "Node #2.next". Requires: it is known.
  std::string of(const MemoryName& name);

 private:
  std::string number_of(std::uint64_t block);
  std::string within(std::uint64_t address, std::uint64_t block);

  std::map<std::uint64_t, std::size_t> variables_, blocks_;
};

/// "load head_->next = #1"
std::string describe(const runtime::TraceStep& step, const MemoryNames::OfStep& names,
                     ValueNames& values);

/// The names in these lines of the trace.
std::map<std::size_t, MemoryNames::OfStep> memory_names_of(const Shown& shown,
                                                           const Symbols& symbols,
                                                           const std::set<std::size_t>& lines);

/// All symbols of these executions, looked up at once.
Symbols symbols_of(const std::vector<const Shown*>& all, const runtime::Board& board);

/// Whether it belongs to a library, so that readers would rather see its caller.
bool is_of_library(const Frame& frame);

report::CallStack stack_of(const runtime::Place& place, const Symbols& symbols);

/// The steps that a reader wants to see: points, and the two accesses of a race. Then who waits
/// forever, and for what, by the same names.
void add_steps(const Shown& shown, const Symbols& symbols, report::Interleaving& made);

}  // namespace plumb::session
