// SPDX-License-Identifier: MIT
// The table of options: what can be wrong with it, and how words are parsed by it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "options/help.hpp"
#include "options/parse.hpp"

namespace plumb::options {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

std::string wrong(unsigned commands, const Words& words) {
  Parsed parsed;
  return parse(commands, words, parsed);
}

Settings settings_of(unsigned commands, const Words& words) {
  Parsed parsed;
  EXPECT_EQ(parse(commands, words, parsed), "");
  return parsed.settings;
}

TEST(Table, NoCommandHasTwoOptionsOfOneName) {
  for (const CommandLine& command : all_commands()) {
    std::set<std::string_view> names;
    for (const Option* option : options_of(command.commands)) {
      EXPECT_TRUE(names.insert(option->name).second) << command.name << " " << option->name;
      if (!option->alias.empty()) {
        EXPECT_TRUE(names.insert(option->alias).second) << command.name << " " << option->alias;
      }
    }
  }
}

TEST(Table, EveryRowIsWellFormed) {
  for (const Option& option : all_options()) {
    EXPECT_TRUE(option.name.starts_with("--")) << option.name;
    EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_TRUE(!option.help.ends_with('.') || option.help.ends_with("...")) << option.name;
    EXPECT_NE(option.commands, 0u) << option.name;
    EXPECT_EQ(title(option.group).empty(), option.group == Group::hidden) << option.name;
  }
}

TEST(Table, EveryChoiceAndEveryDefaultIsUnderstood) {
  for (const Option& option : all_options()) {
    if (!option.takes.choices.empty())
      for (const std::string& value : option.values()) {
        Settings settings;
        EXPECT_EQ(option.read(option.takes, std::string_view(value), settings), "")
            << option.name << " " << value;
      }
    const std::string fallback = option.show(option.takes, Settings());
    if (fallback.empty() || option.takes.names == Names::specifications) continue;
    Settings settings;
    EXPECT_EQ(option.read(option.takes, std::string_view(fallback), settings), "") << option.name;
    EXPECT_EQ(option.show(option.takes, settings), fallback) << option.name;
  }
}

// The words of a choice are in the order of its enumeration.
TEST(Table, ChoicesMeanWhatTheySay) {
  EXPECT_EQ(settings_of(explore, {"--strategy", "random"}).strategy, SearchBy::random);
  EXPECT_EQ(settings_of(explore, {"--strategy", "dpor"}).strategy, SearchBy::dpor);
  EXPECT_EQ(settings_of(explore, {"--schedule-at", "all"}).schedule_at, ScheduleAt::all);
  EXPECT_EQ(settings_of(explore, {"--heap", "lifo"}).heap, HeapChoice::lifo);
  EXPECT_EQ(settings_of(verify, {"--native", "never"}).native, NativeCode::never);
  EXPECT_EQ(settings_of(check, {"--progress", "none"}).progress, ProgressChoice::none);
  EXPECT_EQ(settings_of(convert, {"--failed-cas", "absent"}).failed_cas, FailedCas::absent);
}

TEST(Parsing, TakesValuesInAllForms) {
  Parsed parsed;
  const Words words = {"a",   "--timeout=2.5", "-o", "x",  "--json", "--set",
                       "K=1", "--set=L=2",     "b",  "--", "-c"};
  ASSERT_EQ(parse(check, words, parsed), "");
  EXPECT_THAT(parsed.arguments, ElementsAre("a", "b", "-c"));
  EXPECT_EQ(parsed.settings.timeout, 2.5);
  EXPECT_EQ(parsed.settings.output, "x");
  EXPECT_TRUE(parsed.settings.json && parsed.settings.json_given);
  EXPECT_FALSE(parsed.settings.quiet || parsed.settings.quiet_given);
  EXPECT_THAT(parsed.settings.set, ElementsAre("K=1", "L=2"));
  EXPECT_EQ(parsed.given.size(), 5u);
  EXPECT_EQ(settings_of(check, {"-oreport"}).output, "report");
  EXPECT_EQ(settings_of(explore, {"--preemptions", "-1"}).preemptions, -1);
  EXPECT_EQ(settings_of(check, {"--jobs", "2", "--jobs", "3"}).jobs, 3);
  EXPECT_EQ(settings_of(object, {"--size", "2x5"}).size, (Pair{2, 5}));
  EXPECT_TRUE(settings_of(explore, {"--ignore", "race,deadlock"}).ignore.stuck);
}

TEST(Parsing, AnErrorSaysWhatWasGivenAndWhatIsRight) {
  EXPECT_EQ(wrong(check, {"--jobs", "0"}), "--jobs: '0' is not an integer from 1 to 1024");
  EXPECT_EQ(wrong(object, {"--threads", "1.5"}), "--threads: '1.5' is not an integer from 2 to 30");
  EXPECT_EQ(wrong(check, {"--timeout", "nan"}), "--timeout: 'nan' is not a number above 0");
  EXPECT_EQ(wrong(check, {"--color", "red"}), "--color: 'red' is not one of: auto, always, never");
  EXPECT_EQ(wrong(check, {"--html", ""}), "--html: '' is not the name of a file");
  EXPECT_EQ(wrong(object, {"--size", "3"}), "--size: '3' is not operations x threads, such as 3x3");
  EXPECT_EQ(wrong(explore, {"--ignore", "race,x"}),
            "--ignore: 'race,x' is not one of: race, deadlock, livelock, leak");
  EXPECT_EQ(wrong(check, {"--seed", "99999999999999999999999"}),
            "--seed: '99999999999999999999999' is not an integer from 0 to 18446744073709551615");
  EXPECT_EQ(wrong(check, {"--json=1"}), "--json takes no value");
  EXPECT_EQ(wrong(check, {"--jobs"}), "--jobs needs a value");
  EXPECT_EQ(wrong(check, {"--job", "1"}), "unknown option '--job'");
  EXPECT_EQ(wrong(explore, {"--threads", "2"}), "unknown option '--threads'");
}

TEST(Parsing, ValuesOfTheApiAreNotText) {
  Settings settings;
  EXPECT_EQ(take(object, "--threads", std::int64_t{5}, settings), "");
  EXPECT_EQ(settings.threads, 5);
  EXPECT_EQ(take(object, "--threads", std::int64_t{31}, settings),
            "--threads: '31' is not an integer from 2 to 30");
  EXPECT_EQ(take(object, "--size", Pair{2, 4}, settings), "");
  EXPECT_EQ(settings.size, (Pair{2, 4}));
  EXPECT_EQ(take(explore, "--timeout", 1.5, settings), "");
  EXPECT_EQ(take(explore, "--timeout", std::int64_t{3}, settings), "");
  EXPECT_EQ(settings.timeout, 3);
  EXPECT_EQ(take(object, "--test", std::string_view("put(\"it's\") | get()"), settings), "");
  EXPECT_THAT(settings.test, ElementsAre("put(\"it's\") | get()"));
  EXPECT_EQ(take(explore, "--seed", Value(), settings), "--seed needs a value");
  EXPECT_EQ(take(explore, "--spurious", std::int64_t{1}, settings), "--spurious takes no value");
  EXPECT_EQ(take(explore, "--nothing", Value(), settings), "unknown option '--nothing'");
}

TEST(Help, HasEveryOptionAndNoLineIsTooLong) {
  for (const CommandLine& command : all_commands()) {
    const std::string help = command_help(command);
    for (const Option* option : options_of(command.commands)) {
      if (option->group == Group::hidden) continue;
      EXPECT_THAT(help, HasSubstr("\n  " + option_words(*option)));
    }
    std::size_t column = 0;
    for (const char c : help) {
      column = c == '\n' ? 0 : column + 1;
      ASSERT_LE(column, 100u) << command.name;
    }
  }
}

}  // namespace
}  // namespace plumb::options
