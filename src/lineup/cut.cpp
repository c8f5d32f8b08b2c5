// SPDX-License-Identifier: MIT
#include "lineup/cut.hpp"

namespace plumb::lineup {
namespace {

constexpr std::pair<CutBy, const char*> kCutWords[] = {
    {CutBy::nothing, ""},
    {CutBy::time, "time"},
    {CutBy::memory, "memory"},
    {CutBy::interrupted, "interrupted"},
    {CutBy::executions, "executions"},
    {CutBy::steps, "steps"},
    {CutBy::threads, "threads"},
    {CutBy::depth, "depth"},
};

}  // namespace

Cut unjudged(StopReason stopped, const std::string& reason) {
  switch (stopped) {
    case StopReason::time_limit: return {CutBy::time};
    case StopReason::memory_limit: return {CutBy::memory};
    case StopReason::interrupted: return {CutBy::interrupted};
    default: return Cut::because("a history could not be judged: " + reason, stopped);
  }
}

std::string to_word(const Cut& cut) {
  for (const auto& [by, word] : kCutWords) {
    if (cut.by == by) return word;
  }
  return cut.text;
}

Cut cut_of_word(const std::string& word) {
  for (const auto& [by, known] : kCutWords) {
    if (word == known) return {by};
  }
  return Cut::because(word);
}

}  // namespace plumb::lineup
