// SPDX-License-Identifier: MIT
#include "lineup/by_specification.hpp"

#include <algorithm>

#include "lineup/tell.hpp"
#include "quasi/relaxation.hpp"

namespace plumb::lineup {
namespace {

bool means(const Specification& specification, const std::string& a, const std::string& b) {
  const auto method = specification.find(a);
  return method && method == specification.find(b);
}

bool is_in(const Specification& specification, const QuasiSet& set, const std::string& method) {
  return std::ranges::any_of(
      set.operations, [&](const std::string& name) { return means(specification, name, method); });
}

// The sets, as far as the test calls their operations: about others nothing can be asked.
QuasiOptions asked_of(const BySpecification& by, const Matrix& test, const Object& object) {
  QuasiOptions asked = by.quasi;
  const std::vector<Cell> all = cells(test);
  const auto is_called = [&](const std::string& name) {
    return std::ranges::any_of(all, [&](const Cell& cell) {
      const Invocation& it = object.invocations[static_cast<std::size_t>(cell.invocation)];
      return means(*by.specification, name, it.method);
    });
  };
  for (QuasiSet& set : asked.sets)
    std::erase_if(set.operations, [&](const std::string& name) { return !is_called(name); });
  std::erase_if(asked.sets, [](const QuasiSet& set) { return set.operations.empty(); });
  return asked;
}

}  // namespace

std::string wrong_question(const BySpecification& by, const Object& object) {
  if (!by.is_relaxed()) return {};
  // All methods at once, none of which returns.
  Matrix test;
  History history;
  for (int i = 0; i < static_cast<int>(object.invocations.size()); ++i) {
    test.columns.push_back({i});
    history.events.push_back({i, false, 0});
  }
  const plumb::History called = to_history(test, object, history, Results(), true);
  const Status status = quasi::check_question(by.quasi, called, {by.specification});
  if (status.ok()) return {};
  return "--quasi: " + status.error().message + " (" + status.error().remedy + ")";
}

Result<QuasiReport> decide(const BySpecification& by, const Matrix& test, const Object& object,
                           const plumb::History& history, bool minimise) {
  CheckOptions options;
  options.specification = by.specification;
  options.minimise = minimise;
  options.jobs = 1;
  if (by.is_relaxed()) {
    const QuasiOptions asked = asked_of(by, test, object);
    if (!asked.sets.empty()) return check_quasi(history, asked, options);
  }
  Result<CheckReport> checked = plumb::check(history, options);
  if (!checked.ok()) return checked.error();
  QuasiReport report;
  report.check = *std::move(checked);
  report.asked = by.quasi;
  return report;
}

Matrix drained(Matrix test, const Object& object, const BySpecification& by) {
  const auto relaxation = quasi::find_relaxation(by.quasi.relaxation);
  if (!by.is_relaxed() || !relaxation || !quasi::permutes(*relaxation)) return test;
  const auto removes = [&](const Invocation& it) {
    return std::ranges::any_of(by.quasi.sets, [&](const QuasiSet& set) {
      return is_in(*by.specification, set, it.method) && argument_text(it).empty();
    });
  };
  const auto removal = std::ranges::find_if(object.invocations, removes);
  if (removal == object.invocations.end()) return test;
  // Removals of before may have come too early.
  const auto invocation = [&](int i) -> const Invocation& {
    return object.invocations[static_cast<std::size_t>(i)];
  };
  const auto adds = [&](const Cell& cell) {
    const Invocation& it = invocation(cell.invocation);
    return !removes(it) && !argument_text(it).empty();
  };
  std::ptrdiff_t inside = std::ranges::count_if(cells(test), adds);
  inside -= std::ranges::count_if(test.final, [&](int i) { return removes(invocation(i)); });
  for (; inside > 0; --inside)
    test.final.push_back(static_cast<int>(removal - object.invocations.begin()));
  return test;
}

}  // namespace plumb::lineup
