// SPDX-License-Identifier: MIT
// What is in the file: the viewer's script and style, allowed by their hashes and nothing else by
// the content security policy; the reports as JSON; histories and orders, which may be long,
// compressed (zlib) and in base 64. The page inflates them when it is opened.
#include "report/html.hpp"

#include <zlib.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/json_reader.hpp"
#include "check/property/quasi/k_automaton.hpp"
#include "explain/steps.hpp"
#include "plumb/nondeterminism.hpp"
#include "report/json.hpp"
#include "report/pack.hpp"
#include "report/viewer.hpp"

namespace plumb::report {
namespace {

constexpr std::size_t kReplayedSteps = 5000, kMostLines = 5000;

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
std::string inside_script(const Json& json) {
  std::string out;
  for (const char c : json.dump({.ascii = true})) {
    if (c == '<') out += "\\u003c";
    else out += c;
  }
  return out;
}

Json refused_json(const std::vector<OrderStep::Refused>& refused) {
  Json json = Json::array();
  for (const OrderStep::Refused& r : refused)
    json.push_back(Json::array({r.operation, r.possible}));
  return json;
}

std::string order_json(const Order& order, std::string_view kind) {
  Json steps = Json::array(), end = Json::array();
  for (const OrderStep& step : order.steps) {
    if (step.operation == kNone) end = refused_json(step.refused);
    else steps.push_back(Json::array({step.operation, step.state, refused_json(step.refused)}));
  }
  return Json::object({{"kind", kind},
                       {"of", order.of},
                       {"exhaustive", order.exhaustive},
                       {"total", order.total},
                       {"initial", order.initial},
                       {"steps", std::move(steps)},
                       {"end", std::move(end)}})
      .dump();
}

// ---- source

// Only what is source by its name: a report may come from anywhere, and must not make anybody put
// other files of theirs into a page that they hand on.
bool is_source_name(const std::string& file) {
  static const std::set<std::string> kinds = {".c",  ".cc",  ".cpp", ".cxx", ".c++", ".C",    ".h",
                                              ".hh", ".hpp", ".hxx", ".ipp", ".inl", ".plumb"};
  return kinds.contains(std::filesystem::path(file).extension().string());
}

Json excerpt(std::uint32_t first, const std::vector<std::string>& lines) {
  return Json::array({first, Json(lines)});
}

// Of each file the lines around those that are wanted, in pieces: [first line, [text, ...]].
Json excerpts(const std::map<std::string, std::set<std::uint32_t>>& wanted) {
  constexpr std::uint32_t kAround = 8;
  Json sources = Json::object();
  for (const auto& [file, lines] : wanted) {
    std::error_code ignored;
    if (!is_source_name(file) || !std::filesystem::is_regular_file(file, ignored)) continue;
    std::ifstream in(file);
    Json pieces = Json::array();
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

using WantedLines = std::map<std::string, std::set<std::uint32_t>>;

void want_line(const Json& step, std::string_view file, WantedLines& wanted) {
  const Json* const line = step.find("line");
  if (line && line->count())
    wanted[std::string(file)].insert(static_cast<std::uint32_t>(*line->count()));
}

// Of steps that say in which file they are.
void want_lines(const Json& entry, WantedLines& wanted) {
  for (const Json& step : entry.items("steps"))
    if (const Json* const file = step.find("file"); file && file->text())
      want_line(step, *file->text(), wanted);
}

// The source that the steps of a report name, as it was read.
Json sources_of(const Json& report) {
  WantedLines wanted;
  for (const char* list : {"findings", "failures"})
    for (const Json& entry : report.items(list)) {
      want_lines(entry, wanted);
      if (const Json* const schedule = entry.find("schedule")) want_lines(*schedule, wanted);
    }
  const Json* const evidence = report.find("evidence");
  if (report.text("command") == "verify" && evidence)
    for (const char* list : {"trace", "loop"})
      for (const Json& step : evidence->items(list)) want_line(step, report.text("file"), wanted);
  return excerpts(wanted);
}

void want_lines(const Interleaving& interleaving, WantedLines& wanted) {
  for (const ThreadStep& step : interleaving.steps)
    if (step.at && step.at->line > 0)
      wanted[step.at->file].insert(static_cast<std::uint32_t>(step.at->line));
}

// The same of a report of a test that was made here.
Json sources_of(const Report& report) {
  WantedLines wanted;
  for (const Finding& finding : report.findings) want_lines(finding.interleaving, wanted);
  for (const FailedTest& failed : report.failures) {
    for (const Finding& finding : failed.findings) want_lines(finding.interleaving, wanted);
    if (failed.interleaving) want_lines(*failed.interleaving, wanted);
  }
  return excerpts(wanted);
}

Json one_page(Json report, Json extras) {
  return Json::object({{"report", std::move(report)}, {"extras", std::move(extras)}});
}

// Which operations matter, by their numbers in the whole history.
Json marks_json(const Counterexample& c) {
  Json extras;
  extras["operations"] = c.operations;
  extras["focus"] = c.focus;
  extras["culprit"] = c.culprit == kNone ? Json() : Json(c.culprit);
  extras["left"] = c.left_position;
  return extras;
}

// Whether an order of the operations in real time is what was asked for.
bool asks_for_order(const Report& report) {
  if (const CheckScope* const check = report.check())
    return check->property == HistoryProperty::linearizable;
  const ModelScope* const model = report.model();
  return model && !model->simulated && refine::asks_linearizability(model->question);
}

// What the history has to be linearizable to: of --quasi, where that is a specification at all, the
// relaxed object; null: stepping through an order would show nothing.
const Specification* stepped_through(const Report& report, const HistoryView& view, ObjectId object,
                                     std::unique_ptr<Specification>& relaxed) {
  const Specification* const plain = view.specification(object);
  const QuasiReport* const quasi = report.evidence.quasi.get();
  if (!quasi || !plain) return asks_for_order(report) ? plain : nullptr;
  const Relaxation relaxation = quasi->asked.relaxation;
  if (quasi::permutes(relaxation) || !quasi::has_k_automaton(*plain)) return nullptr;
  relaxed = quasi::make_k_automaton(*plain, relaxation, quasi::bind(quasi->asked.sets, *plain));
  return relaxed.get();
}

// An order that explains the history, or one that gets as far as any does.
std::string order_of(const Report& report) {
  std::map<ObjectId, std::unique_ptr<Specification>> relaxed;
  if (const Refutation* const refutation = report.evidence.refutation()) {
    const HistoryView& view = refutation->view;
    const Counterexample& c = refutation->counterexample;
    if (c.culprit == kNone) return "";
    const ObjectId object = view.history->object[c.culprit];
    const Specification* const specification =
        stepped_through(report, view, object, relaxed[object]);
    if (!specification) return "";
    const auto initial = view.initial ? view.initial : view.history->objects[object].initial;
    const auto order = longest_order(Story(*view.history, *specification, c, initial));
    return order ? order_json(*order, "longest") : "";
  }
  const Witness* const witness = std::get_if<Witness>(&report.evidence.what);
  if (!witness || witness->order.empty()) return "";
  const HistoryView& view = witness->view;
  const auto of = [&](ObjectId object) {
    return stepped_through(report, view, object, relaxed[object]);
  };
  const auto order = replay_order(*view.history, of, view.initial, witness->order, kReplayedSteps);
  return order ? order_json(*order, "witness") : "";
}

std::string steps_json(const Report& report) {
  try {
    return order_of(report);
  } catch (const SpecificationError&) {
    return "";  // the verdict stands; only what is shown besides is missing
  }
}

// The history to be shown; null: there is none. A fault of a model is not one of its history.
const HistoryView* shown_history(const Report& report) {
  if (report.check()) return report.check()->view.history ? &report.check()->view : nullptr;
  const Refutation* const refutation = report.evidence.refutation();
  const bool is_fault = report.model() && report.model()->found.kind == refine::Found::fault;
  return refutation && !is_fault ? &refutation->view : nullptr;
}

// The whole history, which of its operations matter, and an order to step through.
Json extras_of(const Report& report, const auto& add_island) {
  Json extras = Json::object();
  const HistoryView* const view = shown_history(report);
  if (!view) return extras;
  if (const Refutation* const refutation = report.evidence.refutation())
    extras = marks_json(refutation->counterexample);
  extras["history"] = add_island("history", packed_history(*view));
  if (const std::string steps = steps_json(report); !steps.empty())
    extras["steps"] = add_island("steps", steps);
  return extras;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text)
    if (c == '\n') lines.emplace_back();
    else lines.back() += c;
  return lines;
}

// The end of the object that begins there; npos: it has none.
std::size_t end_of_object(std::string_view json, std::size_t begin) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t end = begin; end < json.size(); ++end) {
    const char c = json[end];
    if (quoted) {
      if (c == '\\') ++end;
      else quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return end + 1;
    }
    if (depth == 0) return json.npos;  // no object at all
  }
  return json.npos;
}

}  // namespace

std::size_t HtmlPage::add_island(std::string_view name, std::string_view bytes) {
  islands_ += "<script type=\"text/plain\" id=\"" + std::string(name) + "-" +
              std::to_string(island_count_) + "\">" + base64(compressed(bytes)) + "</script>\n";
  return island_count_++;
}

void HtmlPage::add(const Report& report, std::string_view text) {
  Json extras = Json::object();
  if (report.command == Command::test) {
    if (Json sources = sources_of(report); !sources.empty()) extras["sources"] = std::move(sources);
  } else {
    extras =
        extras_of(report, [this](auto name, const auto& bytes) { return add_island(name, bytes); });
  }
  if (const auto lines = lines_of(text); report.model() && lines.size() < kMostLines)
    extras["sources"][report.file] = Json::array({excerpt(1, lines)});
  pages_.push_back(inside_script(one_page(report_tree(report), std::move(extras))));
}

Status HtmlPage::add(std::string_view json) {
  const Error wrong{ErrorKind::bad_input, "this is not a report", "a report is what --json prints"};
  const auto is_object = [](const Json* part) { return part && part->is_object(); };
  // Objects stand one after the other, each of one line or of several.
  for (std::size_t begin = json.find_first_not_of(" \t\r\n"); begin != json.npos;) {
    const std::size_t end = end_of_object(json, begin);
    if (end == json.npos) return wrong;
    std::optional<Json> report = parse_json(json.substr(begin, end - begin));
    if (!report || report->text("tool") != "plumb" || !has_known_schema(*report)) return wrong;
    begin = json.find_first_not_of(" \t\r\n", end);
    if (report->find("summary")) continue;
    if (!report->find("verdict") || !is_object(report->find("evidence")) ||
        !is_object(report->find("scope")))
      return wrong;
    Json extras = Json::object();
    if (Json sources = sources_of(*report); !sources.empty())
      extras["sources"] = std::move(sources);
    pages_.push_back(inside_script(one_page(*std::move(report), std::move(extras))));
  }
  return {};
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
