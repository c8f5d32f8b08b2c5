// SPDX-License-Identifier: MIT
#include "session/object_save.hpp"

#include "base/json_reader.hpp"
#include "session/watch.hpp"

namespace plumb::session {
namespace {

using lineup::CampaignCounts;
using lineup::CampaignState;
using lineup::TestProgress;

// All of them, by name: written and read in the same way.
template <class Visit>
void for_each_count(Visit visit) {
  visit("in_order", &CampaignCounts::in_order);
  visit("random", &CampaignCounts::at_random);
  visit("given", &CampaignCounts::given);
  visit("begun", &CampaignCounts::begun);
  visit("passed", &CampaignCounts::passed);
  visit("failed", &CampaignCounts::failed);
  visit("undecided", &CampaignCounts::undecided);
  visit("with_stuck", &CampaignCounts::with_stuck);
  visit("all_schedules", &CampaignCounts::all_schedules);
  visit("executions", &CampaignCounts::executions);
  visit("histories", &CampaignCounts::histories);
  visit("violating", &CampaignCounts::violating);
  visit("sequentializations", &CampaignCounts::sequentializations);
  visit("permutations", &CampaignCounts::permutations);
  visit("serial_histories", &CampaignCounts::serial_histories);
  visit("most_serial_histories", &CampaignCounts::most_serial_histories);
  visit("most_points", &CampaignCounts::most_points);
  visit("serial_seconds", &CampaignCounts::serial_seconds);
  visit("most_serial_seconds", &CampaignCounts::most_serial_seconds);
  visit("threads_differ", &CampaignCounts::threads_differ);
  visit("guessed", &CampaignCounts::guessed);
  visit("calls", &CampaignCounts::calls);
  visit("compared", &CampaignCounts::compared);
  visit("racy", &CampaignCounts::racy);
  visit("cyclic", &CampaignCounts::cyclic);
  visit("cut", &CampaignCounts::truncated);
  visit("racy_tests", &CampaignCounts::racy_tests);
  visit("racy_passed", &CampaignCounts::racy_passed);
  visit("cyclic_tests", &CampaignCounts::cyclic_tests);
  visit("cyclic_passed", &CampaignCounts::cyclic_passed);
}

Json spent_json(const lineup::Spent& spent) { return Json::array({spent.tests, spent.seconds}); }

// Each: false where that is not what stands there.
bool read(const Json& json, bool& flag) {
  if (!json.flag()) return false;
  flag = *json.flag();
  return true;
}
bool read(const Json& json, std::uint64_t& count) {
  if (!json.count()) return false;
  count = *json.count();
  return true;
}
bool read(const Json& json, double& real) {
  if (!json.real()) return false;
  real = *json.real();
  return true;
}
bool read(const Json& json, std::vector<std::uint64_t>& counts) {
  if (!json.items()) return false;
  for (const Json& item : *json.items())
    if (!read(item, counts.emplace_back())) return false;
  return true;
}
bool read(const Json& json, std::vector<double>& reals) {
  if (!json.items()) return false;
  for (const Json& item : *json.items())
    if (!read(item, reals.emplace_back())) return false;
  return true;
}
bool read(const Json& json, lineup::Spent& spent) {
  const Json::Array* const items = json.items();
  return items && items->size() == 2 && read((*items)[0], spent.tests) &&
         read((*items)[1], spent.seconds);
}
// How far the tests of a list are.
Json progress_json(const std::vector<TestProgress>& tests) {
  Json json = Json::array();
  for (const TestProgress& t : tests) {
    // Most tests are at the beginning, or have nothing to add.
    json.push_back(Json::array());
    if (t.seconds.empty()) continue;
    json.back() =
        Json::array({static_cast<std::uint64_t>(t.verdict), t.is_over, t.all_schedules, t.has_stuck,
                     t.racy, t.cyclic, to_word(t.cut), static_cast<std::uint64_t>(t.cut.stopped),
                     t.histories, t.stages, t.executions, t.seconds, t.points});
  }
  return json;
}

bool read(const Json& json, TestProgress& t) {
  const Json::Array* const parts = json.items();
  if (!parts || parts->empty()) return parts != nullptr;
  if (parts->size() != 13 || !(*parts)[6].text()) return false;
  std::uint64_t verdict = 0, stopped = 0;
  const auto part = [&](std::size_t i, auto& value) { return read((*parts)[i], value); };
  const bool good = part(0, verdict) && part(1, t.is_over) && part(2, t.all_schedules) &&
                    part(3, t.has_stuck) && part(4, t.racy) && part(5, t.cyclic) &&
                    part(7, stopped) && part(8, t.histories) && part(9, t.stages) &&
                    part(10, t.executions) && part(11, t.seconds) && part(12, t.points);
  t.verdict = static_cast<TestProgress::Verdict>(verdict);
  t.cut = lineup::cut_of_word(std::string(*(*parts)[6].text()));
  t.cut.stopped = static_cast<StopReason>(stopped);
  return good && verdict <= static_cast<std::uint64_t>(TestProgress::Verdict::fail);
}

bool read(const Json& json, std::vector<TestProgress>& tests) {
  if (!json.items()) return false;
  for (const Json& item : *json.items())
    if (!read(item, tests.emplace_back())) return false;
  return true;
}

bool read_member(const Json& json, const char* name, auto& value) {
  const Json* const member = json.find(name);
  return member && read(*member, value);
}

constexpr std::uint64_t kSaveFormat = 3;

// What a file begins with, and what those of the first version did.
constexpr std::string_view kSaveBegin = "{\"saved_tests\":", kFirstSaveBegin = "{\"identity\":";

}  // namespace

Json ObjectSave::head() const {
  return Json::object({{"saved_tests", kSaveFormat}, {"identity", identity_}});
}

std::string ObjectSave::line_of(const CampaignState& state) const {
  Json json = head();
  json["pass"] = spent_json(state.counts.pass);
  json["fail"] = spent_json(state.counts.fail);
  for_each_count([&](const char* name, auto member) { json[name] = state.counts.*member; });
  json["tests_in_order"] = progress_json(state.in_order);
  json["tests_at_random"] = progress_json(state.at_random);
  json["tests_given"] = progress_json(state.given);
  json["cases"] = Json::array();
  for (const auto& [number, one] : cases_)
    json["cases"].push_back(Json::array(
        {one.name, static_cast<std::uint64_t>(one.outcome), one.message, one.seconds, number}));
  return json.dump() + "\n";
}

bool ObjectSave::read_cases(const Json& line) {
  for (const Json& one : line.items("cases")) {
    const Json::Array* const parts = one.items();
    if (!parts || parts->size() != 5 || !(*parts)[0].text() || !(*parts)[2].text()) return false;
    std::uint64_t number = 0;
    if (!plumb::session::read((*parts)[4], number)) return false;
    report::Case& added = cases_[number];
    added.name = *(*parts)[0].text();
    added.message = *(*parts)[2].text();
    std::uint64_t outcome = 0;
    if (!plumb::session::read((*parts)[1], outcome) ||
        !plumb::session::read((*parts)[3], added.seconds) ||
        outcome > static_cast<std::uint64_t>(report::CaseVerdict::error))
      return false;
    added.outcome = static_cast<report::CaseVerdict>(outcome);
  }
  return true;
}

bool ObjectSave::read(const Json& json, CampaignState& state) const {
  bool good = read_member(json, "pass", state.counts.pass) &&
              read_member(json, "fail", state.counts.fail) &&
              read_member(json, "tests_in_order", state.in_order) &&
              read_member(json, "tests_at_random", state.at_random) &&
              read_member(json, "tests_given", state.given);
  for_each_count([&](const char* name, auto member) {
    good = good && read_member(json, name, state.counts.*member);
  });
  return good;
}

Status ObjectSave::open(const std::string& file, std::uint64_t identity,
                        const lineup::Object& object) {
  object_ = &object;
  identity_ = identity;
  const Result<std::optional<std::string>> found = file_.open(file, "tests");
  if (!found.ok()) return found.error();
  return found->has_value() ? resume(**found) : file_.put(head().dump() + "\n");
}

Status ObjectSave::resume(std::string_view text) {
  const auto is_no_save = [this] { return file_.refused("this is not a file of saved tests"); };
  if (text.starts_with(kFirstSaveBegin))
    return file_.refused("was saved by another version of plumb");
  if (!text.starts_with(kSaveBegin)) return is_no_save();
  const std::optional<std::string_view> line = SavedFile::content_of(text);
  if (!line) return file_.refused("the saved tests are damaged or not complete");
  const std::optional<Json> json = parse_json(*line);
  std::uint64_t format = 0, identity = 0;
  if (!json || !read_member(*json, "saved_tests", format) ||
      !read_member(*json, "identity", identity))
    return is_no_save();
  if (format != kSaveFormat) return file_.refused("was saved by another version of plumb");
  if (identity != identity_) return file_.refused("belongs to another program or to other options");
  if (!json->find("pass")) return {};  // nothing was tested yet
  CampaignState state;
  if (!read(*json, state) || !read_cases(*json)) return is_no_save();
  state_ = std::move(state);
  return {};
}

void ObjectSave::write(const std::function<CampaignState()>& state, double now) {
  if (!file_.is_open() || !rhythm_.is_due(now)) return;
  (void)file_.put(line_of(state())).ok();  // what cannot be saved now may be saved later
  rhythm_.saved(now, seconds_now());
}

}  // namespace plumb::session
