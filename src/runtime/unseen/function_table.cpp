// SPDX-License-Identifier: MIT
#include "runtime/unseen/function_table.hpp"

#include <cstring>

namespace plumb::runtime {
namespace {

// Encodings of pointers (DW_EH_PE_*) that all linkers write here.
constexpr std::byte kVersion{1};
constexpr std::byte kCountUdata4{0x03};
constexpr std::byte kTableOfOffsets{0x3b};  // four bytes, from the header

std::int32_t int_at(const std::byte* at) {
  std::int32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Of an entry: length, its common part, begin (relative to itself), size.
std::uintptr_t end_of(const std::byte* entry, std::uintptr_t begin) {
  const std::byte* const begin_at = entry + 8;
  const auto said = reinterpret_cast<std::uintptr_t>(begin_at) +
                    static_cast<std::uintptr_t>(static_cast<std::intptr_t>(int_at(begin_at)));
  const std::int32_t size = int_at(begin_at + 4);
  return said == begin && size > 0 ? begin + static_cast<std::uintptr_t>(size) : begin;
}

}  // namespace

FunctionTable::FunctionTable(const std::byte* header) {
  if (header == nullptr || header[0] != kVersion || header[2] != kCountUdata4 ||
      header[3] != kTableOfOffsets)
    return;
  const auto base = reinterpret_cast<std::uintptr_t>(header);
  const auto count = static_cast<std::size_t>(static_cast<std::uint32_t>(int_at(header + 8)));
  all_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const row = header + 12 + 8 * i;
    const std::uintptr_t begin = base + static_cast<std::uintptr_t>(std::intptr_t{int_at(row)});
    const std::byte* const entry = header + int_at(row + 4);
    const std::uintptr_t end = end_of(entry, begin);
    if (end > begin) all_.push_back({begin, end});
  }
}

}  // namespace plumb::runtime
