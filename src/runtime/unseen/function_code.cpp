// SPDX-License-Identifier: MIT
#include "runtime/unseen/function_code.hpp"

#include <Zydis/Zydis.h>

#include <algorithm>

namespace plumb::runtime {
namespace {

bool has_memory_at_itself(const ZydisDecodedInstruction& one) {
  return (one.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 && one.raw.modrm.mod == 0 &&
         one.raw.modrm.rm == 5;
}

using Flow = FunctionCode::Instruction::Flow;

Flow flow_of(const ZydisDecodedInstruction& one) {
  const bool is_relative = one.raw.imm[0].is_relative;
  switch (one.mnemonic) {
    case ZYDIS_MNEMONIC_JMP: return is_relative ? Flow::jump : Flow::unknown;
    case ZYDIS_MNEMONIC_CALL: return is_relative ? Flow::call : Flow::unknown;
    case ZYDIS_MNEMONIC_RET: return Flow::back;
    case ZYDIS_MNEMONIC_SYSCALL:
    case ZYDIS_MNEMONIC_JCXZ:
    case ZYDIS_MNEMONIC_JECXZ:
    case ZYDIS_MNEMONIC_JRCXZ:
    case ZYDIS_MNEMONIC_LOOP:
    case ZYDIS_MNEMONIC_LOOPE:
    case ZYDIS_MNEMONIC_LOOPNE: return Flow::unknown;
    default: break;
  }
  if (one.meta.branch_type == ZYDIS_BRANCH_TYPE_NONE) return Flow::none;
  return one.meta.category == ZYDIS_CATEGORY_COND_BR && is_relative ? Flow::branch : Flow::unknown;
}

}  // namespace

FunctionCode& FunctionCode::read(CodeRange function) {
  static FunctionCode code;
  code.read_all(function);
  return code;
}

void FunctionCode::read_all(CodeRange function) {
  begin_ = function.begin;
  count_ = 0;
  jumps_anywhere_ = false;
  if (static_cast<std::size_t>(function.end - begin_) > kMostBytes) return;
  targets_.reset();
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  for (std::byte* at = begin_; at < function.end && count_ < kMost;) {
    ZydisDecodedInstruction one;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
            &decoder, nullptr, at, static_cast<ZyanUSize>(function.end - at), &one)))
      return;
    const bool at_itself = has_memory_at_itself(one);
    Instruction& kept = all_[count_++] = {};
    kept.at = at;
    kept.length = one.length;
    kept.distance = at_itself ? one.raw.disp.offset : std::uint8_t{0};
    kept.flow = flow_of(one);
    kept.condition = one.opcode & 0xf;
    const bool leads_elsewhere = kept.flow != Flow::none && one.raw.imm[0].is_relative;
    if (leads_elsewhere) {
      kept.target = at + one.length + one.raw.imm[0].value.s;
      const std::ptrdiff_t target = kept.target - begin_;
      if (target >= 0 && target < static_cast<std::ptrdiff_t>(kMostBytes))
        targets_.set(static_cast<std::size_t>(target));
    } else if (one.mnemonic == ZYDIS_MNEMONIC_JMP && !at_itself) {
      jumps_anywhere_ = true;  // by a table
    }
    at += one.length;
  }
}

std::span<const FunctionCode::Instruction> FunctionCode::from(const std::byte* at) const {
  const std::span<const Instruction> all(all_.data(), count_);
  const auto first = std::ranges::lower_bound(
      all, at, {}, [](const Instruction& one) { return static_cast<const std::byte*>(one.at); });
  return first == all.end() || first->at != at ? std::span<const Instruction>()
                                               : std::span(first, all.end());
}

std::span<const FunctionCode::Instruction> FunctionCode::room_at(const std::byte* at,
                                                                 std::size_t bytes) const {
  const std::span<const Instruction> rest = from(at);
  std::size_t room = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const bool is_target = targets_[static_cast<std::size_t>(rest[i].at - begin_)];
    if (rest[i].flow == Flow::unknown || (i > 0 && (is_target || jumps_anywhere_))) return {};
    room += rest[i].length;
    if (room >= bytes) return rest.first(i + 1);
    if (rest[i].flow == Flow::call) return {};  // it comes back to what follows
  }
  return {};
}

std::size_t FunctionCode::distance_in(const std::byte* at) const {
  const std::span<const Instruction> rest = from(at);
  return rest.empty() ? 0 : rest.front().distance;
}

}  // namespace plumb::runtime
