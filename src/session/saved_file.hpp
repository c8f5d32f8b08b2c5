// SPDX-License-Identifier: MIT
// A file of --save: what a run did so far, for the run that continues it. It is locked against
// other runs, replaced as a whole, and ends with a checksum; a damaged one is refused.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/output_file.hpp"
#include "plumb/result.hpp"

namespace plumb::session {

/// What to do about a file of --save that is of no use.
inline constexpr const char* kOtherSave =
    "name another file, or remove this one to begin from the start";

class SavedFile {
 public:
  SavedFile() = default;
  SavedFile(const SavedFile&) = delete;
  SavedFile& operator=(const SavedFile&) = delete;
  ~SavedFile();
  /// `kept`: what the run does, and the file holds ("tests"). Nothing: there was no such file, and
  /// now put() makes one.
  Result<std::optional<std::string>> open(const std::string& file, const char* kept);
  bool is_open() const { return !file_.empty(); }
  /// In place of all that was there, unless the file is another run's by now.
  Status put(std::string_view content);
  /// The content of a text that open() gave. Nothing: the file is damaged.
  static std::optional<std::string_view> content_of(std::string_view text);
  Error refused(const std::string& why) const;
  void remove();  // the run is over

 private:
  bool is_ours() const;

  std::string file_;
  int locked_ = -1;                      // the file that was there at the beginning
  std::unique_ptr<OutputFile> written_;  // the one that is there now
};

/// How often to save: no more than twice a second, and in at most a twentieth of the time.
class SaveRhythm {
 public:
  bool is_due(double now) const { return now >= next_; }
  void saved(double begin, double end);

 private:
  double next_ = 0;  // seconds
};

}  // namespace plumb::session
