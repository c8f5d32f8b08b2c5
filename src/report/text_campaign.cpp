// SPDX-License-Identifier: MIT
// plumb test of an object, for people.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "report/table.hpp"
#include "report/text_parts.hpp"

namespace plumb::report {
namespace {

// "2 preemptions"; -1: "any number of preemptions"
std::string preemptions_words(int n) {
  return n < 0 ? "any number of preemptions"
               : text::count_words(static_cast<std::uint64_t>(n), "preemption");
}

// Those of a test that was not searched whole.
std::string schedules_words(const CampaignScope& scope) {
  switch (scope.schedules) {
    case CampaignScope::Schedules::serial: return " serially";
    case CampaignScope::Schedules::random: return " under random schedules";
    case CampaignScope::Schedules::bounded: break;
  }
  return " with at most " + preemptions_words(scope.preemptions);
}

// Which tests there were: lines of two blanks and a sentence.
std::string tests_text(const CampaignScope& scope) {
  const lineup::CampaignCounts& c = scope.counts;
  std::string text;
  const auto line = [&text](const std::string& words) { text += "  " + words + "\n"; };
  if (c.in_order > 0) {
    const bool is_only = scope.all_in_order && c.in_order == 1;
    line((is_only              ? "the only test"
          : scope.all_in_order ? "all " + text::count_words(c.in_order, "test")
                               : text::count_words(c.in_order) + " of the tests") +
         " of up to " +
         text::count_words(static_cast<std::uint64_t>(scope.operations), "operation") +
         " on up to " + std::to_string(scope.threads) + " threads");
    if (scope.one_per_class) line("(one test per class of equal-up-to-renaming values)");
    if (c.threads_differ)
      line("(threads are not interchangeable: an operation reads its thread id)");
  }
  if (c.at_random > 0)
    line(fmt::format("{} of {}{} x {} (seed {})", text::count_words(c.at_random, "random test"),
                     scope.all_sizes ? "up to " : "", scope.rows, scope.random_columns,
                     scope.seed));
  if (!scope.observed_by.empty() && c.in_order + c.at_random > 0)
    line("each ends with " + text::list_words(scope.observed_by, "and") + ", to see what is left");
  if (c.given > 0) line(text::count_words(c.given, "test") + " as given");
  if (scope.shards > 1)
    line(fmt::format("of these {} for shard {}/{}", text::count_words(c.begun, "test"),
                     scope.shard + 1, scope.shards));
  if (!scope.never_called.empty())
    line("no test calls " + text::list_words(scope.never_called, "or"));
  return text;
}

// "bound 1: 1,073 of 1,073; bound 2: 412 of 1,073, about 40 s; every schedule: 35", if something
// was cut.
std::string stages_text(const CampaignScope& scope) {
  bool is_cut = !scope.deeper_cut.empty();
  std::string text;
  for (const lineup::StageCount& count : scope.stages) {
    const lineup::Stage& stage = count.stage;
    if (!text.empty()) text += "; ";
    text +=
        stage.preemptions >= 0 ? fmt::format("bound {}: ", stage.preemptions) : "every schedule: ";
    text += text::count_words(count.done);
    if (stage.is_planned) text += " of " + text::count_words(count.all);
    else if (!scope.deeper_cut.empty()) text += fmt::format(" ({})", scope.deeper_cut);
    is_cut |= stage.is_planned && count.done < count.all;
    if (count.rest_seconds) text += ", about " + text::about_seconds_words(*count.rest_seconds);
  }
  return is_cut && scope.stages.size() > 1 ? "  " + text + "\n" : "";
}

std::string scope_text(const CampaignScope& scope) {
  const lineup::CampaignCounts& c = scope.counts;
  std::string text = tests_text(scope);
  const auto line = [&text](const std::string& words) { text += "  " + words + "\n"; };
  if (c.passed > 0) {
    const std::uint64_t bounded = c.passed - c.all_schedules;
    std::string passed = text::count_words(c.passed) + " passed";
    if (c.all_schedules > 0)
      passed += ", " + text::count_words(c.all_schedules) + " under every schedule";
    if (bounded > 0) passed += ", " + text::count_words(bounded) + schedules_words(scope);
    line(passed);
  }
  text += stages_text(scope);
  if (c.guessed) line(fmt::format("({})", kSpinWaitNote));
  if (c.permutations > 0)
    line(text::count_words(c.sequentializations, "sequentialization") + " of " +
         text::count_words(c.histories) + " histories, " +
         text::count_words(c.permutations, "permutation"));
  if (c.failed > 0 && scope.keep_going) line(text::count_words(c.failed) + " failed");
  if (c.with_stuck > 0)
    line(text::count_words(c.with_stuck) + " had operations that wait forever" +
         (scope.classic || c.failed > 0 ? "" : ", as the specification allows"));
  return text;
}

// "enq(1), deq() = 1, deq() = 1    a queue returns null", in lines that end after a call.
std::string difference_text(const lineup::SerialDifference& difference, const std::string& words) {
  constexpr std::size_t kColumns = 100;
  std::string text, line = "   ";
  const auto add = [&](const std::string& part) {
    if (text::width_of(line) + text::width_of(part) >= kColumns) {
      text += line + "\n";
      line = "   ";
    }
    line += " " + part;
  };
  for (std::size_t i = 0; i < difference.calls.size(); ++i)
    add(difference.calls[i] + (i + 1 < difference.calls.size() ? "," : ""));
  add("   " + words + " " + difference.expected);
  return text + line + "\n";
}

// "Serially this is a FIFO queue (916 sequences agree with `queue`: all of up to 5 calls, ...)."
std::string resemblance_text(const lineup::Resemblance& like) {
  std::string words =
      "Serially this is " + std::string(like.difference ? "like " : "") + like.words;
  std::vector<std::string> left_out;
  for (const std::string& method : like.not_counted) left_out.push_back(method + "()");
  if (!left_out.empty()) words += ", not counting " + text::list_words(left_out, "and");
  if (like.difference) {
    std::string out = text::paragraph_words(words + ", but", 100);
    out += difference_text(*like.difference, like.words);
    if (like.spec_option)
      out += fmt::format("  With --spec {}, {} is the specification.\n", like.specification,
                         like.words);
    return out;
  }
  std::vector<std::string> waits;
  for (const std::string& method : like.waits) waits.push_back(method + "()");
  if (!waits.empty())
    words += fmt::format(", except that {} {} where it refuses", text::list_words(waits, "and"),
                         waits.size() == 1 ? "waits" : "wait");
  words += fmt::format(" ({} agree with `{}`: ", text::count_words(like.sequences, "sequence"),
                       like.specification);
  if (like.whole_length > 0)
    words += fmt::format("all of up to {}, some of up to {}).",
                         text::count_words(static_cast<std::uint64_t>(like.whole_length), "call"),
                         like.longest);
  else words += fmt::format("of up to {} calls).", like.longest);
  return text::paragraph_words(words, 100);
}

// "with 1 preemption": no fewer do; or the bound of the search that found it.
std::string how_many(const FailedTest& failed) {
  const bool is_bound = !failed.is_least && failed.preemptions >= 0;
  return (is_bound ? "at most " : "") + preemptions_words(failed.preemptions);
}

std::string histories_words(const FailedTest& failed) {
  return fmt::format(
      "  {} of {}{}", text::count_words(failed.violating), text::count_words(failed.histories),
      failed.violating == 1 ? " histories is a violation.\n" : " histories are violations.\n");
}

std::string without_races_text(const WithoutRaces& without) {
  const std::string test = without.test.empty() ? "" : ": " + without.test;
  std::string text = "  Apart from the race: " + without.words + test + " (" +
                     text::count_words(without.executions, "execution") + ")\n";
  if (!without.command.empty()) text += "  Show it: " + without.command + "\n";
  return text;
}

std::string failed_text(const FailedTest& failed, bool is_replay) {
  std::string text = "\n  Test: " + failed.test + "\n";
  if (failed.serially) text += "  serially\n";
  else if (failed.kind != lineup::Failure::nondeterministic && !is_replay)
    text += "  with " + how_many(failed) + "\n";
  if (failed.shrinking_was_cut)
    text += "  (not shrunk further: stopped by a limit or an interrupt)\n";
  if (failed.times > 1)
    text += "  (" + text::count_words(failed.times, "test") + " fail like it)\n";
  for (const Finding& finding : failed.findings) {
    text += finding_text(finding) + interleaving_text(finding.interleaving);
    if (!finding.interleaving.replay.command.empty())
      text += "\n  Replay: " + finding.interleaving.replay.command + "\n";
    if (!is_replay) text += continue_text(finding);
  }
  if (failed.without_races) text += without_races_text(*failed.without_races);
  if (failed.kind != lineup::Failure::finding) {
    text += "\n" + failure_text(failed);
    if (failed.interleaving)
      text += interleaving_text(*failed.interleaving) +
              "\n  Replay: " + failed.interleaving->replay.command + "\n";
    if (failed.counted_histories) text += histories_words(failed);
    for (const Finding& race : failed.races) {
      text += "\n  Data race in this test:" + finding_text(race);
      if (!race.interleaving.replay.command.empty())
        text += "  Replay: " + race.interleaving.replay.command + "\n";
      text += continue_text(race);
    }
  }
  if (!failed.as_test.empty())
    text += "  As a test: plumb::test(...).options(" + failed.as_test + ")\n";
  return text;
}

std::string alarms_words(std::uint64_t executions, std::uint64_t tests, std::uint64_t passed) {
  if (tests == 0) return "none";
  return text::count_words(executions, "execution") + " of " + text::count_words(tests, "test") +
         "; " + text::count_words(passed) + " of these " + (passed == 1 ? "passes" : "pass");
}

std::string access_text(const Comparison::Access& access) {
  const Frame frame{"", access.file, access.line};
  return "    " + access.thread + "  " + (access.line == 0 ? "?" : frame.place()) + "  " +
         access.what + "\n";
}

std::string cycle_text(const Comparison& comparison) {
  std::string text =
      "\n  The first execution that is not serializable, of " + comparison.test + ":\n";
  for (const Comparison::Conflict& conflict : comparison.cycle) {
    text += "  " + conflict.before.operation + " comes before " + conflict.after.operation;
    text += conflict.same_thread
                ? ", in the same thread\n"
                : ":\n" + access_text(conflict.before) + access_text(conflict.after);
  }
  return text + "\n  Replay: " + comparison.replay + "\n";
}

std::string comparison_text(const Comparison& comparison, const lineup::CampaignCounts& c) {
  std::string text = "\n  Of the same " + text::count_words(c.compared, "concurrent execution") +
                     ", others would have reported:\n    a race detector           " +
                     alarms_words(c.racy, c.racy_tests, c.racy_passed) +
                     "\n    conflict serializability  " +
                     alarms_words(c.cyclic, c.cyclic_tests, c.cyclic_passed) + "\n";
  if (c.truncated > 0)
    text += "  (" + text::count_words(c.truncated, "execution") +
            " had so many accesses that cycles may be missed)\n";
  if (c.cyclic == 0) return text;
  return text + (comparison.cycle.empty() ? "  (the replay of the first did not show it)\n"
                                          : cycle_text(comparison));
}

// Also those that were not reached.
std::uint64_t undecided(const CampaignScope& scope) {
  std::uint64_t all = 0;
  for (const lineup::StageCount& count : scope.stages) all = std::max(all, count.all);
  return all - scope.counts.passed - scope.counts.failed;
}

std::string answer(const Report& report, const CampaignScope& scope) {
  switch (report.verdict) {
    case Verdict::violation: return report.failures.front().headline;
    case Verdict::undecided:
      return fmt::format("{}: {} not decided: {}", scope.object,
                         text::count_words(undecided(scope), "test"), report.reason);
    case Verdict::holds: break;
  }
  if (report.specification.empty())
    return scope.object + ": every observed history has a serial witness";
  return fmt::format("{}: every observed history is explained by {}{}", scope.object,
                     report.specification,
                     scope.relaxed.empty() ? "" : ", relaxed by " + scope.relaxed);
}

}  // namespace

std::string failure_text(const FailedTest& failed) {
  if (!failed.findings.empty())
    return (finding_text(failed.findings.front()) +
            interleaving_text(failed.findings.front().interleaving))
        .substr(1);
  std::string text;
  if (const Refutation* const refutation = failed.evidence.refutation())
    for (const std::string& row : make_table(refutation->view, refutation->counterexample, 100))
      text += row + "\n";
  text += "\n";
  for (const std::string& sentence : failed.why) text += text::paragraph_words(sentence, 100);
  return text;
}

ReportText campaign_text(const Report& report, const CampaignScope& scope) {
  if (report.error) return {"", report.reason, ""};
  const lineup::CampaignCounts& c = scope.counts;
  ReportText text{verdict_word(report.verdict), "", ""};
  text.message = fmt::format(
      "{}: {} ({}, {}, {})", report.file, answer(report, scope), text::count_words(c.begun, "test"),
      text::count_words(c.executions, "execution"), text::seconds_words(report.seconds));
  std::string& out = text.body;
  if (report.verdict == Verdict::violation) {
    for (const FailedTest& failed : report.failures) out += failed_text(failed, scope.is_replay);
    if (c.failed > 1 || scope.keep_going || c.permutations > 0) out += "\n" + scope_text(scope);
    if (c.undecided > 0)
      out += fmt::format("  {} not decided: {}\n", text::count_words(c.undecided),
                         scope.undecided_reason);
    if (report.interrupted) out += "  interrupted: not all tests were run\n";
  } else {
    if (report.verdict == Verdict::undecided && c.undecided > 0)
      out += "  the first: " + scope.undecided_test + "\n";
    out += scope_text(scope);
  }
  if (scope.resemblance) out += resemblance_text(*scope.resemblance);
  out += unseen_text(report) + suppressions_text(report);
  if (report.comparison) out += comparison_text(*report.comparison, c);
  if (!report.written_test.empty()) out += "  As a test: " + report.written_test + "\n";
  return text;
}

}  // namespace plumb::report
