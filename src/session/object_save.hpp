// SPDX-License-Identifier: MIT
// A campaign that is kept in a file while it runs, and continues from there: a line of JSON after
// each test, or twice a second; the last whole line counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "lineup/campaign.hpp"
#include "report/case.hpp"
#include "session/process.hpp"

namespace plumb::session {

class ObjectSave {
 public:
  ~ObjectSave();
  /// `identity`: of the program, and of what was asked of it.
  Status open(const std::string& file, std::uint64_t identity, const lineup::Object& object);
  /// What was kept there.
  const std::optional<lineup::CampaignState>& state() const { return state_; }
  /// Tests by name, for JUnit.
  std::vector<report::Case>& cases() { return cases_; }
  void write(const lineup::CampaignState& state, double now);
  void remove();  // it is over

 private:
  std::string line_of(const lineup::CampaignState& state) const;
  bool read(const Json& line, lineup::CampaignState& state) const;
  void read_cases(const Json& line);

  const lineup::Object* object_ = nullptr;
  std::string file_;
  std::uint64_t identity_ = 0;
  int fd_ = -1;
  double last_ = 0;
  std::optional<lineup::CampaignState> state_;
  std::vector<report::Case> cases_;
  std::size_t written_ = 0;  // of them
};

}  // namespace plumb::session
