// SPDX-License-Identifier: MIT
#include "session/object_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "check/property/quasi/relaxation.hpp"

namespace plumb::session {
namespace {

constexpr int kMostThreads = 30;
constexpr int kMostOperations = 1000;

bool is_left_out(const Settings& s, const std::string& method) {
  return std::ranges::find(s.without, method) != s.without.end();
}

std::string check_methods(const Settings& s, const lineup::Object& object) {
  const auto check = [&](const char* option, const std::vector<std::string>& methods) {
    for (const std::string& method : methods) {
      const bool is_there = std::ranges::any_of(
          object.invocations, [&](const lineup::Invocation& i) { return i.method == method; });
      if (!is_there) return std::string(option) + ": there is no method '" + method + "'";
    }
    return std::string();
  };
  std::string wrong = check("--without", s.without);
  return wrong.empty() ? check("--allow-nondeterminism", s.allow_nondeterminism) : wrong;
}

std::string bind_column(const char* option, const std::string& text, const lineup::Object& object,
                        lineup::Column& to) {
  const std::string wrong = lineup::parse(text, object, to);
  return wrong.empty() ? "" : std::string(option) + ": " + wrong;
}

// What tests are made of.
std::string bind_units(const Settings& s, const lineup::Object& object,
                       lineup::CampaignSettings& c) {
  if (std::string wrong = bind_column("--pre", s.pre, object, c.initial); !wrong.empty())
    return wrong;
  if (std::string wrong = bind_column("--post", s.post, object, c.final); !wrong.empty())
    return wrong;
  for (const std::string& text : s.sequence) {
    lineup::Column& unit = c.units.emplace_back();
    if (std::string wrong = bind_column("--sequence", text, object, unit); !wrong.empty())
      return wrong;
    if (unit.empty()) return "--sequence: has no operation";
  }
  if (c.units.empty()) {
    for (std::size_t i = 0; i < object.invocations.size(); ++i) {
      if (!is_left_out(s, object.invocations[i].method)) c.units.push_back({static_cast<int>(i)});
    }
  }
  if (s.observe != "auto" && s.observe != "none") {
    lineup::Column calls;
    if (std::string wrong = bind_column("--observe", s.observe, object, calls); !wrong.empty())
      return wrong;
    if (std::cmp_greater(calls.size(), kMostOperations / 2))
      return "--observe: has more than 500 calls";
    c.observers = lineup::Observers(std::move(calls));
  }
  std::size_t longest = 0;
  for (const lineup::Column& unit : c.units) longest = std::max(longest, unit.size());
  const auto units = static_cast<std::size_t>(std::max(c.rows * c.columns, c.operations));
  if (std::cmp_greater(
          c.initial.size() + c.final.size() + c.observers.looks().size() + units * longest,
          kMostOperations))
    return "--sequence, --pre, --post and --observe: tests would have more than 1000 operations "
           "(--size and "
           "--operations count sequences)";
  return {};
}

std::string bind_tests(const Settings& s, const lineup::Object& object,
                       lineup::CampaignSettings& c) {
  for (const std::string& text : s.test) {
    lineup::Matrix test;
    if (const std::string wrong = lineup::parse(text, object, test); !wrong.empty())
      return fmt::format("--test: '{}': {}", text, wrong);
    if (std::cmp_greater(test.columns.size(), kMostThreads) || lineup::size(test) > kMostOperations)
      return "--test: more than 30 threads or more than 1000 operations";
    c.given.push_back(std::move(test));
  }
  return {};
}

std::string bind_specification(const Settings& s, lineup::Object& object,
                               lineup::CampaignSettings& c) {
  if (s.spec.empty()) return {};
  const Specification* const specification = find_specification(s.spec);
  c.check.by.specification = specification;
  if (specification == nullptr) return "--spec: there is no specification '" + s.spec + "'";
  for (const lineup::Invocation& it : object.invocations) {
    if (is_left_out(s, it.method)) continue;
    if (!specification->find(it.method))
      return "--spec: " + s.spec + " has no method '" + it.method +
             "' (--without METHOD excludes it)";
    if (std::string wrong = wrong_result(*specification, object, it); !wrong.empty())
      return "--spec: " + wrong;
  }
  object.reference.clear();
  return {};
}

std::string check_question(const Settings& s, const lineup::Object& object,
                           const lineup::CampaignSettings& c) {
  const lineup::BySpecification& by = c.check.by;
  const bool asks_more =
      by.quasi.relaxation != QuasiOptions().relaxation || by.counts_permutations || !by.quasi.dedup;
  if (asks_more && !by.is_relaxed())
    return "--relaxation, --count-permutations and --no-dedup need --quasi (--quasi "
           "METHOD=FACTOR states which operations may be out of order)";
  if (by.is_relaxed() && !by)
    return "--quasi relaxes a specification; give one: --spec queue, or .against(a class that can "
           "be copied, or plumb::Replayed of one that cannot)";
  if (std::string wrong = wrong_question(by, object); !wrong.empty()) return wrong;
  if (s.serial && !by && object.reference.empty())
    return "--serial needs a specification (--spec, or .against() in the code)";
  const bool is_one = c.given.size() == 1;
  if (!s.observations.empty() && !is_one) return "--observations needs exactly one --test";
  if (!s.observations.empty() &&
      std::ranges::any_of(object.invocations, &lineup::Invocation::asynchronous))
    return "--observations cannot be combined with asynchronous operations";
  if (!s.first.empty() && !is_one) return "--first needs exactly one --test";
  if (!s.replay.empty() && !is_one) return "--replay needs exactly one --test";
  if (c.units.empty() && c.given.empty()) return object.name + " has no operation to test";
  return {};
}

}  // namespace

std::string read_object_settings(const Settings& s, ObjectSettings& own) {
  lineup::CampaignSettings& c = own.campaign;
  c.operations = s.operations;
  c.threads = s.threads;
  c.random = s.random;
  c.rows = s.size.first;
  c.columns = s.size.second;
  c.all_sizes = !s.size_given;
  c.shard = s.shard.first - 1;
  c.shards = s.shard.second;
  c.seed = s.seed;
  c.keep_going = s.keep_going;
  c.shrink = !s.no_shrink;
  c.check.classic = s.classic;
  c.check.all_histories = s.all_histories;
  c.check.nondeterministic = {s.allow_nondeterminism.begin(), s.allow_nondeterminism.end()};
  c.check.by.counts_permutations = s.count_permutations;
  c.check.by.quasi.dedup = !s.no_dedup;
  if (const auto named = quasi::find_relaxation(s.relaxation)) c.check.by.quasi.relaxation = *named;
  for (const std::string& text : s.quasi) {
    std::optional<QuasiSet> set = quasi::read_set(text);
    if (!set || !set->factor) return "--quasi: '" + text + "' is not OPERATION=FACTOR";
    c.check.by.quasi.sets.push_back(*std::move(set));
  }
  if (c.shard >= c.shards) return "--shard: there is no shard after the last, such as 4/4";
  if (c.columns > kMostThreads || c.rows * c.columns > kMostOperations)
    return "--size: more than 30 threads or more than 1000 operations";
  if (!s.regression.empty() && !s.observations.empty())
    return "--regression cannot be combined with --observations: the regression test would depend "
           "on that file";
  return {};
}

std::string bind(const Settings& s, ObjectSettings& own, lineup::Object& object) {
  lineup::CampaignSettings& c = own.campaign;
  std::string wrong = check_methods(s, object);
  if (wrong.empty()) wrong = bind_units(s, object, c);
  if (wrong.empty()) wrong = bind_tests(s, object, c);
  if (wrong.empty()) wrong = bind_specification(s, object, c);
  return wrong.empty() ? check_question(s, object, c) : wrong;
}

}  // namespace plumb::session
