// SPDX-License-Identifier: MIT
// plumb check, for people: the verdict; what happened; why it is wrong; how sure we are and what
// was covered. Nothing that does not matter is printed.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "check/property/quasi/relaxation.hpp"
#include "explain/words.hpp"
#include "report/table.hpp"
#include "report/text_parts.hpp"

namespace plumb::report {
namespace {

constexpr std::size_t kListed = 5;           // undecided partitions in words
constexpr std::size_t kStatisticsRows = 20;  // partitions in --stats

class CheckText {
 public:
  CheckText(const Report& report, const CheckScope& scope, const TextStyle& style)
      : report_(report), scope_(scope), quasi_(report.evidence.quasi.get()), style_(style) {}

  ReportText make() {
    if (const Refutation* const refutation = report_.evidence.refutation())
      violation(refutation->counterexample);
    else if (report_.verdict == Verdict::violation)
      paragraph("No counterexample: none was asked for (--no-minimise).");
    if (report_.verdict == Verdict::undecided) undecided();
    if (quasi_) least_factors();
    for (const std::string& note : report_.notes) paragraph("Scope: " + note + ".");
    if (style_.engines) engines();
    if (style_.statistics) statistics();
    if (style_.hints) hint();
    return {verdict_word(report_.verdict), message(), std::move(out_)};
  }

 private:
  void paragraph(const std::string& text) { out_ += text::paragraph_words(text, style_.columns); }

  std::string message() const {
    std::string size = text::count_words(scope_.operations, "operation");
    if (scope_.pending > 0) size += fmt::format(", {} pending", text::count_words(scope_.pending));
    if (scope_.partitions_total > 1)
      size += ", " + text::count_words(scope_.partitions_total, "partition");
    if (scope_.stream) size += ", a stream";
    std::string what;
    if (!report_.specification.empty()) what = report_.specification + ", ";
    if (scope_.stuck()) what += "stuck, ";
    what += (scope_.view.history ? size : std::string("not read to its end"));
    return fmt::format("{}: {} ({}, {})", text::file_words(report_.file), answer(), what,
                       text::seconds_words(scope_.total_seconds));
  }

  std::string answer() const {
    switch (report_.verdict) {
      case Verdict::holds: return property() + so_far();
      case Verdict::violation: return "not " + property();
      case Verdict::undecided: break;
    }
    return report_.reason + decided();
  }

  std::string property() const {
    if (scope_.property == HistoryProperty::sequential) return "sequentially consistent";
    const std::string name(to_string(scope_.property));
    return quasi_ ? fmt::format("{} by {}", name, quasi::words(quasi_->asked)) : name;
  }
  // What --min-k found.
  void least_factors() {
    const QuasiReport& q = *quasi_;
    const bool one = q.asked.sets.size() == 1;
    for (std::size_t i = 0; i < q.least.size(); ++i) {
      const std::string set = quasi::words({q.asked.sets[i].operations, {}});
      const std::string others = one ? "" : ", with the others as given";
      paragraph(!q.least[i] ? fmt::format("Least factor of {}: not decided.", set)
                : *q.least[i] < 0
                    ? fmt::format("No factor of {} explains it{}.", set, others)
                    : fmt::format("Least factor: {}={}{}.", set, *q.least[i], others));
    }
  }
  bool judges_reads() const {
    return scope_.property == HistoryProperty::regular || scope_.property == HistoryProperty::safe;
  }

  std::string so_far() const {
    return scope_.stream ? fmt::format(" up to line {}", text::count_words(scope_.stream->lines))
                         : "";
  }

  // "; 3 of 24 partitions decided"
  std::string decided() const {
    if (scope_.partitions_total < 2) return {};
    return fmt::format("; {} of {} decided", text::count_words(scope_.partitions_decided),
                       text::count_words(scope_.partitions_total, "partition"));
  }

  void violation(const Counterexample& c) {
    out_ += "\n";
    for (const std::string& row : make_table(scope_.view, c, style_.columns)) out_ += row + "\n";
    out_ += "\n";
    for (const std::string& sentence : c.why) paragraph(sentence);
    out_ += "\n";
    if (const std::string others = others_words(c, scope_.operations);
        !others.empty() && !scope_.stream)
      paragraph(others);
    paragraph(how_sure(c));
    other_partitions(c);
  }

  std::string how_sure(const Counterexample& c) const {
    const PartitionReport* p = partition_of(c);
    std::string text = fmt::format("Found by {}", p && !p->engine.empty() ? p->engine : "plumb");
    if (!c.confirmed_by.empty()) text += ", confirmed by " + c.confirmed_by;
    text += ".";
    if (!c.minimal) text += " Not minimal: minimisation reached its limit.";
    return text;
  }

  const PartitionReport* partition_of(const Counterexample& c) const {
    if (c.operations.empty()) return nullptr;
    const OperationId op = c.culprit == kNone ? c.operations[0] : c.culprit;
    const History& h = *scope_.view.history;
    const Specification* specification = scope_.view.specification(h.object[op]);
    std::vector<Value> keys;
    if (specification) {
      BoundLabel label;
      label.method = specification->find(h.call_of(op).method).value_or(0);
      label.args = h.call_of(op).args;
      keys = specification->keys(label);
    }
    for (const PartitionReport& p : scope_.partitions)
      if (p.object == h.object[op] &&
          (p.keys.empty() || std::find_first_of(p.keys.begin(), p.keys.end(), keys.begin(),
                                                keys.end()) != p.keys.end()))
        return &p;
    return nullptr;
  }

  // "key 7 of m", "the whole history"
  std::string partition_words(const PartitionReport& p) const {
    std::vector<std::string> keys;
    for (const Value key : p.keys) {
      if (keys.size() == kListed && p.keys.size() > kListed + 1) {
        keys.push_back(fmt::format("{} others", p.keys.size() - keys.size()));
        break;
      }
      keys.push_back(words(key));
    }
    std::string text = keys.empty() ? ""
                                    : fmt::format("{} {}", keys.size() == 1 ? "key" : "keys",
                                                  text::list_words(keys, "and"));
    const Value object = scope_.view.history->objects[p.object].name;
    if (!object.is_nil()) text += (text.empty() ? "object " : " of object ") + words(object);
    return text.empty() ? "the whole history" : text;
  }

  void other_partitions(const Counterexample& c) {
    if (scope_.partitions.size() < 2) return;
    const PartitionReport* own = partition_of(c);
    std::uint64_t holds = 0, undecided = 0;
    std::vector<std::string> violated;
    for (const PartitionReport& p : scope_.partitions) {
      holds += p.verdict == Verdict::holds;
      undecided += p.verdict == Verdict::undecided && !p.skipped;
      if (p.verdict == Verdict::violation && &p != own) violated.push_back(partition_words(p));
    }
    std::string text = "Partition: ";
    if (own)
      text += fmt::format("{} ({}); ", partition_words(*own),
                          text::count_words(own->operations, "operation"));
    std::vector<std::string> rest;
    if (holds) rest.push_back(fmt::format("{} hold", text::count_words(holds)));
    if (undecided) rest.push_back(fmt::format("{} undecided", text::count_words(undecided)));
    if (scope_.skipped)
      rest.push_back(
          fmt::format("{} skipped (--keep-going decides them)", text::count_words(scope_.skipped)));
    if (!violated.empty()) {
      if (violated.size() > kListed) {
        const std::size_t more = violated.size() - kListed;
        violated.resize(kListed);
        violated.push_back(fmt::format("{} more", more));
      }
      rest.push_back("also violated: " + text::list_words(violated, "and"));
    }
    paragraph(text + "of the others " + text::list_words(rest, "and") + ".");
  }

  void undecided() {
    if (!scope_.view.history) return;
    std::size_t listed = 0, open = 0;
    for (const PartitionReport& p : scope_.partitions) {
      if (p.verdict != Verdict::undecided || p.skipped) continue;
      ++open;
      if (p.covered == 0 && p.engine.empty()) continue;
      if (++listed > kListed) continue;
      paragraph(fmt::format("{}: {}, {} of its returns explained by some order{}.",
                            partition_words(p), text::count_words(p.operations, "operation"),
                            text::count_words(p.covered),
                            p.engine.empty() ? "" : " (" + p.engine + ")"));
    }
    if (open > std::min(listed, kListed) && open > 1)
      paragraph(fmt::format("{} undecided.", text::count_words(open, "partition")));
  }

  // Partitions that were decided alike are one row.
  void engines() {
    std::vector<std::pair<std::string, std::vector<const PartitionReport*>>> kinds;
    for (const PartitionReport& p : scope_.partitions) {
      if (p.engine.empty()) continue;
      std::string text = p.engine;
      if (!p.why_engine.empty()) text += ": " + p.why_engine;
      if (!p.declined.empty()) text += ". Not applicable: " + text::list_words(p.declined, "and");
      const auto same = std::find_if(kinds.begin(), kinds.end(),
                                     [&](const auto& kind) { return kind.first == text; });
      if (same == kinds.end()) kinds.push_back({text, {&p}});
      else same->second.push_back(&p);
    }
    for (const auto& [text, partitions] : kinds)
      paragraph(fmt::format("Engine of {}: {}.",
                            partitions.size() == 1
                                ? partition_words(*partitions.front())
                                : text::count_words(partitions.size(), "partition"),
                            text));
  }

  void statistics() {
    std::vector<const PartitionReport*> largest;
    for (const PartitionReport& p : scope_.partitions) largest.push_back(&p);
    std::stable_sort(largest.begin(), largest.end(),
                     [](auto* a, auto* b) { return a->operations > b->operations; });
    out_ += fmt::format("\n  {:<24} {:>10} {:<10} {:<8} {:>12} {:>12} {:>8} {:>8} {:>10} {:>9}\n",
                        "partition", "operations", "verdict", "engine", "configs", "steps",
                        "states", "frontier", "memory", "seconds");
    for (std::size_t i = 0; i < largest.size() && i < kStatisticsRows; ++i) {
      const PartitionReport& p = *largest[i];
      const std::string name = text::elide(partition_words(p), 24);
      out_ +=
          fmt::format("  {}{} {:>10} {:<10} {:<8} {:>12} {:>12} {:>8} {:>8} {:>10} {:>9.4f}\n",
                      name, std::string(24 - std::min<std::size_t>(24, text::width_of(name)), ' '),
                      text::count_words(p.operations), p.skipped ? "skipped" : to_string(p.verdict),
                      p.engine, text::count_words(p.configurations), text::count_words(p.steps),
                      text::count_words(p.states), text::count_words(p.peak_frontier),
                      text::bytes_words(p.bytes), p.seconds);
    }
    if (largest.size() > kStatisticsRows)
      out_ += fmt::format("  and {} more\n", text::count_words(largest.size() - kStatisticsRows));
    out_ += fmt::format(
        "  reading {}, deciding {}, evidence {}, total {}; searches {}, process {} at most\n",
        text::seconds_words(scope_.reading_seconds), text::seconds_words(report_.seconds),
        text::seconds_words(scope_.evidence_seconds), text::seconds_words(scope_.total_seconds),
        text::bytes_words(scope_.search_bytes), text::bytes_words(report_.peak_bytes));
  }

  void hint() {
    std::string_view text;
    if (report_.verdict == Verdict::violation) text = "--json has this report for programs";
    else if (report_.verdict == Verdict::undecided && !report_.interrupted)
      text = "--timeout, --memory and --engine change how far the search goes; --stats shows it";
    else if (report_.verdict == Verdict::holds && !wrote_witness() && !scope_.stream &&
             !judges_reads())
      text = "--witness FILE writes the order that explains every result";
    if (!text.empty()) out_ += fmt::format("  ({})\n", text);
  }

  bool wrote_witness() const {
    const Witness* const witness = std::get_if<Witness>(&report_.evidence.what);
    return witness && !witness->file.empty();
  }

  const Report& report_;
  const CheckScope& scope_;
  const QuasiReport* const quasi_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

ReportText check_text(const Report& report, const CheckScope& scope, const TextStyle& style) {
  return CheckText(report, scope, style).make();
}

}  // namespace plumb::report
