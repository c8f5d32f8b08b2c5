// SPDX-License-Identifier: MIT
// A search that is cut and goes on ends as if nothing had happened; and it goes on from nothing but
// its own, whole file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "how_many.hpp"
#include "looping_model.hpp"
#include "random_models.hpp"
#include "refine/verify.hpp"
#include "support/file_contents.hpp"
#include "switches.hpp"

namespace plumb::refine {
namespace {

using ::testing::HasSubstr;

class CheckpointFile {
 public:
  CheckpointFile()
      : path_((std::filesystem::temp_directory_path() /
               ("plumb-checkpoint-" + std::to_string(getpid())))
                  .string()) {
    std::filesystem::remove(path_);
  }
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;
  ~CheckpointFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }
  std::string contents() const { return file_contents(path_); }
  void write(const std::string& contents) const {
    std::ofstream(path_, std::ios::binary) << contents;
  }

 private:
  std::string path_;
};

struct CutQuestion {
  std::string name, text;
  model::Settings settings = {};
  SearchOptions options = {};
  bool explore_only = false;
};

Found search_model(const CutQuestion& q, const model::Program& program,
                   const SearchOptions& options, double seconds = 0) {
  Budget budget(seconds, 0, nullptr);
  return q.explore_only ? explore(program, options, budget) : refine(program, options, budget);
}

void expect_same(const Found& resumed, const Found& whole) {
  EXPECT_EQ(resumed.verdict, whole.verdict);
  EXPECT_EQ(resumed.kind, whole.kind);
  EXPECT_EQ(resumed.culprit, whole.culprit);
  EXPECT_EQ(resumed.states, whole.states);
  EXPECT_EQ(resumed.implementation, whole.implementation);
  EXPECT_EQ(resumed.transitions, whole.transitions);
  EXPECT_EQ(resumed.depth, whole.depth);
  EXPECT_EQ(resumed.cuts, whole.cuts);
  EXPECT_EQ(resumed.sets, whole.sets);
  EXPECT_EQ(resumed.largest_set, whole.largest_set);
  EXPECT_EQ(resumed.spec_states, whole.spec_states);
  if (whole.kind == Found::none) {
    EXPECT_EQ(resumed.coverage.code, whole.coverage.code);
    EXPECT_EQ(resumed.coverage.returned, whole.coverage.returned);
  }
  ASSERT_EQ(resumed.trace.size(), whole.trace.size());
  for (std::size_t i = 0; i < whole.trace.size(); ++i) {
    EXPECT_EQ(resumed.trace[i].process, whole.trace[i].process);
    EXPECT_EQ(resumed.trace[i].ordinal, whole.trace[i].ordinal);
  }
}

// Cut again and again, with other numbers of threads, until it comes to an end. Returns: how often
// it resumed from what was there.
int expect_resumes(const CutQuestion& q) {
  SCOPED_TRACE(q.name);
  const model::Compiled compiled = model::compile(q.text, q.settings);
  EXPECT_TRUE(compiled.program) << to_string(compiled.diagnostic, q.name, q.text);
  const Found whole = search_model(q, *compiled.program, q.options);
  const CheckpointFile file;
  SearchOptions options = q.options;
  options.checkpoint = {.file = file.path(), .key = q.name, .every_seconds = 0.001};
  int resumed = 0;
  for (double seconds = 2e-4;; seconds *= 1.7) {
    options.jobs = 3 - options.jobs;
    const Found found = search_model(q, *compiled.program, options, seconds);
    EXPECT_FALSE(found.refused || found.unsaved);
    resumed += found.states_before > 1;
    if (found.stopped == Budget::Stop::none) {
      expect_same(found, whole);
      EXPECT_FALSE(std::filesystem::exists(file.path()));
      return resumed;
    }
    EXPECT_TRUE(found.saved);
    EXPECT_GE(found.states, found.states_before);
  }
}

CutQuestion model_question(const std::string& name, const model::Settings& settings = {}) {
  return {name, file_contents(PLUMB_SOURCE_DIR "/models/" + name + ".plumb"), settings};
}

TEST(Checkpoints, GoOnToTheSameEnd) {
  int resumed = expect_resumes(model_question("counter", {{"N", 4}}));
  const int no_symmetry = 1 << 2, no_antichain = 1 << 4, no_generators = 1 << 5;
  for (const int mask : {0, no_symmetry, no_antichain, no_generators})
    for (CutQuestion q :
         {model_question("register", {{"K", 3}}), model_question("stack_treiber", {{"NODES", 2}}),
          model_question("register_upward"), model_question("snzi_announce"),
          model_question("lock_forgotten"), model_question("set_lazy_unchecked")}) {
      q.options.reductions = switched(mask);
      resumed += expect_resumes(q);
    }
  EXPECT_GT(resumed, 20);
}

TEST(Checkpoints, GoOnWithoutASpecificationAndWithHashCompaction) {
  int resumed = 0;
  for (const bool compact : {false, true})
    for (const bool explore_only : {false, true})
      for (CutQuestion q : {model_question("counter"), model_question("register_upward"),
                            model_question("stack_treiber", {{"NODES", 2}})}) {
        q.options.compact = compact;
        q.options.reductions.symmetry = !explore_only;
        q.explore_only = explore_only;
        resumed += expect_resumes(q);
      }
  EXPECT_GT(resumed, 10);
}

TEST(Checkpoints, GoOnInRandomModels) {
  for (std::uint64_t i = 0; i < how_many(30, 100); ++i) {
    std::mt19937 random = source_of(i);
    expect_resumes({"seed " + std::to_string(seed_of(i)), random_model(random, i % 2 == 0)});
  }
}

// A file that a search of the counter has left behind.
struct CutCounter {
  const std::string text = file_contents(PLUMB_SOURCE_DIR "/models/counter.plumb");
  const model::Program program = *model::compile(text, {{"N", 4}}).program;
  const CheckpointFile file;

  Result<VerifyReport> run(double seconds, VerifyOptions options = {}) const {
    options.timeout_seconds = seconds;
    options.checkpoint = file.path();
    return verify(program, text, options);
  }
  CutCounter() {
    for (double seconds = 0.005; !std::filesystem::exists(file.path()); seconds += 0.005) {
      const auto report = run(seconds);
      EXPECT_TRUE(report.ok() && report->found.stopped != Budget::Stop::none);
    }
  }
};

TEST(Checkpoints, AreSaidInTheReport) {
  const CutCounter cut;
  const std::atomic<bool> at_once{true};
  const auto again = cut.run(0, {.interrupt = &at_once});
  ASSERT_TRUE(again.ok());
  ASSERT_EQ(again->found.verdict, Verdict::undecided);
  ASSERT_EQ(again->notes.size(), 2u);
  EXPECT_THAT(again->notes[0], HasSubstr("resumed from " + cut.file.path()));
  EXPECT_THAT(again->notes[1], HasSubstr("from which the same command resumes"));
  const auto end = cut.run(0);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->found.verdict, Verdict::holds);
  EXPECT_EQ(end->found.states, 24'363u);
  EXPECT_FALSE(std::filesystem::exists(cut.file.path()));
}

void expect_refused(const CutCounter& cut, const std::string& why, const VerifyOptions& options) {
  const std::string before = cut.file.contents();
  const auto report = cut.run(0, options);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(report.error().message, HasSubstr(why));
  EXPECT_EQ(report.error().file, cut.file.path());
  EXPECT_TRUE(cut.file.contents() == before) << "a file that is not ours is left alone";
}

TEST(Checkpoints, OfOtherQuestionsAreRefused) {
  const CutCounter cut;
  const std::string why = "another model, other constants or other options";
  expect_refused(cut, why, {.question = ExploreOnly{}});
  expect_refused(cut, why, {.compact = true});
  for (const ReductionName& r : kReductions) {
    VerifyOptions options;
    options.reductions.*r.on = false;
    expect_refused(cut, why, options);
  }
  VerifyOptions options;
  options.checkpoint = cut.file.path();
  const auto larger = model::compile(cut.text, {{"N", 5}});
  EXPECT_THAT(verify(*larger.program, cut.text, options).error().message, HasSubstr(why));
  const std::string changed = cut.text + "// changed\n";
  EXPECT_THAT(verify(cut.program, changed, options).error().message, HasSubstr(why));
  EXPECT_EQ(cut.run(0, {.jobs = 2})->found.verdict, Verdict::holds);  // that does not matter
}

TEST(Checkpoints, ThatAreDamagedAreRefused) {
  const CutCounter cut;
  const std::string good = cut.file.contents();
  std::mt19937 random(7);
  const auto somewhere = [&](std::size_t from) {
    return std::uniform_int_distribution<std::size_t>(from, good.size() - 1)(random);
  };
  constexpr std::size_t kTitle = 16, kHead = 56;
  for (int i = 0; i < 50; ++i) {
    cut.file.write(good.substr(0, i < 3 ? kTitle + i : somewhere(kTitle)));
    expect_refused(cut, "damaged or not complete", {});
    std::string flipped = good;
    flipped[somewhere(kHead)] ^= static_cast<char>(1 << i % 8);
    cut.file.write(flipped);
    expect_refused(cut, "damaged or not complete", {});
  }
  cut.file.write(good + "x");
  expect_refused(cut, "damaged or not complete", {});
  std::string later = good;
  later[kTitle] = 99;
  cut.file.write(later);
  expect_refused(cut, "another version", {});
  for (const std::string other : {"", "plumb", "{\"history\":1}\n"}) {
    cut.file.write(other);
    expect_refused(cut, "not a checkpoint", {});
  }
  cut.file.write(good);
  EXPECT_EQ(cut.run(0)->found.verdict, Verdict::holds);
}

TEST(Checkpoints, ThatCanNotBeWrittenAreAnErrorAtOnce) {
  const std::string text = file_contents(PLUMB_SOURCE_DIR "/models/counter.plumb");
  const auto compiled = model::compile(text);
  const auto report =
      verify(*compiled.program, text, {.checkpoint = "/nonexistent/folder/counter.checkpoint"});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::usage);
  EXPECT_THAT(report.error().message, HasSubstr("cannot write"));
}

}  // namespace
}  // namespace plumb::refine
