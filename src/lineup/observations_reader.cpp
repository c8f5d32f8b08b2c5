// SPDX-License-Identifier: MIT
// Reads observation files, which may be written by hand: whatever they are, they are understood or
// refused with a line.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "lineup/observations.hpp"
#include "lineup/xml_text.hpp"

namespace plumb::lineup {
namespace {

// What is wrong with a file ends reading it.
struct BadObservations {
  std::string error;
};
[[noreturn]] void refuse_line(std::size_t line, const std::string& what) {
  throw BadObservations{"line " + std::to_string(line) + ": " + what};
}

constexpr std::string_view kXmlBlanks = " \t\r\n";

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> all;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(kXmlBlanks, at)) != text.npos) {
    const std::size_t end = std::min(text.find_first_of(kXmlBlanks, at), text.size());
    all.push_back(text.substr(at, end - at));
    at = end;
  }
  return all;
}

std::string first_quoted(std::string_view text) {
  return "'" + std::string(text.substr(0, text.find_first_of(kXmlBlanks))) + "'";
}

std::optional<int> number_in(std::string_view text) {
  int value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc{} || end != last) return std::nullopt;
  return value;
}

// What it stands for.
std::string unescaped(std::string_view text, std::size_t line) {
  std::size_t at = 0;
  std::optional<std::string> plain = from_xml_text(text, at);
  if (!plain) {
    refuse_line(line, first_quoted(text.substr(at)) +
                          " is none of &amp; &lt; &gt; &quot; &apos; and &#N;, N of ASCII");
  }
  return *std::move(plain);
}

using Attributes = std::map<std::string, std::string, std::less<>>;

// name="value", once for each name, as in a tag; the content of an <op> looks the same.
Attributes attributes_of(std::string_view text, const std::vector<std::string_view>& names,
                         std::size_t line) {
  Attributes all;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kXmlBlanks), text.size()));
    if (text.empty()) return all;
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string_view name = text.substr(0, equals);
    const std::string_view quote = text.substr(std::min(equals + 1, text.size()), 1);
    const std::size_t end =
        quote == "\"" || quote == "'" ? text.find(quote, equals + 2) : text.npos;
    if (std::ranges::find(names, name) == names.end() || end == text.npos || all.contains(name)) {
      std::string expected;
      for (const std::string_view one : names)
        expected +=
            (expected.empty() ? ", but once each " : " and ") + std::string(one) + "=\"...\"";
      refuse_line(line, first_quoted(text) + " is not expected here" + expected);
    }
    all.emplace(name, unescaped(text.substr(equals + 2, end - equals - 2), line));
    text.remove_prefix(end + 1);
  }
}

// One element of the file, with what stands between its tags.
struct Element {
  std::size_t line = 1;
  std::string_view name = {};        // "/observation": the end of one; empty: this is text
  std::string_view attributes = {};  // id="1" name="Add"
  std::string_view content = {};     // of thread, op and history
};

class Reader {
 public:
  explicit Reader(std::string_view xml) : xml_(xml) {
    if (xml.starts_with("\xef\xbb\xbf")) at_ = 3;  // as some editors write
  }

  std::optional<Element> next() {
    skip_blanks_and_comments();
    if (at_ == xml_.size()) return std::nullopt;
    Element element{line_};
    if (xml_[at_] != '<') {
      element.content = xml_.substr(at_);
      return element;
    }
    const std::string_view inside = tag();
    const std::size_t blank = std::min(inside.find_first_of(kXmlBlanks), inside.size());
    element.name = inside.substr(0, blank);
    element.attributes = inside.substr(blank);
    const bool is_whole = inside.ends_with('/');
    if (is_whole && blank < inside.size()) element.attributes.remove_suffix(1);
    else if (is_whole) element.name.remove_suffix(1);
    if (element.name != "thread" && element.name != "op" && element.name != "history") {
      if (is_whole) refuse_line(element.line, "<" + std::string(element.name) + "/> is empty");
    } else if (!is_whole) {
      const std::string end = "</" + std::string(element.name) + ">";
      const std::size_t last = std::min(xml_.find('<', at_), xml_.size());
      if (!xml_.substr(last).starts_with(end))
        refuse_line(element.line, "<" + std::string(element.name) + "> has no end");
      element.content = xml_.substr(at_, last - at_);
      move_to(last + end.size());
    }
    return element;
  }

  // ... of what `outer` began.
  Element next_in(const Element& outer) {
    const std::optional<Element> element = next();
    if (!element) refuse_line(outer.line, "<" + std::string(outer.name) + "> has no end");
    return *element;
  }

 private:
  void move_to(std::size_t to) {
    line_ += static_cast<std::size_t>(std::ranges::count(xml_.substr(at_, to - at_), '\n'));
    at_ = to;
  }

  void skip_blanks_and_comments() {
    while (true) {
      move_to(std::min(xml_.find_first_not_of(kXmlBlanks, at_), xml_.size()));
      const std::string_view rest = xml_.substr(at_);
      const std::string_view end = rest.starts_with("<!--") ? "-->"
                                   : rest.starts_with("<?") ? "?>"
                                                            : "";
      if (end.empty()) return;
      const std::size_t last = xml_.find(end, at_ + 2);
      if (last == xml_.npos) refuse_line(line_, "there is no " + std::string(end) + " to end this");
      move_to(last + end.size());
    }
  }

  // What is between < and >, which may stand in a value as well.
  std::string_view tag() {
    const std::size_t begin = at_ + 1;
    char quote = 0;
    for (std::size_t i = begin; i < xml_.size() && xml_[i] != '<'; ++i) {
      const char c = xml_[i];
      if (c == quote) {
        quote = 0;
      } else if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
      } else if (quote == 0 && c == '>') {
        move_to(i + 1);
        return xml_.substr(begin, i - begin);
      }
    }
    refuse_line(line_, "a tag has no end");
  }

  std::string_view xml_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

[[noreturn]] void refuse_element(const Element& element, const std::string& expected) {
  refuse_line(element.line, (element.name.empty() ? first_quoted(element.content)
                                                  : "<" + std::string(element.name) + ">") +
                                " is not expected here, but " + expected);
}

// One section.
struct Section {
  struct Operation {
    std::size_t line = 0;
    std::string name = {}, arguments = {};
    std::optional<std::string> result = {};
    std::optional<std::size_t> thread = {};
    int cell = -1;  // of the test

    bool is(const Invocation& it) const {
      return it.method == name && argument_text(it) == arguments;
    }
  };
  struct Call {
    int operation;
    bool blocks;  // 1B in a thread, 1[ # in a history
  };
  struct Calls {
    std::size_t line = 0;
    std::vector<Call> calls = {};
  };
  std::map<int, Operation> operations;
  std::vector<Calls> threads;  // the first is main
  std::vector<Calls> histories;

  bool is_stuck() const {
    return std::ranges::any_of(threads, [](const Calls& thread) {
      return std::ranges::any_of(thread.calls, &Call::blocks);
    });
  }
};

void read_thread(const Element& element, Section& section) {
  const Attributes attributes = attributes_of(element.attributes, {"id"}, element.line);
  const auto id = attributes.find("id");
  if (id == attributes.end()) refuse_line(element.line, "<thread> needs an id");
  if (section.threads.empty() && id->second != thread_name(0)) section.threads.emplace_back();
  const std::string expected = thread_name(static_cast<int>(section.threads.size()));
  if (id->second != expected) {
    refuse_line(element.line, "'" + id->second + "' is not the next thread, " + expected +
                                  ": they are main, if it calls anything, A, B, ...");
  }
  Section::Calls& thread = section.threads.emplace_back(Section::Calls{element.line});
  for (const std::string_view word : words(element.content)) {
    const bool blocks = word.ends_with('B');
    const auto number = number_in(word.substr(0, word.size() - (blocks ? 1 : 0)));
    if (!number) refuse_line(element.line, first_quoted(word) + " is no number of an operation");
    thread.calls.push_back({*number, blocks});
  }
}

void read_operation(const Element& element, Section& section) {
  Attributes tag = attributes_of(element.attributes, {"id", "name"}, element.line);
  Attributes content = attributes_of(element.content, {"value", "result"}, element.line);
  const auto number = number_in(tag["id"]);
  if (!number || !tag.contains("name"))
    refuse_line(element.line, "<op> needs an id, which is a number, and a name");
  Section::Operation operation{element.line, tag["name"], content["value"]};
  if (content.contains("result")) operation.result = content["result"];
  if (!section.operations.emplace(*number, std::move(operation)).second)
    refuse_line(element.line, "this section has two operations " + std::to_string(*number));
}

void read_history(const Element& element, Section& section) {
  attributes_of(element.attributes, {}, element.line);
  Section::Calls history{element.line};
  const std::vector<std::string_view> all = words(element.content);
  for (std::size_t i = 0; i < all.size(); i += 2) {
    const std::string_view call = all[i];
    if (call == "#") refuse_line(element.line, "'#' comes after a call, in place of its return");
    const auto number =
        call.ends_with('[') ? number_in(call.substr(0, call.size() - 1)) : std::nullopt;
    if (!number || !section.operations.contains(*number)) {
      refuse_line(element.line,
                  first_quoted(call) + " is not a call of an operation of this section");
    }
    const std::string end = "]" + std::to_string(*number);
    if (i + 1 == all.size())
      refuse_line(element.line, first_quoted(call) + " is followed by neither " + end + " nor #");
    const bool blocks = all[i + 1] == "#";
    if (!blocks && all[i + 1] != end) {
      refuse_line(element.line,
                  first_quoted(all[i + 1]) + " does not return from the call before it");
    }
    if (blocks && i + 2 < all.size())
      refuse_line(element.line, "nothing comes after '#', but " + first_quoted(all[i + 2]));
    history.calls.push_back({*number, blocks});
  }
  section.histories.push_back(std::move(history));
}

// What the histories must keep to: each operation is of one thread, and of the class.
void check_operations(Section& section, const Object& object) {
  for (std::size_t t = 0; t < section.threads.size(); ++t) {
    for (const auto& [number, blocks] : section.threads[t].calls) {
      const std::size_t line = section.threads[t].line;
      const auto found = section.operations.find(number);
      if (found == section.operations.end())
        refuse_line(line, "there is no <op> " + std::to_string(number) + " in this section");
      Section::Operation& operation = found->second;
      if (operation.thread)
        refuse_line(line, "operation " + std::to_string(number) + " is called twice");
      if (blocks && operation.result)
        refuse_line(operation.line, "an operation that blocks (B) has no result");
      operation.thread = t;
    }
  }
  for (const auto& [number, operation] : section.operations) {
    if (!operation.thread)
      refuse_line(operation.line, "no <thread> calls operation " + std::to_string(number));
    const auto is_it = [&called = operation](const Invocation& it) { return called.is(it); };
    if (std::ranges::any_of(object.invocations, is_it)) continue;
    Matrix all{{}, {Column(object.invocations.size())}, {}};
    std::iota(all.columns[0].begin(), all.columns[0].end(), 0);
    refuse_line(operation.line, "there is no operation '" + operation.name + "(" +
                                    operation.arguments + ")' of " + object.name + "; there are " +
                                    to_text(all, object));
  }
}

// A history has what each thread calls, in its order, and blocks where that does.
void check_history(const Section& section, const Section::Calls& history) {
  std::vector<std::size_t> called(section.threads.size());
  for (const auto& [number, blocks] : history.calls) {
    const std::size_t thread = *section.operations.at(number).thread;
    const std::vector<Section::Call>& calls = section.threads[thread].calls;
    const std::size_t next = called[thread]++;
    if (next >= calls.size() || calls[next].operation != number) {
      refuse_line(history.line, fmt::format("operation {} is not the next one of its thread, {}",
                                            number, thread_name(static_cast<int>(thread))));
    }
    if (blocks && !calls[next].blocks)
      refuse_line(history.line, fmt::format("# after {0}[ needs {0}B in its thread", number));
    if (!blocks && calls[next].blocks)
      refuse_line(history.line, fmt::format("{0}B in its thread needs # after {0}[", number));
  }
  if (history.calls.size() == section.operations.size()) return;
  for (std::size_t t = 0; t < called.size(); ++t) {
    const std::vector<Section::Call>& calls = section.threads[t].calls;
    if (called[t] < calls.size()) {
      refuse_line(history.line, "operation " + std::to_string(calls[called[t]].operation) +
                                    " of its thread " + thread_name(static_cast<int>(t)) +
                                    " is missing");
    }
  }
}

Section read_section(Reader& reader, const Element& begin, const Object& object) {
  attributes_of(begin.attributes, {}, begin.line);
  Section section;
  while (true) {
    const Element element = reader.next_in(begin);
    if (element.name == "thread") {
      read_thread(element, section);
    } else if (element.name == "op") {
      read_operation(element, section);
    } else if (element.name == "history") {
      read_history(element, section);
    } else if (element.name == "/observation") {
      break;
    } else {
      refuse_element(element, "<thread>, <op>, <history> or </observation>");
    }
  }
  check_operations(section, object);
  for (const Section::Calls& history : section.histories) check_history(section, history);
  return section;
}

// 0: main before the others; 1: they; 2: main after them. Cells are numbered in this order, and
// histories have it as well: so this is also who calls the n-th operation of a history.
int part_of(const Matrix& test, std::size_t cell) {
  const auto end = static_cast<std::size_t>(size(test)) - test.final.size();
  return cell < test.initial.size() ? 0 : cell < end ? 1 : 2;
}

// False: the section is of another test. A full one has all operations of the test, a stuck one
// those with which its threads begin.
bool bind(Section& section, const Matrix& test, const Object& object) {
  const std::vector<Cell> all = cells(test);
  if (!section.is_stuck() && section.operations.size() != all.size()) return false;
  std::vector<int> parts;
  for (std::size_t t = 0; t < section.threads.size(); ++t) {
    std::size_t cell = 0;
    for (const Section::Call& call : section.threads[t].calls) {
      while (cell < all.size() && all[cell].thread != static_cast<int>(t)) ++cell;
      if (cell == all.size()) return false;
      Section::Operation& operation = section.operations.at(call.operation);
      const Invocation& it = object.invocations[static_cast<std::size_t>(all[cell].invocation)];
      if (!operation.is(it)) return false;
      parts.push_back(part_of(test, cell));
      operation.cell = static_cast<int>(cell++);
    }
  }
  std::ranges::sort(parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] != part_of(test, i)) return false;
  }
  for (const Section::Calls& history : section.histories) {
    for (std::size_t i = 0; i < history.calls.size(); ++i) {
      const int cell = section.operations.at(history.calls[i].operation).cell;
      if (part_of(test, static_cast<std::size_t>(cell)) != part_of(test, i))
        refuse_line(history.line,
                    "main is alone: what it calls comes before all others, or after them");
    }
  }
  return true;
}

// Those of this test.
std::vector<Section> read_sections(std::string_view xml, const Matrix& test, const Object& object) {
  Reader reader(xml);
  const Element set = reader.next().value_or(Element{});
  if (set.name != "observationset") refuse_line(set.line, "this is not an <observationset>");
  attributes_of(set.attributes, {}, set.line);
  std::vector<Section> sections;
  bool any_full = false, any_other = false;
  while (true) {
    const Element element = reader.next_in(set);
    if (element.name == "/observationset") break;
    if (element.name != "observation")
      refuse_element(element, "<observation> or </observationset>");
    Section section = read_section(reader, element, object);
    const bool is_full = !section.is_stuck();
    const bool is_own = bind(section, test, object);
    any_full |= is_full && is_own;
    any_other |= is_full && !is_own;
    if (is_own) sections.push_back(std::move(section));
  }
  if (const auto more = reader.next()) refuse_element(*more, "the end of the file");
  // A test that begins like this one has stuck histories that look like its own.
  if (any_other && !any_full) sections.clear();
  return sections;
}

}  // namespace

std::string from_xml(std::string_view xml, const Matrix& test, const Object& object,
                     Results& results, SerialHistories& serial) {
  try {
    for (const Section& section : read_sections(xml, test, object)) {
      for (const Section::Calls& history : section.histories) {
        SerialHistory steps;
        for (const auto& [number, blocks] : history.calls) {
          const Section::Operation& operation = section.operations.at(number);
          const ResultId result = blocks ? 0 : results.number(operation.result.value_or(""));
          steps.push_back({operation.cell, result, blocks});
        }
        serial.add(steps);
      }
    }
  } catch (const BadObservations& bad) { return bad.error; }
  return {};
}

}  // namespace plumb::lineup
