// SPDX-License-Identifier: MIT
// What is in the file: the viewer's script and style, allowed by their hashes and nothing else by
// the content security policy; the reports as JSON; histories and orders, which may be long,
// compressed (zlib) and in base 64. The page inflates them when it is opened.
#include "report/html.hpp"

#include <zlib.h>

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/json_text.hpp"
#include "check/property/quasi/k_automaton.hpp"
#include "explain/steps.hpp"
#include "model/code/sequential.hpp"
#include "plumb/nondeterminism.hpp"
#include "report/json.hpp"
#include "report/pack.hpp"
#include "report/viewer.hpp"

namespace plumb::report {
namespace {

using PageJson = nlohmann::ordered_json;

constexpr std::size_t kReplayedSteps = 5000;

std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > bytes.size() ? '=' : digits[word >> (18 - 6 * k) & 63];
  }
  return out;
}

// A higher level takes six times as long for a hundredth less.
std::string compressed(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size,
            reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), 6);
  out.resize(size);
  return out;
}

// As a content security policy wants it: CMake knows the hash in hexadecimal digits.
std::string policy_hash(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return "'sha256-" + base64(bytes) + "'";
}

// JSON inside of a script element: nothing in it may end the element, whatever a history contains.
std::string inside_script(const PageJson& json) {
  std::string out;
  for (const char c : json.dump(-1, ' ', true, PageJson::error_handler_t::replace)) {
    if (c == '<') out += "\\u003c";
    else out += c;
  }
  return out;
}

PageJson refused_json(const std::vector<OrderStep::Refused>& refused) {
  PageJson json = PageJson::array();
  for (const OrderStep::Refused& r : refused) json.push_back({r.operation, r.possible});
  return json;
}

std::string order_json(const Order& order, std::string_view kind) {
  PageJson json = {{"kind", kind},
                   {"of", order.of},
                   {"exhaustive", order.exhaustive},
                   {"total", order.total},
                   {"initial", order.initial},
                   {"steps", PageJson::array()},
                   {"end", PageJson::array()}};
  for (const OrderStep& step : order.steps) {
    if (step.operation == kNone) json["end"] = refused_json(step.refused);
    else json["steps"].push_back({step.operation, step.state, refused_json(step.refused)});
  }
  return dumped(json);
}

// ---- source

// Only what is source by its name: a report may come from anywhere, and must not make anybody put
// other files of theirs into a page that they hand on.
bool is_source_name(const std::string& file) {
  static const std::set<std::string> kinds = {".c",  ".cc",  ".cpp", ".cxx", ".c++", ".C",    ".h",
                                              ".hh", ".hpp", ".hxx", ".ipp", ".inl", ".plumb"};
  return kinds.contains(std::filesystem::path(file).extension().string());
}

PageJson excerpt(std::uint32_t first, const std::vector<std::string>& lines) {
  return PageJson::array({first, lines});
}

// Of each file the lines around those that are wanted, in pieces: [first line, [text, ...]].
PageJson excerpts(const std::map<std::string, std::set<std::uint32_t>>& wanted) {
  constexpr std::uint32_t kAround = 8;
  PageJson sources = PageJson::object();
  for (const auto& [file, lines] : wanted) {
    std::error_code ignored;
    if (!is_source_name(file) || !std::filesystem::is_regular_file(file, ignored)) continue;
    std::ifstream in(file);
    PageJson pieces = PageJson::array();
    std::vector<std::string> piece;
    std::string text;
    std::uint32_t first = 0;
    for (std::uint32_t number = 1; std::getline(in, text); ++number) {
      const auto near = lines.lower_bound(number < kAround ? 1 : number - kAround);
      if (near != lines.end() && *near <= number + kAround) {
        if (piece.empty()) first = number;
        piece.push_back(text.substr(0, 400));
      } else if (!piece.empty()) {
        pieces.push_back(excerpt(first, piece));
        piece.clear();
      }
    }
    if (!piece.empty()) pieces.push_back(excerpt(first, piece));
    if (!pieces.empty()) sources[file] = std::move(pieces);
  }
  return sources;
}

void want_lines(const PageJson& steps, std::map<std::string, std::set<std::uint32_t>>& wanted) {
  if (!steps.is_array()) return;
  for (const PageJson& step : steps) {
    if (!step.is_object() || !step.contains("file") || !step["file"].is_string() ||
        !step.contains("line") || !step["line"].is_number_unsigned())
      continue;
    wanted[step["file"]].insert(step["line"].get<std::uint32_t>());
  }
}

// The source that the steps of a report name.
PageJson sources_of(const PageJson& report) {
  std::map<std::string, std::set<std::uint32_t>> wanted;
  for (const char* list : {"findings", "failures"})
    if (report.contains(list) && report[list].is_array())
      for (const PageJson& entry : report[list]) {
        if (!entry.is_object()) continue;
        want_lines(entry.value("steps", PageJson()), wanted);
        const PageJson schedule = entry.value("schedule", PageJson());
        if (schedule.is_object()) want_lines(schedule.value("steps", PageJson()), wanted);
      }
  if (report.value("command", "") == "verify") {
    const PageJson evidence = report.value("evidence", PageJson::object());
    auto& lines = wanted[report.value("file", "")];
    for (const char* list : {"trace", "loop"})
      for (const PageJson& step : evidence.value(list, PageJson::array()))
        if (step.is_object() && step.contains("line") && step["line"].is_number_unsigned())
          lines.insert(step["line"].get<std::uint32_t>());
  }
  return excerpts(wanted);
}

PageJson one_page(PageJson report, PageJson extras) {
  return {{"report", std::move(report)}, {"extras", std::move(extras)}};
}

// Which operations matter, by their numbers in the whole history.
PageJson marks_json(const Counterexample& c) {
  PageJson extras;
  extras["operations"] = c.operations;
  extras["focus"] = c.focus;
  extras["culprit"] = c.culprit == kNone ? PageJson() : PageJson(c.culprit);
  extras["left"] = c.left_position;
  return extras;
}

// What the history has to be linearizable to: of --quasi, where that is a specification at all, the
// relaxed object; null: stepping through an order would show nothing.
const Specification* stepped_through(const Subject& subject, ObjectId object,
                                     std::unique_ptr<Specification>& relaxed) {
  const Specification* const plain = specification_of(subject, object);
  if (!subject.quasi || !plain)
    return subject.report->property.starts_with("linearizable") ? plain : nullptr;
  const auto relaxation = quasi::find_relaxation(subject.quasi->asked.relaxation);
  if (!relaxation || quasi::permutes(*relaxation) || !quasi::has_k_automaton(*plain))
    return nullptr;
  relaxed =
      quasi::make_k_automaton(*plain, *relaxation, quasi::bind(subject.quasi->asked.sets, *plain));
  return relaxed.get();
}

// An order that explains the history, or one that gets as far as any does.
std::string steps_json(const Subject& subject) {
  const History& history = *subject.history;
  const CheckReport& report = *subject.report;
  try {
    std::map<ObjectId, std::unique_ptr<Specification>> relaxed;
    const auto of = [&](ObjectId object) {
      return stepped_through(subject, object, relaxed[object]);
    };
    if (report.counterexample && report.counterexample->culprit != kNone) {
      const ObjectId object = history.object[report.counterexample->culprit];
      const Specification* const specification = of(object);
      if (!specification) return "";
      const auto initial =
          subject.options.initial ? subject.options.initial : history.objects[object].initial;
      const Story story(history, *specification, *report.counterexample, initial);
      const auto order = longest_order(story);
      return order ? order_json(*order, "longest") : "";
    }
    if (report.verdict != Verdict::holds || report.witness.empty()) return "";
    const auto order =
        replay_order(history, of, subject.options.initial, report.witness, kReplayedSteps);
    return order ? order_json(*order, "witness") : "";
  } catch (const SpecificationError&) {
    return "";  // the verdict stands; only what is shown besides is missing
  }
}

// The whole history, which of its operations matter, and an order to step through.
PageJson extras_of(const Subject& subject, const auto& add_island) {
  if (!subject.history) return PageJson::object();
  PageJson extras = PageJson::object();
  if (subject.report->counterexample) extras = marks_json(*subject.report->counterexample);
  extras["history"] = add_island("history", packed_history(subject));
  if (const std::string steps = steps_json(subject); !steps.empty())
    extras["steps"] = add_island("steps", steps);
  return extras;
}

}  // namespace

std::size_t HtmlPage::add_island(std::string_view name, std::string_view bytes) {
  islands_ += "<script type=\"text/plain\" id=\"" + std::string(name) + "-" +
              std::to_string(island_count_) + "\">" + base64(compressed(bytes)) + "</script>\n";
  return island_count_++;
}

void HtmlPage::add(const Subject& subject) {
  const PageJson extras =
      extras_of(subject, [this](auto name, const auto& bytes) { return add_island(name, bytes); });
  pages_.push_back(inside_script(one_page(PageJson::parse(json_report(subject)), extras)));
}

void HtmlPage::add(const ModelSubject& model, std::string_view text) {
  PageJson report = PageJson::parse(json_model_report(model));
  PageJson extras = PageJson::object();
  const refine::VerifyReport& found = *model.report;
  if (found.history && found.counterexample && model.program &&
      found.found.kind != refine::Found::fault) {
    CheckReport check;
    check.verdict = Verdict::violation;
    check.property = model.options.property;
    check.counterexample = found.counterexample;
    const auto specification = model::make_specification(*model.program);
    Subject subject;
    subject.report = &check;
    subject.history = found.history.get();
    subject.given = specification.get();
    extras = extras_of(subject,
                       [this](auto name, const auto& bytes) { return add_island(name, bytes); });
  }
  std::vector<std::string> lines(1);
  for (const char c : text)
    if (c == '\n') lines.emplace_back();
    else lines.back() += c;
  if (lines.size() < 5000) extras["sources"][model.file] = PageJson::array({excerpt(1, lines)});
  pages_.push_back(inside_script(one_page(std::move(report), std::move(extras))));
}

Status HtmlPage::add(std::string_view json) {
  const Error wrong{ErrorKind::bad_input, "this is not a report", "a report is what --json prints"};
  std::size_t added = 0;
  // Objects stand one after the other, each of one line or of several.
  for (std::size_t begin = json.find_first_not_of(" \t\r\n"); begin != std::string_view::npos;) {
    std::size_t depth = 0, end = begin;
    bool quoted = false;
    for (; end < json.size(); ++end) {
      const char c = json[end];
      if (quoted) {
        if (c == '\\') ++end;
        else quoted = c != '"';
      } else if (c == '"') {
        quoted = true;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if ((c == '}' || c == ']') && --depth == 0) {
        break;
      }
      if (depth == 0) return wrong;  // no object at all
    }
    if (end >= json.size()) return wrong;
    PageJson report = PageJson::parse(json.substr(begin, end + 1 - begin), nullptr, false);
    if (!report.is_object() || report.value("tool", PageJson()) != "plumb" ||
        report.value("report", PageJson()) != 1)
      return wrong;
    begin = json.find_first_not_of(" \t\r\n", end + 1);
    if (report.contains("summary")) continue;
    if (!report.contains("verdict") || !report.contains("evidence") || !report.contains("scope") ||
        !report["evidence"].is_object() || !report["scope"].is_object())
      return wrong;
    PageJson extras = PageJson::object();
    if (PageJson sources = sources_of(report); !sources.empty()) extras["sources"] = sources;
    pages_.push_back(inside_script(one_page(std::move(report), std::move(extras))));
    ++added;
  }
  return added > 0 ? Status() : Status(wrong);
}

std::string HtmlPage::text() const {
  std::string out = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src " +
         policy_hash(kViewerScriptHash) + "; style-src " + policy_hash(kViewerStyleHash) +
         "; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Plumb</title>\n<style>";
  out += kViewerStyle;
  out +=
      "</style>\n</head>\n<body>\n<div id=\"page\"><noscript>This page needs JavaScript, which "
      "is in it.</noscript></div>\n";
  out += "<script type=\"application/json\" id=\"reports\">[";
  for (std::size_t i = 0; i < pages_.size(); ++i) out += (i ? "," : "") + pages_[i];
  out += "]</script>\n" + islands_ + "<script>";
  out += kViewerScript;
  return out + "</script>\n</body>\n</html>\n";
}

}  // namespace plumb::report
