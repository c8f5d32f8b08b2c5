// SPDX-License-Identifier: MIT
// plumb/verify.hpp as a program uses it: nothing of src/ is included here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "plumb/verify.hpp"

namespace plumb {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kModels = PLUMB_SOURCE_DIR "/models/";

TEST(ModelApi, ReadsAModelWithItsConstants) {
  const Result<Model> model = read_model(kModels + "counter.plumb", {{"N", 3}});
  ASSERT_TRUE(model) << model.error().to_string();
  EXPECT_EQ(model->object(), "Counter");
  EXPECT_EQ(model->processes(), 3u);
  EXPECT_THAT(model->constants(),
              ::testing::Contains(std::pair<std::string, std::int64_t>("N", 3)));
  EXPECT_THAT(model->operations(), ::testing::Not(IsEmpty()));
  EXPECT_TRUE(model->question() == Question(Criterion::linearizable));
}

TEST(ModelApi, SaysWhatIsWrongWithAModel) {
  EXPECT_EQ(read_model("/nowhere/m.plumb").error().kind, ErrorKind::missing_file);
  const Result<Model> wrong = read_model_text("object O {\n  op f( { }\n}\n", "o.plumb");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::bad_input);
  EXPECT_EQ(wrong.error().file, "o.plumb");
  EXPECT_EQ(wrong.error().line, 2u);
  EXPECT_THAT(wrong.error().details, HasSubstr("^"));
  const Result<Model> constant = read_model(kModels + "counter.plumb", {{"NONE", 1}});
  ASSERT_FALSE(constant);
  EXPECT_EQ(constant.error().kind, ErrorKind::usage);
}

TEST(ModelApi, ShowsAViolationAsStepsAndAsAHistory) {
  const Result<Model> model = read_model(kModels + "counter_lost.plumb");
  ASSERT_TRUE(model);
  SearchProgress progress;
  const Result<ModelReport> report = verify(*model, {.jobs = 0}, &progress);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->verdict, Verdict::violation);
  EXPECT_GT(report->states, 0u);
  EXPECT_GT(report->transitions, 0u);
  EXPECT_THAT(report->steps, ::testing::Not(IsEmpty()));
  EXPECT_THAT(report->steps.front().what, HasSubstr("call "));
  ASSERT_TRUE(report->history && report->counterexample);
  EXPECT_THAT(report->why, ::testing::Not(IsEmpty()));
  EXPECT_THAT(report->loop, IsEmpty());
}

TEST(ModelApi, AnswersEveryKindOfQuestion) {
  const Result<Model> model = read_model(kModels + "lock_ticket.plumb");
  ASSERT_TRUE(model);
  const Result<ModelReport> waits = verify(*model, {.question = ProgressCondition::lock_free});
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->verdict, Verdict::violation);
  EXPECT_FALSE(waits->history);
  EXPECT_THAT(waits->why, ::testing::Not(IsEmpty()));
  const Result<ModelReport> explored = verify(*model, {.question = ExploreOnly{}});
  ASSERT_TRUE(explored);
  EXPECT_EQ(explored->verdict, Verdict::holds);
  const Result<ModelReport> unknown = verify(*model, {.question = Returns{"jump"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::usage);
  EXPECT_THAT(unknown.error().file, HasSubstr("lock_ticket.plumb"));
}

TEST(ModelApi, IsInterrupted) {
  const Result<Model> model = read_model(kModels + "counter.plumb", {{"N", 6}});
  ASSERT_TRUE(model);
  const std::atomic<bool> stop{true};
  const Result<ModelReport> report = verify(*model, {.interrupt = &stop});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->verdict, Verdict::undecided);
  EXPECT_EQ(report->stopped, StopReason::interrupted);
}

}  // namespace
}  // namespace plumb
