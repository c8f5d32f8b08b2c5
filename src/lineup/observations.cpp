// SPDX-License-Identifier: MIT
#include "lineup/observations.hpp"

#include <algorithm>
#include <map>

#include "lineup/xml_text.hpp"

namespace plumb::lineup {
namespace {

// What one thread did and saw, for each thread: histories that agree in it are one section.
using ThreadViews = std::vector<std::vector<SerialStep>>;

struct ViewSection {
  ThreadViews views;
  std::vector<const SerialHistory*> histories;
};

// Rare views come first, stuck histories last.
std::vector<ViewSection> sections_of(const Matrix& test, const SerialHistories& serial) {
  const std::vector<Cell> all = cells(test);
  std::vector<ViewSection> sections;
  const auto add = [&](const SerialHistory& history) {
    ThreadViews views(test.columns.size() + 1);
    for (const SerialStep& step : history)
      views[static_cast<std::size_t>(all[static_cast<std::size_t>(step.operation)].thread)]
          .push_back(step);
    auto found = std::ranges::find(sections, views, &ViewSection::views);
    if (found == sections.end()) found = sections.insert(found, {views, {}});
    found->histories.push_back(&history);
  };
  for (const SerialHistory& history : serial.full()) add(history);
  const auto full = static_cast<std::ptrdiff_t>(sections.size());
  for (const SerialHistory& history : serial.stuck()) add(history);
  std::ranges::stable_sort(sections.begin(), sections.begin() + full, {},
                           [](const ViewSection& section) { return section.histories.size(); });
  return sections;
}

std::string operation_line(int number, const Invocation& it, const SerialStep& step,
                           const Results& results) {
  std::string content;
  if (const std::string arguments = argument_text(it); !arguments.empty())
    content = "value=\"" + xml_text(arguments) + "\"";
  if (!step.stuck && !results.text(step.result).empty()) {
    content += std::string(content.empty() ? "" : " ") + "result=\"" +
               xml_text(results.text(step.result)) + "\"";
  }
  return "    <op id=\"" + std::to_string(number) + "\" name=\"" + xml_text(it.method) +
         (content.empty() ? "\" />\n" : "\">" + content + "</op>\n");
}

std::string section_text(const ViewSection& section, const Matrix& test, const Object& object,
                         const Results& results) {
  const std::vector<Cell> all = cells(test);
  std::string xml = "  <observation>\n";
  std::map<int, int> id;
  std::string operations;
  for (std::size_t t = 0; t < section.views.size(); ++t) {
    if (t == 0 && test.initial.empty() && test.final.empty()) continue;
    std::string ids;
    for (const SerialStep& step : section.views[t]) {
      const int number = static_cast<int>(id.size()) + 1;
      id[step.operation] = number;
      ids += (ids.empty() ? "" : " ") + std::to_string(number) + (step.stuck ? "B" : "");
      const int invocation = all[static_cast<std::size_t>(step.operation)].invocation;
      operations += operation_line(number, object.invocations[static_cast<std::size_t>(invocation)],
                                   step, results);
    }
    xml += "    <thread id=\"" + thread_name(static_cast<int>(t)) + "\">" + ids + "</thread>\n";
  }
  xml += operations;
  for (const SerialHistory* history : section.histories) {
    std::string line;
    for (const SerialStep& step : *history) {
      const std::string number = std::to_string(id[step.operation]);
      line += (line.empty() ? "" : " ") + number + (step.stuck ? "[ #" : "[ ]" + number);
    }
    xml += "    <history>" + line + "</history>\n";
  }
  return xml + "  </observation>\n";
}

}  // namespace

std::string to_xml(const Matrix& test, const Object& object, const SerialHistories& serial,
                   const Results& results) {
  std::string xml = "<observationset>\n";
  for (const ViewSection& section : sections_of(test, serial))
    xml += section_text(section, test, object, results);
  return xml + "</observationset>\n";
}

}  // namespace plumb::lineup
