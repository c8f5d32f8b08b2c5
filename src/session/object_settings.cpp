// SPDX-License-Identifier: MIT
#include "session/object_settings.hpp"

#include <algorithm>
#include <charconv>

#include "check/property/quasi/relaxation.hpp"

#include "explore/schedule.hpp"

namespace plumb::session {
namespace {

bool read_whole(std::string_view text, int low, int high, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number >= low &&
         number <= high;
}

// "3x3", "1/4"
bool read_pair(const std::string& text, char between, int& first, int& second) {
  const std::size_t at = text.find(between);
  return at != text.npos && read_whole(std::string_view(text).substr(0, at), 1, 10'000, first) &&
         read_whole(std::string_view(text).substr(at + 1), 1, 10'000, second);
}

}  // namespace

std::string parse_object(std::vector<std::string>& words, ObjectSettings& s) {
  lineup::CampaignSettings& c = s.campaign;
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string name = words[i];
    std::string value;
    const std::size_t equals = name.find('=');
    const bool has_value = equals != name.npos && name.starts_with("--");
    if (has_value) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    s.words.push_back(words[i]);
    const auto is_flag = [&](const char* flag) { return !has_value && name == flag; };
    if (is_flag("--classic")) {
      c.check.classic = true;
      continue;
    }
    if (is_flag("--all-histories")) {
      c.check.all_histories = true;
      continue;
    }
    if (is_flag("--count-permutations")) {
      c.check.by.counts_permutations = true;
      continue;
    }
    if (is_flag("--no-dedup")) {
      c.check.by.quasi.dedup = false;
      continue;
    }
    if (is_flag("--compare")) {
      s.compare = true;
      continue;
    }
    if (is_flag("--no-shrink")) {
      c.shrink = false;
      continue;
    }
    if (is_flag("--serial")) {
      s.serial = true;
      continue;
    }
    if (is_flag("--keep-going")) c.keep_going = true;  // of the exploration as well
    constexpr const char* kWithValue[] = {"--test",   "--operations",   "--threads",
                                          "--random", "--size",         "--sequence",
                                          "--pre",    "--post",         "--without",
                                          "--shard",  "--observations", "--allow-nondeterminism",
                                          "--spec",   "--regression",   "--first",
                                          "--quasi",  "--relaxation"};
    if (std::ranges::find(kWithValue, name) == std::end(kWithValue)) {
      rest.push_back(words[i]);
      s.words.pop_back();
      continue;
    }
    if (!has_value) {
      if (++i == words.size()) return name + ": needs a value";
      value = words[i];
      s.words.push_back(value);
    }
    bool right = true;
    if (name == "--test") s.tests.push_back(value);
    if (name == "--sequence") s.units.push_back(value);
    if (name == "--pre") s.initial = value;
    if (name == "--post") s.final = value;
    if (name == "--without") s.without.push_back(value);
    if (name == "--allow-nondeterminism") c.check.nondeterministic.insert(value);
    if (name == "--observations") s.observations = value;
    if (name == "--regression") s.regression = value;
    if (name == "--first") {
      std::string wrong;
      explore::parse_schedule(value, wrong);
      if (!wrong.empty())
        return name.append(": '").append(value).append("' is not a schedule (").append(wrong) + ")";
      s.first = value;
    }
    if (name == "--spec") s.specification_name = value;
    if (name == "--relaxation") c.check.by.quasi.relaxation = value;
    if (name == "--quasi") {
      std::optional<QuasiSet> set = quasi::read_set(value);
      if (!set || !set->factor)
        return name.append(": '").append(value).append("' is not OPERATION=FACTOR");
      c.check.by.quasi.sets.push_back(*std::move(set));
    }
    if (name == "--operations") right = read_whole(value, 0, 100, c.operations);
    if (name == "--threads") right = read_whole(value, 2, 30, c.threads);
    if (name == "--random") right = read_whole(value, 0, 1'000'000, c.random);
    if (name == "--size") right = read_pair(value, 'x', c.rows, c.columns);
    if (name == "--shard") {
      right = read_pair(value, '/', c.shard, c.shards) && c.shard <= c.shards;
      --c.shard;
    }
    if (!right) {
      const char* const what = name == "--size"    ? "operations x threads, such as 3x3"
                               : name == "--shard" ? "one of so many, such as 1/4"
                                                   : "a whole number that makes sense";
      return name.append(": '").append(value).append("' is not ").append(what);
    }
  }
  if (c.columns > 30 || c.rows * c.columns > 1000)
    return "--size: more than 30 threads, or 1000 operations";
  if (!s.regression.empty() && !s.observations.empty())
    return "--regression: does not go with --observations, a file that it would depend on";
  words = std::move(rest);
  return {};
}

std::string bind(ObjectSettings& s, lineup::Object& object) {
  lineup::CampaignSettings& c = s.campaign;
  const auto has_method = [&](const std::string& method) {
    return std::ranges::any_of(object.invocations,
                               [&](const lineup::Invocation& i) { return i.method == method; });
  };
  for (const std::string& method : s.without) {
    if (!has_method(method)) return "--without: there is no method '" + method + "'";
  }
  for (const std::string& method : c.check.nondeterministic) {
    if (!has_method(method)) return "--allow-nondeterminism: there is no method '" + method + "'";
  }
  const auto column = [&](const char* option, const std::string& text, lineup::Column& to) {
    const std::string wrong = lineup::parse(text, object, to);
    return wrong.empty() ? "" : std::string(option) + ": " + wrong;
  };
  if (std::string wrong = column("--pre", s.initial, c.initial); !wrong.empty()) return wrong;
  if (std::string wrong = column("--post", s.final, c.final); !wrong.empty()) return wrong;
  for (const std::string& text : s.units) {
    c.units.emplace_back();
    if (std::string wrong = column("--sequence", text, c.units.back()); !wrong.empty())
      return wrong;
    if (c.units.back().empty()) return "--sequence: has no operation";
  }
  if (c.units.empty()) {
    for (std::size_t i = 0; i < object.invocations.size(); ++i) {
      if (std::ranges::find(s.without, object.invocations[i].method) == s.without.end())
        c.units.push_back({static_cast<int>(i)});
    }
  }
  std::size_t longest = 0;
  for (const lineup::Column& unit : c.units) longest = std::max(longest, unit.size());
  const auto units = static_cast<std::size_t>(std::max(c.rows * c.columns, c.operations));
  if (c.initial.size() + c.final.size() + units * longest > 1000)
    return "--sequence, --pre and --post: tests would have more than 1000 operations (--size and "
           "--operations count sequences)";
  for (const std::string& text : s.tests) {
    lineup::Matrix test;
    if (const std::string wrong = lineup::parse(text, object, test); !wrong.empty())
      return std::string("--test: '").append(text).append("': ").append(wrong);
    if (test.columns.size() > 30 || lineup::size(test) > 1000)
      return "--test: more than 30 threads, or 1000 operations";
    c.given.push_back(std::move(test));
  }
  if (!s.specification_name.empty()) {
    const Specification* const specification = find_specification(s.specification_name);
    c.check.by.specification = specification;
    if (specification == nullptr)
      return "--spec: there is no specification '" + s.specification_name + "'";
    for (const lineup::Invocation& it : object.invocations) {
      const bool is_used = std::ranges::find(s.without, it.method) == s.without.end();
      if (is_used && !specification->find(it.method))
        return "--spec: " + s.specification_name + " has no method '" + it.method +
               "' (--without leaves it out)";
    }
  }
  if (!s.specification_name.empty()) object.reference.clear();
  const bool asks_more = c.check.by.quasi.relaxation != QuasiOptions().relaxation ||
                         c.check.by.counts_permutations || !c.check.by.quasi.dedup;
  if (asks_more && !c.check.by.is_relaxed())
    return "--relaxation, --count-permutations or --no-dedup without --quasi (--quasi "
           "METHOD=FACTOR says what may be out of order)";
  if (c.check.by.is_relaxed() && !c.check.by)
    return "--quasi: says how far the class may be from what is right; say what that is: --spec "
           "queue, or .against(a class that can be copied, or plumb::Replayed of one that can not)";
  if (std::string wrong = wrong_question(c.check.by, object); !wrong.empty()) return wrong;
  if (s.serial && !c.check.by && object.reference.empty())
    return "--serial: without a specification there is nothing to compare with";
  if (!s.observations.empty() && c.given.size() != 1)
    return "--observations: is about one test; say which, by --test";
  if (!s.observations.empty() &&
      std::ranges::any_of(object.invocations, &lineup::Invocation::asynchronous))
    return "--observations: does not go with asynchronous operations";
  if (!s.first.empty() && c.given.size() != 1)
    return "--first: is about one test; say which, by --test";
  if (c.units.empty() && c.given.empty()) return object.name + " has no operation to test";
  return {};
}

}  // namespace plumb::session
