// SPDX-License-Identifier: MIT
#include "dwarf/frames.hpp"

#include <gtest/gtest.h>

#include "dwarf/own_file.hpp"

namespace plumb::dwarf {

[[gnu::noinline]] const void* here() { return __builtin_return_address(0); }

// Not in a namespace without a name: g++ gives such functions no linkage names.
struct Subject {
  const void* place = nullptr;
  [[gnu::always_inline]] inline int innermost(int value) {
    place = here();  // innermost
    return value;
  }
  [[gnu::always_inline]] inline int middle(int value) {
    return innermost(value) + 1;  // middle
  }
  [[gnu::noinline]] int outermost(int value) {
    return middle(value) + 1;  // outermost
  }
};

namespace {

constexpr int kInnermostLine = 16;

TEST(Frames, InlinedFunctionsComeInnermostFirstEachWithItsOwnLine) {
  const auto file = own_file();
  ASSERT_NE(file, nullptr);
  Subject subject;
  ASSERT_EQ(subject.outermost(1), 3);
  const std::vector<Frame> frames = frames_at(*file, in_file(subject.place) - 1);
  ASSERT_EQ(frames.size(), 3U);
  const char* const names[] = {"innermost(int)", "middle(int)", "outermost(int)"};
  const int lines[] = {kInnermostLine, kInnermostLine + 4, kInnermostLine + 7};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(frames[i].function.ends_with(names[i])) << frames[i].function;
    EXPECT_EQ(frames[i].line, lines[i]);
    EXPECT_TRUE(frames[i].file.ends_with("/frames_test.cpp")) << frames[i].file;
    EXPECT_EQ(frames[i].file[0], '/');
  }
}

TEST(Frames, AnAddressOutsideOfTheProgramIsInNoFunction) {
  const auto file = own_file();
  ASSERT_NE(file, nullptr);
  EXPECT_TRUE(frames_at(*file, 1).empty());
}

TEST(Frames, AFileWithoutDebugInformationIsNoError) {
  EXPECT_EQ(DebugFile::open("/no/such/file"), nullptr);
  EXPECT_EQ(DebugFile::open(PLUMB_SOURCE_DIR "/README.md"), nullptr);
}

}  // namespace
}  // namespace plumb::dwarf
