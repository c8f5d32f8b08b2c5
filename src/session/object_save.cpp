// SPDX-License-Identifier: MIT
#include "session/object_save.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"

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
  visit("cut", &CampaignCounts::cut);
  visit("racy_tests", &CampaignCounts::racy_tests);
  visit("racy_passed", &CampaignCounts::racy_passed);
  visit("cyclic_tests", &CampaignCounts::cyclic_tests);
  visit("cyclic_passed", &CampaignCounts::cyclic_passed);
}

}  // namespace

std::string ObjectSave::line_of(const CampaignState& state) const {
  nlohmann::json json = {{"identity", identity_},
                         {"pass", {state.counts.pass.tests, state.counts.pass.seconds}},
                         {"fail", {state.counts.fail.tests, state.counts.fail.seconds}},
                         {"failed_tests", nlohmann::json::array()},
                         {"reason", to_word(state.cut)},
                         {"undecided_test", to_text(state.undecided_test, *object_)}};
  for_each_count([&](const char* name, auto member) { json[name] = state.counts.*member; });
  for (const lineup::Matrix& test : state.failed)
    json["failed_tests"].push_back(to_text(test, *object_));
  json["cases"] = nlohmann::json::array();
  for (std::size_t i = written_; i < cases_.size(); ++i) {
    const report::Case& one = cases_[i];
    json["cases"].push_back({one.name, one.outcome, one.message, one.seconds});
  }
  return dumped(json) + "\n";
}

// Of every line: each has those that are new.
void ObjectSave::read_cases(const std::string& line) {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("cases")) return;
  try {
    for (const auto& one : json["cases"]) {
      report::Case& added = cases_.emplace_back();
      added.name = one.at(0);
      added.outcome = one.at(1);
      added.message = one.at(2);
      added.seconds = one.at(3);
    }
  } catch (const nlohmann::json::exception&) {}
}

bool ObjectSave::read(const std::string& line, CampaignState& state) const {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (json.is_discarded() || !json.is_object() || json.value("identity", std::uint64_t{0}) == 0)
    return false;
  try {
    for_each_count([&](const char* name, auto member) {
      state.counts.*member = json.at(name).get<std::decay_t<decltype(state.counts.*member)>>();
    });
    state.counts.pass = {json.at("pass").at(0), json.at("pass").at(1)};
    state.counts.fail = {json.at("fail").at(0), json.at("fail").at(1)};
    const auto to_test = [&](const nlohmann::json& text, lineup::Matrix& test) {
      return lineup::parse(text.get<std::string>(), *object_, test).empty();
    };
    for (const auto& text : json.at("failed_tests")) {
      if (!to_test(text, state.failed.emplace_back())) return false;
    }
    state.cut = lineup::cut_of_word(json.at("reason"));
    if (state.cut && !to_test(json.at("undecided_test"), state.undecided_test)) return false;
  } catch (const nlohmann::json::exception&) { return false; }
  return true;
}

Trouble ObjectSave::open(const std::string& file, std::uint64_t identity,
                         const lineup::Object& object) {
  object_ = &object;
  identity_ = identity;
  file_ = file;
  fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd_ < 0)
    return {64, file + ": cannot be used: " + std::strerror(errno) + " (choose another file)"};
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    return {65, file + ": another run keeps its tests there (wait for it, or name another file)"};
  }
  const char* const remedy = " (name another file, or remove this one to begin from the start)";
  std::ifstream in(file, std::ios::binary);
  std::string last;
  for (std::string line; std::getline(in, line) && !in.eof();) {
    read_cases(line);
    last = line;
  }
  written_ = cases_.size();
  in.clear();
  if (last.empty()) return {};
  CampaignState state;
  if (!read(last, state)) return {65, file + ": these are no kept tests" + remedy};
  if (nlohmann::json::parse(last).value("identity", std::uint64_t{0}) != identity) {
    return {65, file + ": keeps the tests of another program, or with other options" + remedy};
  }
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
