// SPDX-License-Identifier: MIT
#include "session/object_save.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/exit_status.hpp"
#include "base/json_reader.hpp"

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

std::uint64_t identity_in(const Json& json) {
  std::uint64_t identity = 0;
  return read_member(json, "identity", identity) ? identity : 0;
}

}  // namespace

std::string ObjectSave::line_of(const CampaignState& state) const {
  Json json = Json::object({{"identity", identity_},
                            {"pass", spent_json(state.counts.pass)},
                            {"fail", spent_json(state.counts.fail)},
                            {"failed_tests", Json::array()},
                            {"reason", to_word(state.cut)},
                            {"stopped", static_cast<std::uint64_t>(state.cut.stopped)},
                            {"undecided_test", to_text(state.undecided_test, *object_)}});
  for_each_count([&](const char* name, auto member) { json[name] = state.counts.*member; });
  for (const lineup::Matrix& test : state.failed)
    json["failed_tests"].push_back(to_text(test, *object_));
  json["cases"] = Json::array();
  for (std::size_t i = written_; i < cases_.size(); ++i) {
    const report::Case& one = cases_[i];
    json["cases"].push_back(
        Json::array({one.name, static_cast<std::uint64_t>(one.outcome), one.message, one.seconds}));
  }
  return json.dump() + "\n";
}

// Of every line: each has those that are new.
void ObjectSave::read_cases(const Json& line) {
  for (const Json& one : line.items("cases")) {
    const Json::Array* const parts = one.items();
    if (!parts || parts->size() != 4 || !(*parts)[0].text() || !(*parts)[2].text()) return;
    report::Case& added = cases_.emplace_back();
    added.name = *(*parts)[0].text();
    added.message = *(*parts)[2].text();
    std::uint64_t outcome = 0;
    if (!plumb::session::read((*parts)[1], outcome) ||
        !plumb::session::read((*parts)[3], added.seconds))
      return;
    added.outcome = static_cast<report::CaseVerdict>(outcome);
  }
}

bool ObjectSave::read(const Json& json, CampaignState& state) const {
  if (identity_in(json) == 0) return false;
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
  fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd_ < 0)
    return Error{ErrorKind::usage, std::string("cannot be used: ") + std::strerror(errno),
                 "choose another file", file};
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0)
    return Error{ErrorKind::bad_input, "another run is saving its tests to this file",
                 "wait for it, or name another file", file};
  std::ifstream in(file, std::ios::binary);
  Json last;  // null: there is none
  bool any = false;
  for (std::string line; std::getline(in, line) && !in.eof(); any = true) {
    last = parse_json(line).value_or(Json());
    read_cases(last);
  }
  written_ = cases_.size();
  in.clear();
  if (!any) return {};
  CampaignState state;
  if (!read(last, state))
    return Error{ErrorKind::bad_input, "this is not a file of saved tests", kOtherSave, file};
  if (identity_in(last) != identity)
    return Error{ErrorKind::bad_input, "belongs to another program or to other options", kOtherSave,
                 file};
  state_ = std::move(state);
  return {};
}

void ObjectSave::write(const CampaignState& state, double now) {
  if (fd_ < 0 || now - last_ < 0.5) return;
  last_ = now;
  const std::string line = line_of(state);
  // A line that is cut off, by a full disk say, does not count.
  if (::write(fd_, line.data(), line.size()) == static_cast<ssize_t>(line.size()))
    written_ = cases_.size();
}

void ObjectSave::remove() {
  if (fd_ >= 0) unlink(file_.c_str());
}

ObjectSave::~ObjectSave() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace plumb::session
