// SPDX-License-Identifier: MIT
#include "report/case.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "report/text.hpp"

namespace plumb::report {

Outcome outcome_of(Verdict verdict) {
  return verdict == Verdict::holds       ? Outcome::holds
         : verdict == Verdict::violation ? Outcome::violation
                                         : Outcome::undecided;
}

Case make_case(const Report& report, std::string name) {
  ReportText text = report_text(report, {});
  text.body.erase(0, text.body.find_first_not_of('\n'));
  const CheckScope* const check = report.check();
  const ModelScope* const model = report.model();
  return {std::move(name),
          report.error ? Outcome::error : outcome_of(report.verdict),
          std::move(text.message),
          std::move(text.body),
          report.replay,
          check   ? check->total_seconds
          : model ? model->total_seconds
                  : report.seconds};
}

namespace {

// The bytes of the character that begins there; 0: none does.
std::size_t speakable_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80              ? 1
                             : (first >> 5) == 0b110   ? 2
                             : (first >> 4) == 0b1110  ? 3
                             : (first >> 3) == 0b11110 ? 4
                                                       : 0;
  if (length == 0 || length > text.size()) return 0;
  if (length == 1) return first >= 0x20 || first == '\n' || first == '\t' ? 1 : 0;
  std::uint32_t point = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) >> 6) != 0b10) return 0;
    point = point << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0xa0, 0x800, 0x10000};  // below 0xa0: control too
  const bool is_surrogate = point >= 0xd800 && point < 0xe000;
  const bool is_character = point >= kLeast[length] && point < 0x110000 && !is_surrogate;
  return is_character && point != 0xfffe && point != 0xffff ? length : 0;
}

}  // namespace

std::string speakable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = speakable_length(text);
    out += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace plumb::report
