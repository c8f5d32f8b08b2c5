// SPDX-License-Identifier: MIT
#include "refine/question/criterion.hpp"

#include "refine/question/history_monitor.hpp"
#include "refine/question/points.hpp"
#include "refine/question/register_monitor.hpp"

namespace plumb::refine {
namespace {

constexpr std::pair<const char*, Criterion> kCriteria[] = {
    {"product", Criterion::linearizable},
    {"points", Criterion::points},
    {"regular", Criterion::regular},
    {"safe", Criterion::safe},
    {"soar", Criterion::soar},
    {"soar-literal", Criterion::soar_literal},
    {"clmt", Criterion::clmt},
    {"dummy", Criterion::dummy}};

}  // namespace

const char* to_string(Criterion criterion) {
  for (const auto& [name, which] : kCriteria)
    if (which == criterion) return name;
  return "";
}

std::optional<Criterion> criterion_named(std::string_view name) {
  for (const auto& [known, which] : kCriteria)
    if (known == name) return which;
  return {};
}

Criterion criterion_of(const model::Program& program) {
  return program.asserted ? *criterion_named(program.asserted->predicate) : Criterion::linearizable;
}

std::unique_ptr<Monitor> make_monitor(Criterion criterion, Sets& sets) {
  if (records(criterion)) return std::make_unique<HistoryMonitor>(sets, criterion);
  if (of_registers(criterion))
    return std::make_unique<RegisterMonitor>(sets, criterion == Criterion::safe);
  if (criterion == Criterion::points) return std::make_unique<PointsMonitor>(sets);
  return std::make_unique<Monitor>(sets);
}

}  // namespace plumb::refine
