// SPDX-License-Identifier: MIT
#include "session/object_save.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/compiler_driver.hpp"
#include "base/json_reader.hpp"
#include "base/read_text.hpp"

namespace plumb::session {
namespace {

using lineup::CampaignCounts;
using lineup::CampaignState;

// All of them, by name: written and read in the same way.
template <class Visit>
void for_each_count(Visit visit) {
  visit("in_order", &CampaignCounts::in_order);
  visit("random", &CampaignCounts::at_random);
  visit("given", &CampaignCounts::given);
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
bool read(const Json& json, lineup::Spent& spent) {
  const Json::Array* const items = json.items();
  return items && items->size() == 2 && read((*items)[0], spent.tests) &&
         read((*items)[1], spent.seconds);
}
bool read_member(const Json& json, const char* name, auto& value) {
  const Json* const member = json.find(name);
  return member && read(*member, value);
}

constexpr std::uint64_t kSaveFormat = 2;
constexpr std::size_t kLargestSave = std::size_t{1} << 30;
constexpr double kSaveEvery = 0.5, kMostOfTime = 0.05;  // seconds; the part that saving may take

// What a file begins with, and what those of the first version did.
constexpr std::string_view kSaveBegin = "{\"saved_tests\":", kFirstSaveBegin = "{\"identity\":";

std::string sum_of(std::string_view line) { return ContentHash().add(line).hex() + "\n"; }

// The line before the sum. Nothing: the file is not whole.
std::optional<std::string_view> checked_line(std::string_view text) {
  const std::size_t end = text.find('\n') + 1;
  if (end == 0 || text.substr(end) != sum_of(text.substr(0, end))) return std::nullopt;
  return text.substr(0, end);
}

bool is_at(const struct stat& file, const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && found.st_dev == file.st_dev &&
         found.st_ino == file.st_ino;
}

}  // namespace

Json ObjectSave::head() const {
  return Json::object({{"saved_tests", kSaveFormat}, {"identity", identity_}});
}

std::string ObjectSave::line_of(const CampaignState& state) const {
  Json json = head();
  json["pass"] = spent_json(state.counts.pass);
  json["fail"] = spent_json(state.counts.fail);
  json["reason"] = to_word(state.cut);
  json["stopped"] = static_cast<std::uint64_t>(state.cut.stopped);
  json["undecided_test"] = to_text(state.undecided_test, *object_);
  json["failed_tests"] = Json::array();
  for_each_count([&](const char* name, auto member) { json[name] = state.counts.*member; });
  for (const lineup::Matrix& test : state.failed)
    json["failed_tests"].push_back(to_text(test, *object_));
  json["cases"] = Json::array();
  for (const report::Case& one : cases_)
    json["cases"].push_back(
        Json::array({one.name, static_cast<std::uint64_t>(one.outcome), one.message, one.seconds}));
  return json.dump() + "\n";
}

bool ObjectSave::read_cases(const Json& line) {
  for (const Json& one : line.items("cases")) {
    const Json::Array* const parts = one.items();
    if (!parts || parts->size() != 4 || !(*parts)[0].text() || !(*parts)[2].text()) return false;
    report::Case& added = cases_.emplace_back();
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
              read_member(json, "fail", state.counts.fail) && json.find("reason");
  for_each_count([&](const char* name, auto member) {
    good = good && read_member(json, name, state.counts.*member);
  });
  if (!good) return false;
  for (const Json& text : json.items("failed_tests"))
    if (!text.text() || !lineup::parse(*text.text(), *object_, state.failed.emplace_back()).empty())
      return false;
  state.cut = lineup::cut_of_word(std::string(json.text("reason")));
  std::uint64_t stopped = 0;
  if (read_member(json, "stopped", stopped)) state.cut.stopped = static_cast<StopReason>(stopped);
  return !state.cut ||
         lineup::parse(json.text("undecided_test"), *object_, state.undecided_test).empty();
}

Status ObjectSave::open(const std::string& file, std::uint64_t identity,
                        const lineup::Object& object) {
  object_ = &object;
  identity_ = identity;
  file_ = file;
  if (access(file.c_str(), F_OK) != 0) return put(head().dump() + "\n");
  const Error taken{ErrorKind::bad_input, "another run is saving its tests to this file",
                    "wait for it, or name another file", file};
  locked_ = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat about {};
  if (locked_ >= 0 && fstat(locked_, &about) == 0 && !S_ISREG(about.st_mode))
    return Error{ErrorKind::usage, "is not an ordinary file", "choose another file", file};
  if (locked_ < 0)
    return Error{ErrorKind::usage, std::string("cannot be used: ") + std::strerror(errno),
                 "choose another file", file};
  // Another run may have put a new one there meanwhile.
  if (flock(locked_, LOCK_EX | LOCK_NB) != 0 || !is_at(about, file)) return taken;
  const Result<std::string> text = read_text(file, kLargestSave);
  if (!text.ok()) return text.error();
  return resume(*text);
}

Status ObjectSave::resume(std::string_view text) {
  const auto refused = [this](const char* why) {
    return Error{ErrorKind::bad_input, why, kOtherSave, file_};
  };
  if (text.starts_with(kFirstSaveBegin)) return refused("was saved by another version of plumb");
  const std::optional<std::string_view> line = checked_line(text);
  if (!line)
    return refused(text.starts_with(kSaveBegin) ? "the saved tests are damaged or not complete"
                                                : "this is not a file of saved tests");
  const std::optional<Json> json = parse_json(*line);
  std::uint64_t format = 0, identity = 0;
  if (!json || !read_member(*json, "saved_tests", format) ||
      !read_member(*json, "identity", identity))
    return refused("this is not a file of saved tests");
  if (format != kSaveFormat) return refused("was saved by another version of plumb");
  if (identity != identity_) return refused("belongs to another program or to other options");
  if (!json->find("pass")) return {};  // nothing was tested yet
  CampaignState state;
  if (!read(*json, state) || !read_cases(*json))
    return refused("this is not a file of saved tests");
  state_ = std::move(state);
  return {};
}

// The new file is locked before it gets its name, so no other run ever finds it free.
Status ObjectSave::put(const std::string& line) {
  auto next = std::make_unique<OutputFile>();
  if (Status opened = next->open(file_); !opened.ok()) return opened;
  flock(next->descriptor(), LOCK_EX | LOCK_NB);
  next->write(line);
  next->write(sum_of(line));
  if (Status written = next->commit(); !written.ok()) return written;
  written_ = std::move(next);
  return {};
}

void ObjectSave::write(const CampaignState& state, double now) {
  if (file_.empty() || now < next_) return;
  const auto start = Clock::now();
  // Never in the place of another run's file. What cannot be saved now may be saved later.
  struct stat own {};
  const bool is_ours = fstat(written_ ? written_->descriptor() : locked_, &own) == 0;
  if (is_ours && is_at(own, file_)) (void)put(line_of(state)).ok();
  next_ = now + std::max(kSaveEvery, since(start) / kMostOfTime);
}

void ObjectSave::remove() {
  if (!file_.empty()) unlink(file_.c_str());
}

ObjectSave::~ObjectSave() {
  if (locked_ >= 0) close(locked_);
}

}  // namespace plumb::session
