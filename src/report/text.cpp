// SPDX-License-Identifier: MIT
// What a reader wants to know, in the order in which they want it: the verdict; what happened; why
// it is wrong; how sure we are and what was looked at. Nothing that does not matter is printed.
#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "check/property/quasi/relaxation.hpp"
#include "explain/words.hpp"
#include "report/colour.hpp"
#include "report/table.hpp"

namespace plumb::report {
namespace {

constexpr std::size_t kListed = 5;           // undecided partitions in words
constexpr std::size_t kStatisticsRows = 20;  // partitions in --stats

class TextMaker {
 public:
  TextMaker(const Subject& subject, const TextStyle& style)
      : subject_(subject), report_(*subject.report), style_(style) {}

  std::string make() {
    first_line();
    if (!style_.verdict_only) {
      if (report_.counterexample) violation();
      else if (report_.verdict == Verdict::violation)
        paragraph("No counterexample: none was asked for (--no-minimise).");
      if (report_.verdict == Verdict::undecided) undecided();
      if (subject_.quasi) least_factors();
      for (const std::string& note : report_.scope_notes) paragraph("Scope: " + note + ".");
      if (style_.engines) engines();
      if (style_.statistics) statistics();
      if (style_.hints) hint();
    }
    return styled(std::move(out_), style_);
  }

 private:
  void paragraph(const std::string& text) { out_ += text::paragraph_words(text, style_.columns); }

  void first_line() {
    std::string size = text::count_words(report_.operations, "operation");
    if (report_.pending > 0)
      size += fmt::format(", {} pending", text::count_words(report_.pending));
    if (subject_.partitions > 1) size += ", " + text::count_words(subject_.partitions, "partition");
    if (report_.stream) size += ", a stream";
    std::string what;
    if (!subject_.specification.empty()) what = subject_.specification + ", ";
    if (subject_.history && subject_.history->stuck) what += "stuck, ";
    what += (subject_.history ? size : std::string("not read to its end"));
    const std::string rest =
        fmt::format(" ({}, {})\n", what, text::seconds_words(subject_.total_seconds));
    switch (report_.verdict) {
      case Verdict::holds:
        out_ +=
            "HOLDS      " + text::file_words(subject_.file) + ": " + property() + so_far() + rest;
        break;
      case Verdict::violation:
        out_ += "VIOLATION  " + text::file_words(subject_.file) + ": not " + property() + rest;
        break;
      case Verdict::undecided:
        out_ += fmt::format("UNDECIDED  {}: {}{}", text::file_words(subject_.file), report_.reason,
                            decided()) +
                rest;
        break;
    }
  }

  std::string property() const {
    if (report_.property == "sequential") return "sequentially consistent";
    if (subject_.quasi) return fmt::format("{} by {}", report_.property, factors());
    return report_.property.starts_with("linearizable") ? "linearizable" : report_.property;
  }
  // "deq=2, strict"
  std::string factors() const {
    std::string text;
    for (const QuasiSet& set : subject_.quasi->asked.sets) text += quasi::words(set) + ", ";
    return text + subject_.quasi->asked.relaxation;
  }

  // What --min-k found.
  void least_factors() {
    const QuasiReport& q = *subject_.quasi;
    const bool one = q.asked.sets.size() == 1;
    for (std::size_t i = 0; i < q.least.size(); ++i) {
      const std::string set = quasi::words({q.asked.sets[i].operations, {}});
      const std::string others = one ? "" : ", with the others as given";
      paragraph(!q.least[i] ? fmt::format("Least factor of {}: not found in time.", set)
                : *q.least[i] < 0
                    ? fmt::format("No factor of {} explains it{}.", set, others)
                    : fmt::format("Least factor: {}={}{}.", set, *q.least[i], others));
    }
  }
  bool judges_reads() const { return report_.property == "regular" || report_.property == "safe"; }

  std::string so_far() const {
    return report_.stream ? fmt::format(" up to line {}", text::count_words(report_.stream->lines))
                          : "";
  }

  // "; 3 of 24 partitions decided"
  std::string decided() const {
    if (subject_.partitions < 2) return {};
    return fmt::format("; {} of {} decided", text::count_words(subject_.partitions_decided),
                       text::count_words(subject_.partitions, "partition"));
  }

  void violation() {
    const Counterexample& c = *report_.counterexample;
    out_ += "\n";
    for (const std::string& row : make_table(subject_, c, style_.columns)) out_ += row + "\n";
    out_ += "\n";
    for (const std::string& sentence : c.why) paragraph(sentence);
    out_ += "\n";
    if (const std::string others = others_words(c, report_.operations);
        !others.empty() && !report_.stream && !judges_reads())
      paragraph(others);
    paragraph(how_sure(c));
    other_partitions(c);
  }

  std::string how_sure(const Counterexample& c) const {
    const PartitionReport* p = partition_of(c);
    std::string text = fmt::format("Found by {}", p && !p->engine.empty() ? p->engine : "plumb");
    if (!c.confirmed_by.empty()) text += ", confirmed by " + c.confirmed_by;
    text += ".";
    if (!c.minimal) text += " Not minimal: no time was left to see what else does not matter.";
    return text;
  }

  const PartitionReport* partition_of(const Counterexample& c) const {
    if (c.operations.empty()) return nullptr;
    const OperationId op = c.culprit == kNone ? c.operations[0] : c.culprit;
    const History& h = *subject_.history;
    const Specification* specification = specification_of(subject_, h.object[op]);
    std::vector<Value> keys;
    if (specification) {
      BoundLabel label;
      label.method = specification->find(h.call_of(op).method).value_or(0);
      label.args = h.call_of(op).args;
      keys = specification->keys(label);
    }
    for (const PartitionReport& p : report_.partitions)
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
    const Value object = subject_.history->objects[p.object].name;
    if (!object.is_nil()) text += (text.empty() ? "object " : " of object ") + words(object);
    return text.empty() ? "the whole history" : text;
  }

  void other_partitions(const Counterexample& c) {
    if (report_.partitions.size() < 2) return;
    const PartitionReport* own = partition_of(c);
    std::uint64_t holds = 0, undecided = 0;
    std::vector<std::string> violated;
    for (const PartitionReport& p : report_.partitions) {
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
    if (report_.skipped_partitions)
      rest.push_back(fmt::format("{} skipped (--keep-going decides them)",
                                 text::count_words(report_.skipped_partitions)));
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
    if (!subject_.history) return;
    std::size_t listed = 0, open = 0;
    for (const PartitionReport& p : report_.partitions) {
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

  // Partitions that were decided alike are told once.
  void engines() {
    std::vector<std::pair<std::string, std::vector<const PartitionReport*>>> kinds;
    for (const PartitionReport& p : report_.partitions) {
      if (p.engine.empty()) continue;
      std::string text = p.engine;
      if (!p.why_engine.empty()) text += ": " + p.why_engine;
      if (!p.declined.empty())
        text += ". Before it declined " + text::list_words(p.declined, "and");
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
    for (const PartitionReport& p : report_.partitions) largest.push_back(&p);
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
        text::seconds_words(subject_.reading_seconds), text::seconds_words(report_.seconds),
        text::seconds_words(report_.evidence_seconds), text::seconds_words(subject_.total_seconds),
        text::bytes_words(report_.peak_bytes), text::bytes_words(subject_.peak_bytes));
  }

  void hint() {
    std::string_view text;
    if (report_.verdict == Verdict::violation) text = "--json has this report for programs";
    else if (report_.verdict == Verdict::undecided && !report_.interrupted)
      text = "--timeout, --memory and --engine change how far the search goes; --stats shows it";
    else if (report_.verdict == Verdict::holds && subject_.witness_file.empty() &&
             !report_.stream && !judges_reads())
      text = "--witness FILE writes the order that explains every result";
    if (!text.empty()) out_ += fmt::format("  ({})\n", text);
  }

  const Subject& subject_;
  const CheckReport& report_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

std::string styled(std::string text, const TextStyle& style) {
  if (style.colour) text = coloured(text);
  return style.ascii ? text::to_ascii(text) : text;
}

std::string text_report(const Subject& subject, const TextStyle& style) {
  return TextMaker(subject, style).make();
}

}  // namespace plumb::report
