// SPDX-License-Identifier: MIT
// A campaign that is kept in a file while it runs, and continues from there: a line of JSON and its
// checksum, replaced twice a second. A file that is damaged, or of another version, is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/output_file.hpp"
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
  Json head() const;
  std::string line_of(const lineup::CampaignState& state) const;
  bool read(const Json& line, lineup::CampaignState& state) const;
  bool read_cases(const Json& line);
  Status resume(std::string_view text);
  Status put(const std::string& line);

  const lineup::Object* object_ = nullptr;
  std::string file_;
  std::uint64_t identity_ = 0;
  int locked_ = -1;                      // the file that was there at the beginning
  std::unique_ptr<OutputFile> written_;  // the one that is there now
  double next_ = 0;
  std::optional<lineup::CampaignState> state_;
  std::vector<report::Case> cases_;
};

}  // namespace plumb::session
