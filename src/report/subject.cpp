// SPDX-License-Identifier: MIT
#include "report/subject.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace plumb::report {

const Specification* specification_of(const Subject& subject, ObjectId object) {
  if (subject.given) return subject.given;
  return find_specification(subject.history->objects[object].specification);
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
