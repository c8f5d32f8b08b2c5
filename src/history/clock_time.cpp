// SPDX-License-Identifier: MIT
#include "history/clock_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

namespace plumb {
namespace {

constexpr std::int64_t kOne = 1'000'000'000'000'000'000;  // of ClockTime::part

// The number in its digits and the power of ten of its point: "-12.5e3" is -, "125", 2 + 3.
struct Decimal {
  bool negative = false;
  std::string digits;
  long point = 0;  // so many digits stand before it
};

std::optional<Decimal> read_decimal(std::string_view text) {
  Decimal out;
  if (text.starts_with('-')) out.negative = true, text.remove_prefix(1);
  std::size_t i = 0;
  const auto take_digits = [&] {
    const std::size_t first = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') out.digits += text[i++];
    return static_cast<long>(i - first);
  };
  out.point = take_digits();
  if (i < text.size() && text[i] == '.') ++i, take_digits();
  if (out.digits.empty()) return std::nullopt;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && text[i] == '+') ++i;
    int exponent = 0;
    const auto r = std::from_chars(text.data() + i, text.data() + text.size(), exponent);
    if (r.ec != std::errc() || std::abs(exponent) > 1000) return std::nullopt;
    i = static_cast<std::size_t>(r.ptr - text.data());
    out.point += exponent;
  }
  if (i != text.size()) return std::nullopt;
  return out;
}

// Digits from `begin` to `end` of a number that has zeros on both sides.
std::optional<std::int64_t> integer_of(const Decimal& number, long begin, long end) {
  std::string text;
  for (long i = begin; i < end; ++i)
    text += i >= 0 && i < static_cast<long>(number.digits.size())
                ? number.digits[static_cast<std::size_t>(i)]
                : '0';
  std::int64_t value = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!text.empty() && r.ec != std::errc()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<ClockTime> to_clock_time(std::string_view text) {
  constexpr long kDigits = 18;
  const auto number = read_decimal(text);
  if (!number) return std::nullopt;
  const long size = static_cast<long>(number->digits.size());
  for (long i = std::max(0L, number->point + kDigits); i < size; ++i)
    if (number->digits[static_cast<std::size_t>(i)] != '0') return std::nullopt;
  if (number->point > 1000) return std::nullopt;
  const auto whole = integer_of(*number, std::min(0L, number->point), number->point);
  const auto part = integer_of(*number, number->point, number->point + kDigits);
  if (!whole || !part) return std::nullopt;
  if (!number->negative) return ClockTime{*whole, *part};
  return *part == 0 ? ClockTime{-*whole, 0} : ClockTime{-*whole - 1, kOne - *part};
}

std::string to_string(const ClockTime& time) {
  if (time.part == 0) return std::to_string(time.whole);
  const bool negative = time.whole < 0;
  std::string text = negative ? fmt::format("-{}.{:018}", -(time.whole + 1), kOne - time.part)
                              : fmt::format("{}.{:018}", time.whole, time.part);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

ClockTime shifted(ClockTime t, ClockTime by, bool back) {
  if (by == ClockTime{}) return t;
  std::int64_t whole;
  const bool overflow = back ? __builtin_sub_overflow(t.whole, by.whole, &whole)
                             : __builtin_add_overflow(t.whole, by.whole, &whole);
  using Limits = std::numeric_limits<std::int64_t>;
  if (overflow) return {back ? Limits::min() : Limits::max(), 0};
  const std::int64_t part = back ? t.part - by.part : t.part + by.part;
  const std::int64_t carry = part < 0 ? -1 : part >= kOne ? 1 : 0;
  if (__builtin_add_overflow(whole, carry, &whole))
    return {carry < 0 ? Limits::min() : Limits::max(), 0};
  return {whole, part - carry * kOne};
}

}  // namespace plumb
