// SPDX-License-Identifier: MIT
// The fuzzers' corpora and what they found once, in every build.
#include <gtest/gtest.h>

#include <filesystem>

#include "fuzz/property.hpp"
#include "plumb/formats.hpp"
#include "support/file_contents.hpp"

namespace plumb {
namespace {

TEST(FuzzCorpus, EveryFileIsRefusedOrSurvivesARoundTrip) {
  int files = 0;
  const std::filesystem::path corpus = PLUMB_SOURCE_DIR "/tests/fuzz/corpus";
  for (const auto& file : std::filesystem::recursive_directory_iterator(corpus)) {
    if (!file.is_regular_file()) continue;
    ++files;
    const std::string text = file_contents(file.path());
    // As its own format, by content, and cut off anywhere.
    const std::string folder = file.path().parent_path().filename();
    const bool compressed = folder == "gzip" || folder == "zstd" || folder == "any";
    EXPECT_EQ(failed_property(compressed ? "" : folder, text), "") << file.path();
    EXPECT_EQ(failed_property("", text), "") << file.path();
    for (std::size_t cut = 0; cut < text.size(); cut += 1 + text.size() / 50)
      EXPECT_EQ(failed_property(compressed ? "" : folder, text.substr(0, cut)), "")
          << file.path() << " cut at " << cut;
  }
  EXPECT_GE(files, 20);
}

TEST(FuzzCorpus, EveryFormatHasAFileThatIsAHistory) {
  for (const std::string_view format : readable_formats()) {
    int good = 0;
    const std::filesystem::path corpus = PLUMB_SOURCE_DIR "/tests/fuzz/corpus";
    for (const auto& file : std::filesystem::directory_iterator(corpus / format))
      good += read_history_text(file_contents(file.path()), "input").ok();
    EXPECT_GT(good, 0) << format;
  }
}

}  // namespace
}  // namespace plumb
