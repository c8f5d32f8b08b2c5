// SPDX-License-Identifier: MIT
#include "session/compare.hpp"

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/text.hpp"

namespace plumb::session {

using explore::Accessed;
using explore::Conflict;
using text::count_words;

namespace {

std::string thread_of(const Accessed& access, const Shown& shown) {
  const auto name = shown.names.find(access.thread);
  return name == shown.names.end() ? "thread " + std::to_string(access.thread) : name->second;
}

// "A push(1)"; of a thread that the object made: the thread.
std::string transaction_of(const Accessed& access, const lineup::Matrix& test,
                           const lineup::Object& object, const Shown& shown) {
  std::string thread = thread_of(access, shown);
  if (access.operation < 0) return thread;
  const lineup::Cell cell = lineup::cells(test)[static_cast<std::size_t>(access.operation)];
  return thread + " " + object.invocations[static_cast<std::size_t>(cell.invocation)].text;
}

nlohmann::json access_json(const Accessed& access, const std::string& transaction,
                           const ToldStep& step) {
  return {{"operation", transaction},
          {"writes", access.access.touch != explore::Touch::read},
          {"what", step.what},
          {"file", step.file},
          {"line", step.line}};
}

nlohmann::json alarms_json(std::uint64_t executions, std::uint64_t tests, std::uint64_t passed) {
  return {{"executions", executions}, {"tests", tests}, {"passed", passed}};
}

std::string alarms_words(std::uint64_t executions, std::uint64_t tests, std::uint64_t passed) {
  if (tests == 0) return "none";
  return text::count_words(executions, "execution") + " of " + text::count_words(tests, "test") +
         "; " + text::count_words(passed) + " of these " + (passed == 1 ? "passes" : "pass");
}

}  // namespace

Report tell_cycle(const lineup::Matrix& test, const lineup::Object& object, const Shown& shown,
                  const runtime::Board& shown_board, const runtime::Board& searched,
                  const Settings& settings,
                  const std::function<std::string(const std::string& options)>& again) {
  Report report;
  const std::span<const Conflict> cycle(shown_board.cycle.data(), shown_board.cycle_count);
  if (cycle.empty()) return report;
  std::vector<std::int32_t> lines;
  for (const Conflict& conflict : cycle) {
    lines.push_back(conflict.first.line);
    lines.push_back(conflict.second.line);
  }
  const std::vector<ToldStep> steps = tell_steps(shown, searched, lines);
  const std::string in = to_text(test, object);
  const Told told = tell_shown(shown, settings, searched, again);
  report.text = "\n  The first execution that is not serializable, of " + in + ":\n";
  nlohmann::json edges = nlohmann::json::array();
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const auto& [first, second] = cycle[i];
    const std::string before = transaction_of(first, test, object, shown);
    const std::string after = transaction_of(second, test, object, shown);
    report.text.append("  ").append(before).append(" comes before ").append(after);
    if (first.thread == second.thread) {
      report.text += ", in the same thread\n";
    } else {
      report.text += ":\n    " + thread_of(first, shown) + "  " + steps[2 * i].text() + "\n    " +
                     thread_of(second, shown) + "  " + steps[2 * i + 1].text() + "\n";
    }
    edges.push_back({{"kind", first.thread == second.thread ? "thread" : "conflict"},
                     {"before", access_json(first, before, steps[2 * i])},
                     {"after", access_json(second, after, steps[2 * i + 1])}});
  }
  report.text += "\n  Again: " + told.again + "\n";
  report.json = dumped(nlohmann::json({{"test", in}, {"cycle", edges}, {"replay", told.again}}));
  return report;
}

Report tell_comparison(const lineup::CampaignCounts& c, const Report& cycle) {
  Report report;
  report.text = "\n  Of the same " + text::count_words(c.compared, "concurrent execution") +
                ", others would have reported:\n"
                "    a race detector           " +
                alarms_words(c.racy, c.racy_tests, c.racy_passed) +
                "\n    conflict serializability  " +
                alarms_words(c.cyclic, c.cyclic_tests, c.cyclic_passed) + "\n";
  if (c.cut > 0) {
    report.text += "  (" + text::count_words(c.cut, "execution") +
                   " had so many accesses that cycles may be missed)\n";
  }
  if (c.cyclic > 0)
    report.text +=
        cycle.text.empty() ? "  (the first could not be run again, to be shown)\n" : cycle.text;
  nlohmann::json serializability = alarms_json(c.cyclic, c.cyclic_tests, c.cyclic_passed);
  serializability["first"] =
      cycle.json.empty() ? nlohmann::json() : nlohmann::json::parse(cycle.json);
  report.json = dumped(nlohmann::json({{"executions", c.compared},
                                       {"cut", c.cut},
                                       {"races", alarms_json(c.racy, c.racy_tests, c.racy_passed)},
                                       {"conflict_serializability", serializability}}));
  return report;
}

}  // namespace plumb::session
