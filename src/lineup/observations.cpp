// SPDX-License-Identifier: MIT
#include "lineup/observations.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace plumb::lineup {

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

namespace {

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool replaced = false;
    for (const auto& [name, character] : {std::pair<std::string_view, char>{"&amp;", '&'},
                                          {"&lt;", '<'},
                                          {"&gt;", '>'},
                                          {"&quot;", '"'}}) {
      if (!text.substr(i).starts_with(name)) continue;
      out += character;
      i += name.size() - 1;
      replaced = true;
      break;
    }
    if (!replaced) out += text[i];
  }
  return out;
}

// What one thread did and saw, for each thread: histories that agree in it are one section.
using Outcome = std::vector<std::vector<SerialStep>>;

}  // namespace

std::string to_xml(const Matrix& test, const Object& object, const SerialHistories& serial,
                   const Results& results) {
  const std::vector<Cell> all = cells(test);
  struct Section {
    Outcome outcome;
    std::vector<const SerialHistory*> histories;
  };
  std::vector<Section> sections;
  const auto add = [&](const SerialHistory& history) {
    Outcome outcome(test.columns.size() + 1);
    for (const SerialStep& step : history)
      outcome[static_cast<std::size_t>(all[static_cast<std::size_t>(step.operation)].thread)]
          .push_back(step);
    auto found = std::ranges::find(sections, outcome, &Section::outcome);
    if (found == sections.end()) found = sections.insert(found, {outcome, {}});
    found->histories.push_back(&history);
  };
  for (const SerialHistory& history : serial.full()) add(history);
  const auto full = static_cast<std::ptrdiff_t>(sections.size());
  for (const SerialHistory& history : serial.stuck()) add(history);
  // What is rare is what one looks for.
  std::ranges::stable_sort(sections.begin(), sections.begin() + full, {},
                           [](const Section& section) { return section.histories.size(); });

  std::string xml = "<observationset>\n";
  for (const Section& section : sections) {
    xml += "  <observation>\n";
    std::map<int, int> id;
    std::string operations;
    for (std::size_t t = 0; t < section.outcome.size(); ++t) {
      if (t == 0 && test.initial.empty() && test.final.empty()) continue;
      std::string ids;
      for (const SerialStep& step : section.outcome[t]) {
        const int number = static_cast<int>(id.size()) + 1;
        id[step.operation] = number;
        ids += (ids.empty() ? "" : " ") + std::to_string(number) + (step.stuck ? "B" : "");
        const Invocation& it = object.invocations[static_cast<std::size_t>(
            all[static_cast<std::size_t>(step.operation)].invocation)];
        std::string content;
        if (const std::string arguments = argument_text(it); !arguments.empty())
          content = "value=\"" + xml_text(arguments) + "\"";
        if (!step.stuck && !results.text(step.result).empty()) {
          content += std::string(content.empty() ? "" : " ") + "result=\"" +
                     xml_text(results.text(step.result)) + "\"";
        }
        operations += "    <op id=\"" + std::to_string(number) + "\" name=\"" +
                      xml_text(it.method) +
                      (content.empty() ? "\" />\n" : "\">" + content + "</op>\n");
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
    xml += "  </observation>\n";
  }
  return xml + "</observationset>\n";
}

namespace {

// One element of the file, with what stands between its tags.
struct Element {
  std::string_view name;        // "/observation": the end of one
  std::string_view attributes;  // id="1" name="Add"
  std::string_view content;     // of thread, op and history
};

std::optional<std::string> attribute(std::string_view attributes, std::string_view name) {
  const std::string start = std::string(name) + "=\"";
  const std::size_t at = attributes.find(start);
  if (at == attributes.npos) return std::nullopt;
  const std::size_t begin = at + start.size();
  const std::size_t end = attributes.find('"', begin);
  if (end == attributes.npos) return std::nullopt;
  return unescaped(attributes.substr(begin, end - begin));
}

class Reader {
 public:
  explicit Reader(std::string_view xml) : xml_(xml) {}

  // False: the end, or an error.
  bool next(Element& element) {
    const std::size_t open = xml_.find('<', at_);
    if (open == xml_.npos) return false;
    const std::size_t close = xml_.find('>', open);
    if (close == xml_.npos) return wrong("a tag has no end");
    at_ = close + 1;
    std::string_view tag = xml_.substr(open + 1, close - open - 1);
    const bool is_whole = tag.ends_with('/');
    if (is_whole) tag.remove_suffix(1);
    const std::size_t blank = tag.find_first_of(" \t\n");
    element = {tag.substr(0, blank), blank == tag.npos ? "" : tag.substr(blank), {}};
    if (is_whole || (element.name != "thread" && element.name != "op" && element.name != "history"))
      return true;
    const std::string end = "</" + std::string(element.name) + ">";
    const std::size_t last = xml_.find(end, at_);
    if (last == xml_.npos) return wrong("<" + std::string(element.name) + "> has no end");
    element.content = xml_.substr(at_, last - at_);
    at_ = last + end.size();
    return true;
  }
  bool wrong(const std::string& what) {
    if (error_.empty()) {
      error_ =
          "line " +
          std::to_string(
              1 + std::count(xml_.begin(), xml_.begin() + static_cast<std::ptrdiff_t>(at_), '\n')) +
          ": " + what;
    }
    return false;
  }
  const std::string& error() const { return error_; }

 private:
  std::string_view xml_;
  std::size_t at_ = 0;
  std::string error_;
};

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> all;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t\n", at)) != text.npos) {
    const std::size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    all.push_back(text.substr(at, end - at));
    at = end;
  }
  return all;
}

std::optional<int> number_in(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

// One section while it is read.
struct Section {
  struct Operation {
    std::string name, arguments, result;
    int cell = -1;  // of the test; -1: of another test
  };
  std::map<int, Operation> operations;
  std::map<std::string, std::vector<int>> threads;
  std::vector<std::vector<std::pair<int, bool>>> histories;  // operations; whether stuck
};

// The operations of a section are those of the test, from the beginning of each thread on.
bool bind(Section& section, const Matrix& test, const Object& object) {
  const std::vector<Cell> all = cells(test);
  for (const auto& [name, ids] : section.threads) {
    std::vector<int> of_thread;
    for (std::size_t cell = 0; cell < all.size(); ++cell) {
      if (thread_name(all[cell].thread) == name) of_thread.push_back(static_cast<int>(cell));
    }
    if (ids.size() > of_thread.size()) return false;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      Section::Operation& operation = section.operations[ids[i]];
      const Invocation& it = object.invocations[static_cast<std::size_t>(
          all[static_cast<std::size_t>(of_thread[i])].invocation)];
      if (it.method != operation.name || argument_text(it) != operation.arguments) return false;
      operation.cell = of_thread[i];
    }
  }
  return true;
}

}  // namespace

std::string from_xml(std::string_view xml, const Matrix& test, const Object& object,
                     Results& results, SerialHistories& serial) {
  Reader reader(xml);
  Section section;
  Element element;
  bool any = false;
  while (reader.next(element)) {
    any |= element.name == "observationset";
    if (element.name == "observation") {
      section = {};
    } else if (element.name == "thread") {
      const auto id = attribute(element.attributes, "id");
      if (!id) reader.wrong("<thread> needs an id");
      else
        for (const std::string_view word : words(element.content)) {
          const auto number = number_in(word);
          if (number) section.threads[*id].push_back(*number);
          else reader.wrong("'" + std::string(word) + "' is no number of an operation");
        }
    } else if (element.name == "op") {
      const auto id = attribute(element.attributes, "id");
      const auto name = attribute(element.attributes, "name");
      const auto number = id ? number_in(*id) : std::nullopt;
      if (!number || !name) {
        reader.wrong("<op> needs an id, which is a number, and a name");
      } else {
        section.operations[*number] = {*name, attribute(element.content, "value").value_or(""),
                                       attribute(element.content, "result").value_or("")};
      }
    } else if (element.name == "history") {
      std::vector<std::pair<int, bool>> history;
      for (const std::string_view word : words(element.content)) {
        if (word == "#") {
          if (history.empty()) reader.wrong("'#' comes after a call");
          else history.back().second = true;
        } else if (word.ends_with("[")) {
          const auto number = number_in(word);
          if (!number || !section.operations.contains(*number))
            reader.wrong("'" + std::string(word) + "' is no call of an operation of this section");
          else history.emplace_back(*number, false);
        } else if (!word.starts_with("]") || history.empty() ||
                   number_in(word.substr(1)) != history.back().first) {
          reader.wrong("'" + std::string(word) + "' does not return from the call before it");
        }
      }
      section.histories.push_back(std::move(history));
    } else if (element.name == "/observation" && bind(section, test, object)) {
      for (const auto& history : section.histories) {
        SerialHistory steps;
        for (const auto& [number, stuck] : history) {
          const Section::Operation& operation = section.operations[number];
          if (operation.cell < 0) reader.wrong("an operation belongs to no thread");
          steps.push_back({operation.cell, stuck ? 0 : results.number(operation.result), stuck});
        }
        if (reader.error().empty()) serial.add(steps);
      }
    }
    if (!reader.error().empty()) return reader.error();
  }
  if (!reader.error().empty()) return reader.error();
  return any ? "" : "line 1: this is no <observationset>";
}

}  // namespace plumb::lineup
