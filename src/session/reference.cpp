// SPDX-License-Identifier: MIT
#include "session/reference.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace plumb::session {
namespace {

bool is_called(const lineup::Matrix& test, int operation) {
  return std::ranges::any_of(
      lineup::cells(test), [&](const lineup::Cell& cell) { return cell.invocation == operation; });
}

}  // namespace

std::string what_reference_lacks(const plumb_object& object, const Settings& settings,
                                 const ObjectSettings& object_settings) {
  const plumb_object& reference = *object.reference;
  const std::span has(reference.operations, static_cast<std::size_t>(reference.count));
  std::vector<std::string> methods, texts;
  for (int i = 0; i < object.count; ++i) {
    const plumb_operation& wanted = object.operations[i];
    const auto same_text = [&](const plumb_operation& o) {
      return std::string_view(o.text) == wanted.text;
    };
    const auto same_method = [&](const plumb_operation& o) {
      return std::string_view(o.method) == wanted.method;
    };
    const bool is_needed =
        std::ranges::find(settings.without, wanted.method) == settings.without.end() ||
        std::ranges::any_of(object_settings.campaign.given,
                            [&](const lineup::Matrix& test) { return is_called(test, i); });
    if (!is_needed || std::ranges::any_of(has, same_text)) continue;
    if (std::ranges::any_of(has, same_method)) {
      texts.push_back(std::string("no ") + wanted.text);
    } else if (methods.empty() || methods.back() != wanted.method) {
      methods.push_back(wanted.method);
    }
  }
  for (std::string& method : methods) method = std::string("no method '").append(method) + "'";
  methods.insert(methods.end(), texts.begin(), texts.end());
  std::string lacks;
  for (const std::string& what : methods) lacks += (lacks.empty() ? "" : ", ") + what;
  if (lacks.empty()) return {};
  return std::string(object.name) + " is tested against " + reference.name + ", which has " +
         lacks + (texts.empty() ? "" : ": both need the same plumb::values(...)");
}

}  // namespace plumb::session
