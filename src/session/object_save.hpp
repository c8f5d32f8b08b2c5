// SPDX-License-Identifier: MIT
// A campaign that is kept in a file while it runs, and continues from there: a line of JSON and its
// checksum, replaced twice a second. A file that is damaged, or of another version, is refused.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "lineup/campaign.hpp"
#include "report/case.hpp"
#include "session/saved_file.hpp"

namespace plumb::session {

class ObjectSave {
 public:
  /// `identity`: of the program, and of what was asked of it.
  Status open(const std::string& file, std::uint64_t identity, const lineup::Object& object);
  /// What was kept there.
  const std::optional<lineup::CampaignState>& state() const { return state_; }
  /// Tests by number, for JUnit.
  std::map<std::uint64_t, report::Case>& cases() { return cases_; }
  void write(const std::function<lineup::CampaignState()>& state, double now);
  void remove() { file_.remove(); }

 private:
  Json head() const;
  std::string line_of(const lineup::CampaignState& state) const;
  bool read(const Json& line, lineup::CampaignState& state) const;
  bool read_cases(const Json& line);
  Status resume(std::string_view text);

  const lineup::Object* object_ = nullptr;
  SavedFile file_;
  std::uint64_t identity_ = 0;
  SaveRhythm rhythm_;
  std::optional<lineup::CampaignState> state_;
  std::map<std::uint64_t, report::Case> cases_;
};

}  // namespace plumb::session
