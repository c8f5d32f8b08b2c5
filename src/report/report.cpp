// SPDX-License-Identifier: MIT
#include "report/report.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace plumb::report {

const Specification* HistoryView::specification(ObjectId object) const {
  return given ? given.get() : find_specification(history->objects[object].specification);
}

ExitStatus exit_status(const Report& report) {
  if (report.error) return exit_status(*report.error);
  if (report.interrupted) return ExitStatus::interrupted;
  switch (report.verdict) {
    case Verdict::holds: return ExitStatus::holds;
    case Verdict::violation: return ExitStatus::violation;
    case Verdict::undecided: break;
  }
  return ExitStatus::undecided;
}

std::string specification_names(const History& history, const Specification* given) {
  if (given) return given->name();
  std::vector<std::string> names;
  for (const Object& object : history.objects) {
    const Specification* found = find_specification(object.specification);
    const std::string& name = found ? found->name() : object.specification;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return text::list_words(names, "and");
}

}  // namespace plumb::report
