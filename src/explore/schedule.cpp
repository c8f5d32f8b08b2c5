// SPDX-License-Identifier: MIT
#include "explore/schedule.hpp"

#include <charconv>

#include "explore/state.hpp"

namespace plumb::explore {

namespace {

constexpr std::uint64_t kMostSteps = 1 << 28;  // of a schedule that a user wrote

class ScheduleParser {
 public:
  ScheduleParser(std::string_view text, std::string& error) : text_(text), error_(error) {}

  std::optional<std::vector<std::uint8_t>> parse() {
    std::vector<std::uint8_t> schedule;
    if (text_.empty()) return schedule;
    do {
      int first = 0, limit = kMaxThreads;
      if (take('t')) first = kTimeout;
      else if (take('v')) first = kValue, limit = kMaxValues;
      const char* what = first == kValue ? "a value" : "a thread's number";
      const auto choice = number();
      if (!choice) return fail(std::string("expected ") + what);
      if (*choice >= static_cast<unsigned>(limit))
        return fail(std::string(what) + " is less than " + std::to_string(limit));
      std::uint64_t times = 1;
      if (take(':')) {
        const auto repeated = number();
        if (!repeated || *repeated == 0) return fail("expected a number of repetitions");
        times = *repeated;
      }
      if (schedule.size() + times > kMostSteps) return fail("too many steps");
      schedule.insert(schedule.end(), times,
                      static_cast<std::uint8_t>(first + static_cast<int>(*choice)));
    } while (take(','));
    if (at_ < text_.size()) return fail("expected a comma");
    return schedule;
  }

 private:
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (code != std::errc()) return std::nullopt;
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::nullopt_t fail(const std::string& why) {
    error_ = "schedule, character " + std::to_string(at_ + 1) + ": " + why +
             "; it looks like 0:3,1,t2,v1";
    return std::nullopt;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string& error_;
};

}  // namespace

std::string to_text(std::span<const std::uint8_t> schedule) {
  std::string text;
  for (std::size_t i = 0; i < schedule.size();) {
    std::size_t end = i;
    while (end < schedule.size() && schedule[end] == schedule[i]) ++end;
    const int choice = schedule[i];
    if (i > 0) text += ',';
    if (choice >= kValue) text += 'v' + std::to_string(choice - kValue);
    else if (choice >= kTimeout) text += 't' + std::to_string(choice - kTimeout);
    else text += std::to_string(choice);
    if (end - i > 1) text += ':' + std::to_string(end - i);
    i = end;
  }
  return text;
}

std::optional<std::vector<std::uint8_t>> parse_schedule(std::string_view text, std::string& error) {
  return ScheduleParser(text, error).parse();
}

}  // namespace plumb::explore
