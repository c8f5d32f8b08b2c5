// SPDX-License-Identifier: MIT
// The tests of a campaign, in their order, and how far each is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lineup/campaign.hpp"
#include "lineup/symmetry.hpp"

namespace plumb::lineup {

struct CampaignTest {
  Matrix test;
  bool is_mine = true;  // else another shard runs it
  TestProgress progress = {};
  std::optional<SerialHistories> serial = {};  // as in TestMemory
  std::size_t serial_bytes = 0;                // that it takes
};

/// Tests that are run one after the other. Numbers of tests grow from one list to the next.
struct TestList {
  std::uint64_t CampaignCounts::*begun;  // where those are counted that were run, by any shard
  std::uint64_t first_number;
  std::vector<CampaignTest> tests = {};
};

class CampaignTests {
 public:
  CampaignTests(const Object& object, const CampaignSettings& settings);

  TestList in_order{&CampaignCounts::in_order, 0};
  TestList at_random{&CampaignCounts::at_random, std::uint64_t{1} << 40};
  TestList given{&CampaignCounts::given, std::uint64_t{1} << 41};

  /// An operation reads its thread id: tests that differ in the order of their threads only are
  /// run as well, in order, after the others.
  void tell_threads_apart();
  bool may_tell_threads_apart() const;  // it was not done, and would add tests
  /// Whether all tests of the sizes that were asked for are there, and not only the first of them.
  bool has_all() const { return has_all_; }
  int random_columns() const;

  /// Of all tests that this shard runs, so many at the same time.
  std::vector<StageCount> count(const std::vector<Stage>& stages, unsigned at_once) const;
  template <class Visit>
  void for_each(Visit visit) const {
    for (const TestList* const list : {&in_order, &at_random, &given})
      for (const CampaignTest& test : list->tests)
        if (test.is_mine) visit(test);
  }

 private:
  template <class IsWanted>
  void enumerate_those(IsWanted is_wanted);
  void add(TestList& list, Matrix test) const;
  Matrix with_end(const Matrix& test) const;

  const Object& object_;
  const CampaignSettings& settings_;
  Alphabet alphabet_;
  Symmetry alike_;
  bool are_apart_ = false;
  bool has_all_ = true;
};

/// Whether a test is through with a stage: nothing of it is left to be run.
bool is_through(const TestProgress& progress, const Stage& stage, std::size_t number);

/// Adds what is counted of a test (its verdict, and what its stages have in common), or takes it
/// away again.
void count_in(const TestProgress& progress, CampaignCounts& counts);
void count_out(const TestProgress& progress, CampaignCounts& counts);

}  // namespace plumb::lineup
