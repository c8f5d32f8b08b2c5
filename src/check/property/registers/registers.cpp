// SPDX-License-Identifier: MIT
// What the properties have in common: which objects they are defined for. All of them speak of
// reads and writes, so every operation must be one; anything else is refused before anything is
// decided.
#include "check/property/registers/registers.hpp"

#include <fmt/format.h>

#include "check/property/sequential/sequential.hpp"
#include "spec/families.hpp"

namespace plumb {
namespace {

bool is_register(const Specification& specification) {
  return kCells.contains(specification.family());
}

bool reads_or_writes(const Specification& specification, std::string_view method) {
  const auto found = specification.find(method);
  if (!found) return true;  // not an operation at all: make_partitions reports it, with its line
  const Role role = specification.methods()[*found].role;
  return role == Role::reads || role == Role::writes;
}

Status only_reads_and_writes(const History& history, const CheckOptions& options) {
  const std::string_view property = to_string(options.property);
  const std::string allowed = fmt::format(
      "{} is for read and write of register and array, and get and put of map", property);
  std::vector<const Specification*> specifications;
  for (const Object& object : history.objects) {
    specifications.push_back(options.specification ? options.specification
                                                   : find_specification(object.specification));
    if (specifications.back() && !is_register(*specifications.back()))
      return Error{ErrorKind::usage,
                   fmt::format("--property {} of a {}", property, specifications.back()->name()),
                   allowed, history.file};
  }
  for (OperationId op = 0; op < history.size(); ++op) {
    const Specification* s = specifications[history.object[op]];
    if (s && !reads_or_writes(*s, history.call_of(op).method))
      return Error{
          ErrorKind::usage,
          fmt::format("--property {} of a history with {}", property, history.call_of(op).method),
          allowed, history.file, history.line[op]};
  }
  return {};
}

}  // namespace

Result<CheckReport> check_property(const History& history, const CheckOptions& options,
                                   CheckProgress& progress) {
  if (Status s = only_reads_and_writes(history, options); !s.ok()) return std::move(s.error());
  return options.property == HistoryProperty::sequential
             ? check_sequential(history, options, progress)
             : check_reads(history, options, progress);
}

}  // namespace plumb
