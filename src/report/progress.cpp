// SPDX-License-Identifier: MIT
#include "report/progress.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"
#include "explain/words.hpp"

namespace plumb::report {
namespace {

constexpr double kFirst = 2, kRedraw = 0.2, kPlain = 5;  // seconds

}  // namespace

ProgressLine::ProgressLine(ProgressMode mode, ProgressSink sink)
    : mode_(mode), sink_(std::move(sink)), next_(kFirst) {}

void ProgressLine::update(const std::string& file, double seconds, const CheckProgress& progress) {
  update_words(seconds, [&] { return progress_words(file, seconds, progress); });
}

void ProgressLine::update_words(double seconds, const std::function<std::string()>& words) {
  if (mode_ == ProgressMode::none || seconds < next_) return;
  const std::string text = text::printable(words());
  const bool redraw = mode_ == ProgressMode::automatic;
  next_ = seconds + (redraw ? kRedraw : kPlain);
  sink_(redraw ? "\r\x1b[K" + text::elide(text, 79) : text + "\n");
  drawn_ = drawn_ || redraw;
}

void ProgressLine::clear() {
  next_ = kFirst;
  if (!drawn_) return;
  sink_("\r\x1b[K");
  drawn_ = false;
}

std::string progress_words(const std::string& file, double seconds, const CheckProgress& progress) {
  std::string text =
      fmt::format("{}: {}", text::file_words(file), to_string(progress.phase.load()));
  if (const auto events = progress.events.load(); events > 0)
    text += fmt::format(
        "; {}, {:.2f} million per second, {} waiting", text::count_words(events, "event"),
        static_cast<double>(events) / seconds * 1e-6, text::count_words(progress.waiting.load()));
  const auto partitions = progress.partitions.load();
  if (partitions > 1)
    text += fmt::format("; {} of {}", text::count_words(progress.partitions_decided.load()),
                        text::count_words(partitions, "partition"));
  if (const auto operations = progress.operations.load(); operations > 0)
    text += partitions > 1
                ? fmt::format(", {} of {}", text::count_words(progress.operations_decided.load()),
                              text::count_words(operations, "operation"))
                : "; " + text::count_words(operations, "operation");
  return text + fmt::format("; {:.0f} s", seconds);
}

}  // namespace plumb::report
