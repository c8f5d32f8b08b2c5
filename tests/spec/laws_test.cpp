// SPDX-License-Identifier: MIT
// What engines take for granted about every named specification, checked against its steps: on all
// small states where that is possible, else on random serial histories.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "spec/drive.hpp"
#include "spec/families.hpp"

namespace plumb {
namespace {

struct OwnLabel {
  MethodId method;
  std::vector<Value> args;
  Value result;
  bool known;
  BoundLabel bound() const { return {method, args, result, known}; }
};

std::string print(const Specification& spec, const OwnLabel& label) {
  return spec.name() + "." + spec.methods()[label.method].name +
         Value::list(label.args).to_string() + " = " +
         (label.known ? label.result.to_string() : "?");
}

std::vector<Value> candidates(const std::string& argument) {
  if (argument == "k" || argument == "i") return {I(0), I(1), I(2)};
  if (argument == "n") return {I(0), I(1), I(-1)};
  if (argument == "ops")
    return {L({}), L({L({S("r"), I(0), kNil})}), L({L({S("w"), I(1), I(7)})}),
            L({L({S("r"), I(0)}), L({S("w"), I(0), I(1)})}),
            L({L({S("w"), I(1), I(2)}), L({S("r"), I(2)}), L({S("r"), I(1)})})};
  return {I(0), I(1), I(2)};
}

std::vector<OwnLabel> all_calls(const Specification& spec) {
  std::vector<OwnLabel> calls;
  for (MethodId id = 0; id < spec.methods().size(); ++id) {
    std::vector<OwnLabel> made = {{id, {}, kNil, false}};
    for (const std::string& argument : spec.methods()[id].args) {
      std::vector<OwnLabel> longer;
      for (const OwnLabel& label : made)
        for (const Value v : candidates(argument)) {
          longer.push_back(label);
          longer.back().args.push_back(v);
        }
      made.swap(longer);
    }
    calls.insert(calls.end(), made.begin(), made.end());
  }
  return calls;
}

/// All states within a few steps, and every label that one of them allows or nearly allows.
struct SmallWorld {
  std::unique_ptr<StateSpace> space;
  std::vector<StateId> states;  // explored ones; their successors are numbered too
  std::vector<OwnLabel> calls, labels;

  explicit SmallWorld(const Specification& spec) : space(spec.states({})), calls(all_calls(spec)) {
    constexpr std::size_t kStates = 300;
    std::set<std::pair<std::size_t, Value>> seen;
    for (StateId s = 0; s < space->size() && s < kStates; ++s) {
      states.push_back(s);
      for (std::size_t c = 0; c < calls.size(); ++c) {
        std::vector<StateId> to;
        space->step(s, calls[c].bound(), to);
        for (const Value result : space->results(s, calls[c].bound())) seen.insert({c, result});
      }
    }
    for (const auto& [c, result] : seen) {
      labels.push_back(calls[c]);
      labels.back().result = result;
      labels.back().known = true;
    }
    labels.insert(labels.end(), calls.begin(), calls.end());
  }
};

class Laws : public testing::TestWithParam<const Specification*> {
 protected:
  const Specification& spec() const { return *GetParam(); }
};

struct Effect {
  bool legal = false, changes = false;  // in some state
};
Effect effect(SmallWorld& world, const OwnLabel& label) {
  Effect found;
  for (const StateId s : world.states) {
    std::vector<StateId> to;
    world.space->step(s, label.bound(), to);
    found.legal = found.legal || !to.empty();
    found.changes = found.changes || (!to.empty() && to != std::vector<StateId>{s});
  }
  return found;
}

TEST_P(Laws, APureLabelChangesNoStateInWhichItIsLegal) {
  SmallWorld world(spec());
  std::size_t pure = 0, moved = 0;
  for (const OwnLabel& label : world.labels) {
    const bool is_pure = spec().pure(label.bound());
    const auto [legal, changes] = effect(world, label);
    if (is_pure) {
      EXPECT_FALSE(changes) << print(spec(), label);
      pure += legal;
    }
    moved += changes;
  }
  EXPECT_GT(moved, 0u);
  const auto methods = spec().methods();
  const bool says_so = std::any_of(methods.begin(), methods.end(),
                                   [](const Method& method) { return !method.pure.empty(); });
  EXPECT_EQ(pure > 0, says_so);
}

TEST_P(Laws, EveryKnownLabelThatChangesNothingIsCalledPure) {
  SmallWorld world(spec());
  for (const OwnLabel& label : world.labels) {
    if (!label.known || spec().pure(label.bound())) continue;
    if (spec().methods()[label.method].returns_nothing) continue;  // add(0), clear()
    if (label.args == std::vector<Value>{I(0)}) continue;          // fetch_add(0)
    const auto [legal, changes] = effect(world, label);
    // A transaction that writes what it read is an exception that nobody needs.
    EXPECT_TRUE(!legal || changes || spec().name() == "multi-register") << print(spec(), label);
  }
}

TEST_P(Laws, AnUnknownResultAllowsExactlyWhatSomeResultAllows) {
  SmallWorld world(spec());
  for (const StateId s : world.states)
    for (const OwnLabel& call : world.calls) {
      std::vector<StateId> any, each;
      world.space->step(s, call.bound(), any);
      for (const Value result : world.space->results(s, call.bound())) {
        OwnLabel label = call;
        label.result = result;
        label.known = true;
        EXPECT_EQ(spec().reject(label.bound()), "") << print(spec(), label);
        std::vector<StateId> to;
        world.space->step(s, label.bound(), to);
        EXPECT_FALSE(to.empty()) << print(spec(), label) << " in " << world.space->print(s);
        each.insert(each.end(), to.begin(), to.end());
      }
      EXPECT_EQ(std::set(any.begin(), any.end()), std::set(each.begin(), each.end()));
      EXPECT_EQ(std::set(any.begin(), any.end()).size(), any.size()) << "a state twice";
    }
}

TEST_P(Laws, AMethodBlocksSomewhereIfItSaysSo) {
  SmallWorld world(spec());
  std::set<MethodId> blocked;
  for (const StateId s : world.states)
    for (const OwnLabel& call : world.calls)
      if (world.space->results(s, call.bound()).empty()) blocked.insert(call.method);
  for (MethodId id = 0; id < spec().methods().size(); ++id)
    EXPECT_EQ(blocked.contains(id), spec().methods()[id].blocks) << spec().methods()[id].name;
}

TEST_P(Laws, AForkStartsWhereItWasMadeAndStepsAlike) {
  SmallWorld world(spec());
  for (const StateId s : world.states) {
    const auto fork = world.space->fork(s);
    EXPECT_EQ(fork->print(fork->initial()), world.space->print(s));
    const OwnLabel& call = world.calls[s % world.calls.size()];
    EXPECT_EQ(fork->results(fork->initial(), call.bound()), world.space->results(s, call.bound()));
  }
}

/// Random labels, most of them legal.
std::vector<OwnLabel> random_serial(const Specification& spec, const std::vector<OwnLabel>& calls,
                                    std::size_t length, double wrong, std::mt19937_64& random) {
  const auto space = spec.states({});
  StateId now = space->initial();
  std::vector<OwnLabel> history;
  std::vector<Value> heard = {B(false), B(true), I(1)};
  while (history.size() < length) {
    OwnLabel label = calls[random() % calls.size()];
    const auto results = space->results(now, label.bound());
    if (results.empty()) continue;
    label.result = results[random() % results.size()];
    label.known = random() % 8 != 0;
    std::vector<StateId> to;
    space->step(now, label.bound(), to);
    now = to[random() % to.size()];
    heard.push_back(label.result);
    if (std::uniform_real_distribution()(random) < wrong) {
      OwnLabel other = label;
      other.result = heard[random() % heard.size()];
      if (spec.reject(other.bound()).empty()) label = other;
    }
    history.push_back(label);
  }
  return history;
}

bool legal(const Specification& spec, const std::vector<OwnLabel>& history) {
  Drive drive(spec);
  for (const OwnLabel& label : history)
    if (!drive.legal(label.bound())) return false;
  return true;
}

// Horn & Kroening: P-compositionality, for serial histories.
TEST_P(Laws, AHistoryOfKeyedOperationsIsLegalIffItIsLegalKeyByKey) {
  std::mt19937_64 random(1);
  std::vector<OwnLabel> keyed;
  for (const OwnLabel& call : all_calls(spec()))
    if (spec().keys(call.bound()).size() > 0) keyed.push_back(call);
  if (spec().family() != Family::none) ASSERT_EQ(kKeyed.contains(spec().family()), !keyed.empty());
  else ASSERT_EQ(spec().name() == "multimap", !keyed.empty());
  if (keyed.empty()) return;
  std::size_t yes = 0, no = 0;
  for (int round = 0; round < 1500; ++round) {
    const auto history = random_serial(spec(), keyed, 1 + random() % 10, 0.2, random);
    // Keys that one operation touches together belong together.
    std::map<Value, Value> leader;
    const auto find = [&](Value k) {
      leader.try_emplace(k, k);
      while (leader[k] != k) k = leader[k];
      return k;
    };
    for (const OwnLabel& label : history) {
      const auto keys = spec().keys(label.bound());
      for (const Value k : keys) leader[find(k)] = find(keys.front());
    }
    std::map<Value, std::vector<OwnLabel>> parts;
    for (const OwnLabel& label : history)
      parts[find(spec().keys(label.bound()).front())].push_back(label);
    bool by_key = true;
    for (const auto& [key, part] : parts) by_key = by_key && legal(spec(), part);
    const bool whole = legal(spec(), history);
    ASSERT_EQ(whole, by_key);
    ++(whole ? yes : no);
  }
  EXPECT_GT(yes, 100u);
  EXPECT_GT(no, 100u);
}

// Necessary conditions: what was observed was there before, and nothing was removed that often.
TEST_P(Laws, TrafficHoldsOnEveryLegalSerialHistory) {
  std::mt19937_64 random(2);
  const auto initial = spec().initial_values({});
  const std::set<std::string> silent = {"multi-register", "counter", "mutex", "semaphore",
                                        "multimap",       "rwlock",  "latch", "barrier"};
  ASSERT_EQ(silent.contains(spec().name()), !initial)
      << "without .initial_values(), so no conclusion is drawn from traffic: add it to `silent`";
  if (!initial) return;
  const auto calls = all_calls(spec());
  std::size_t observed = 0, removed = 0;
  for (int round = 0; round < 1000; ++round) {
    std::map<Value, int> copies;
    std::set<Value> added;
    for (const Value v : *initial) ++copies[v], added.insert(v);
    for (const OwnLabel& label : random_serial(spec(), calls, 12, 0, random)) {
      const Traffic traffic = spec().traffic(label.bound());
      if (traffic.observes) {
        ++observed;
        ASSERT_TRUE(added.contains(*traffic.observes)) << print(spec(), label);
        if (traffic.removes) {
          ++removed;
          ASSERT_GE(--copies[*traffic.observes], 0) << print(spec(), label);
        }
      }
      if (traffic.adds) ++copies[*traffic.adds], added.insert(*traffic.adds);
    }
  }
  EXPECT_GT(observed, 100u);
  const bool cells =
      spec().name() == "register" || spec().name() == "array" || spec().name() == "map";
  EXPECT_EQ(removed == 0, cells) << "an object that removes nothing: add it to `cells`";
}

TEST_P(Laws, TheReplayAgreesWithTheStatesAndAFailureChangesNothing) {
  std::mt19937_64 random(3);
  const auto calls = all_calls(spec());
  for (int round = 0; round < 300; ++round) {
    Drive drive(spec());
    for (const OwnLabel& label : random_serial(spec(), calls, 150, 0.2, random)) {
      const std::string before = drive.replay_print();
      if (!drive.legal(label.bound())) {  // throws where the two disagree
        ASSERT_EQ(drive.replay_print(), before);
      }
    }
  }
}

TEST_P(Laws, EqualStatesHaveOneNumberAndDifferentOnesDifferentText) {
  SmallWorld world(spec());
  std::set<std::string> texts;
  for (StateId s = 0; s < world.space->size(); ++s) texts.insert(world.space->print(s));
  EXPECT_EQ(texts.size(), world.space->size());
  EXPECT_GT(world.space->bytes(), world.space->size() * sizeof(StateId));
}

INSTANTIATE_TEST_SUITE_P(Named, Laws, testing::ValuesIn(all_specifications()),
                         [](const auto& info) {
                           std::string name = info.param->name();
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace plumb
