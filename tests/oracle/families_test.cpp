// SPDX-License-Identifier: MIT
// Names mean nothing. Every built-in object is described again, with a random name for it and for
// each of its methods, and is asked about the same histories: those of the repository, and random
// ones. Engine, verdict and explanation must be the same, but for the names.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "oracle/oracle.hpp"
#include "plumb/check.hpp"
#include "plumb/formats.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using test::Random;

/// The same object under other names, and without aliases.
class Renamed final : public Specification {
 public:
  Renamed(const Specification& plain, Random& random)
      : plain_(plain), name_(random_word(random)),
        methods_(plain.methods().begin(), plain.methods().end()) {
    for (Method& method : methods_) {
      method.name = random_word(random);
      method.aliases.clear();
    }
  }

  const std::string& name() const override { return name_; }
  std::span<const Method> methods() const override { return methods_; }
  Family claimed_family() const override { return plain_.claimed_family(); }
  std::string reject(const BoundLabel& label) const override { return plain_.reject(label); }
  std::string reject_initial(Value v) const override { return plain_.reject_initial(v); }
  std::unique_ptr<StateSpace> states(std::optional<Value> initial) const override {
    return plain_.states(initial);
  }
  std::unique_ptr<Replay> replay(std::optional<Value> initial) const override {
    return plain_.replay(initial);
  }
  bool pure(const BoundLabel& label) const override { return plain_.pure(label); }
  std::vector<Value> keys(const BoundLabel& label) const override { return plain_.keys(label); }
  Traffic traffic(const BoundLabel& label) const override { return plain_.traffic(label); }
  std::optional<std::vector<Value>> initial_values(std::optional<Value> v) const override {
    return plain_.initial_values(v);
  }

  /// The text with the plain names instead of these.
  std::string unname(std::string text) const {
    const auto replace = [&](const std::string& from, const std::string& to) {
      for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
        text.replace(at, from.size(), to);
    };
    replace(name_, plain_.name());
    for (MethodId m = 0; m < methods_.size(); ++m)
      replace(methods_[m].name, plain_.methods()[m].name);
    return text;
  }

 private:
  static std::string random_word(Random& random) {
    std::string word;
    for (int i = 0; i < 12; ++i) word += static_cast<char>('a' + random.below(26));
    return word;
  }
  const Specification& plain_;
  std::string name_;
  std::vector<Method> methods_;
};

/// The history with each operation under its first name in `to`, which has the methods of `from`.
/// Nothing: it has others.
std::optional<History> in_words_of(const History& history, const Specification& from,
                                   const Specification& to) {
  History out = history;
  out.calls = {};
  for (CallId id = 0; id < history.calls.size(); ++id) {
    const auto method = from.find(history.calls[id].method);
    if (!method) return std::nullopt;
    out.calls.add(to.methods()[*method].name, history.calls[id].args);
  }
  return out;
}

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// All that a check says, but for its times.
std::string said(const Result<CheckReport>& result) {
  if (!result.ok()) return "error: " + result.error().message;
  const CheckReport& report = *result;
  std::string text = std::to_string(static_cast<int>(report.verdict)) + " " + report.reason + "\n" +
                     join(report.scope_notes);
  for (const PartitionReport& p : report.partitions)
    text += std::to_string(static_cast<int>(p.verdict)) + " " + p.engine + " | " + p.why_engine +
            " | " + p.reason + " | " + std::to_string(p.covered) + "\n" + join(p.declined);
  if (!report.counterexample) return text;
  const Counterexample& c = *report.counterexample;
  text += "culprit " + std::to_string(c.culprit) + ", stale " + std::to_string(c.stale) + ", " +
          c.confirmed_by + ", " + c.left_state + "\n" + join(c.why);
  for (const OperationId op : c.operations) text += " " + std::to_string(op);
  for (const OperationId op : c.focus) text += " focus " + std::to_string(op);
  for (const Value v : c.possible_results) text += " or " + v.to_string();
  return text;
}

class Pair {
 public:
  explicit Pair(const Specification& plain)
      : plain_(plain), random_(test::seed()), other_(plain, random_) {
    EXPECT_EQ(other_.family(), plain.claimed_family()) << other_.refused_family();
  }

  /// Returns: whether the history is one of this object.
  bool compare(const History& history, CheckOptions options = {}) {
    const auto mine = in_words_of(history, plain_, plain_);
    const auto its = in_words_of(history, plain_, other_);
    if (!mine || !its) return false;
    options.jobs = 1;
    options.specification = &plain_;
    const Result<CheckReport> expected = check(*mine, options);
    options.specification = &other_;
    const Result<CheckReport> actual = check(*its, options);
    EXPECT_EQ(said(expected), other_.unname(said(actual)))
        << plain_.name() << ", " << history.file << "\n"
        << (history.size() < 50 ? test::to_text(*mine) : "");
    violations_ += expected.ok() && expected->verdict == Verdict::violation;
    return true;
  }

  bool compare_relaxed(const History& history, const QuasiOptions& plainly) {
    const auto mine = in_words_of(history, plain_, plain_);
    const auto its = in_words_of(history, plain_, other_);
    if (!mine || !its) return false;
    QuasiOptions renamed = plainly;
    for (QuasiSet& set : renamed.sets)
      for (std::string& name : set.operations) name = other_.methods()[*plain_.find(name)].name;
    const auto expected = check_quasi(*mine, plainly, {.specification = &plain_, .jobs = 1});
    const auto actual = check_quasi(*its, renamed, {.specification = &other_, .jobs = 1});
    const auto report = [](const Result<QuasiReport>& r) {
      return r.ok() ? said(r->check) : said(Result<CheckReport>(r.error()));
    };
    EXPECT_EQ(report(expected), other_.unname(report(actual))) << test::to_text(*mine);
    return true;
  }

  const std::uint64_t& violations() const { return violations_; }

 private:
  const Specification& plain_;
  Random random_;
  Renamed other_;
  std::uint64_t violations_ = 0;
};

/// Every history of the repository whose objects are all of this specification.
std::vector<History> corpus_of(const Specification& specification) {
  std::vector<History> all;
  for (const char* folder : {"/examples/data", "/tests"})
    for (const auto& entry :
         fs::recursive_directory_iterator(PLUMB_SOURCE_DIR + std::string(folder))) {
      const std::string extension = entry.path().extension();
      if (extension != ".jsonl" && extension != ".edn" && extension != ".json") continue;
      Result<History> history = read_history(entry.path());
      if (!history.ok() || history->objects.empty()) continue;
      bool fits = true;
      for (const Object& object : history->objects)
        fits = fits && (object.specification.empty() ||
                        find_specification(object.specification) == &specification);
      if (fits) all.push_back(std::move(*history));
    }
  return all;
}

class FamiliesOf : public testing::TestWithParam<const Specification*> {};

TEST_P(FamiliesOf, TheCorpusIsJudgedAndExplainedAsUnderItsOwnName) {
  Pair pair(*GetParam());
  int compared = 0;
  for (const History& history : corpus_of(*GetParam())) compared += pair.compare(history);
  EXPECT_GT(compared, 0) << "no history of " << GetParam()->name()
                         << " in examples/data or tests: add one to tests/golden";
}

TEST_P(FamiliesOf, RandomHistoriesAreJudgedAndExplainedAsUnderItsOwnName) {
  const Specification& plain = *GetParam();
  Pair pair(plain);
  const test::RandomHistories random(plain);
  const test::RandomOptions kinds[] = {
      {}, {.most = 16, .distinct = true}, {.most = 16, .one_key = true, .plain = true}};
  test::Draws draws(test::histories() / 10);
  draws.until("violations", pair.violations(), 20);
  for (const std::uint64_t i : draws)
    ASSERT_TRUE(pair.compare(random.make(test::seed_of(plain, i), kinds[i % 3])));
  EXPECT_EQ(draws.lacks(), "");
}

TEST_P(FamiliesOf, RelaxationsAreTheSame) {
  const Specification& plain = *GetParam();
  Pair pair(plain);
  const test::RandomHistories random(plain);
  QuasiOptions quasi;
  for (const Method& method : plain.methods())
    if (method.role == Role::takes) quasi.sets.push_back({{method.name}, 1});
  if (quasi.sets.empty()) return;
  for (std::uint64_t i = 0; i < 50; ++i)
    ASSERT_TRUE(pair.compare_relaxed(
        random.make(test::seed_of(plain, i), {.fewest = 6, .distinct = true, .plain = true}),
        quasi));
}

TEST_P(FamiliesOf, PropertiesOfRegistersAreTheSame) {
  const Specification& plain = *GetParam();
  Pair pair(plain);
  const test::RandomHistories random(plain);
  for (const HistoryProperty property :
       {HistoryProperty::regular, HistoryProperty::safe, HistoryProperty::sequential})
    for (std::uint64_t i = 0; i < 50; ++i)
      ASSERT_TRUE(pair.compare(random.make(test::seed_of(plain, i), {.plain = true}),
                               {.property = property}));
}

INSTANTIATE_TEST_SUITE_P(EverySpecification, FamiliesOf, testing::ValuesIn(all_specifications()),
                         [](const auto& info) { return test::test_name(*info.param); });

}  // namespace
}  // namespace plumb
