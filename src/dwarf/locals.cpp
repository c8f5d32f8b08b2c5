// SPDX-License-Identifier: MIT
#include "dwarf/locals.hpp"

#include <dwarf.h>

namespace plumb::dwarf {
namespace {

constexpr unsigned kFramePointer = 6;  // rbp
constexpr unsigned kStackPointer = 7;  // rsp

// What a location says, if it is one operation.
std::optional<Dwarf_Op> only_operation(Dwarf_Die& die, unsigned name, std::uint64_t pc) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(&die, name, &attribute) == nullptr ||
      dwarf_getlocation_addr(&attribute, pc, &operations, &count, 1) != 1 || count != 1)
    return std::nullopt;
  return operations[0];
}

class Locals {
 public:
  Locals(Unit& unit, const StackFrame& frame, std::uint64_t address)
      : unit_(unit), frame_(frame), address_(address) {}

  std::optional<Local> find(Dwarf_Die& function) {
    base_ = frame_base(function);
    return base_ ? find_in(function) : std::nullopt;
  }

 private:
  std::optional<std::uint64_t> frame_base(Dwarf_Die& function) const {
    const std::optional<Dwarf_Op> op = only_operation(function, DW_AT_frame_base, frame_.pc);
    if (!op) return std::nullopt;
    switch (op->atom) {
      case DW_OP_call_frame_cfa: return frame_.end;
      case DW_OP_reg0 + kStackPointer: return frame_.begin;
      // It was pushed below the return address, which is below the canonical frame address.
      case DW_OP_reg0 + kFramePointer: return frame_.end - 16;
      default: return std::nullopt;
    }
  }

  // Also in the functions that were inlined there.
  std::optional<Local> find_in(Dwarf_Die& parent) {
    Dwarf_Die die;
    if (dwarf_child(&parent, &die) != 0) return std::nullopt;
    do {
      switch (dwarf_tag(&die)) {
        case DW_TAG_variable:
        case DW_TAG_formal_parameter:
          if (std::optional<Local> found = check(die)) return found;
          break;
        case DW_TAG_lexical_block:
        case DW_TAG_inlined_subroutine:
          if (is_elsewhere(die)) break;
          if (std::optional<Local> found = find_in(die)) return found;
          break;
        default: break;
      }
    } while (dwarf_siblingof(&die, &die) == 0);
    return std::nullopt;
  }

  bool is_elsewhere(Dwarf_Die& scope) const {
    const bool says = dwarf_hasattr(&scope, DW_AT_low_pc) || dwarf_hasattr(&scope, DW_AT_ranges);
    return says && dwarf_haspc(&scope, frame_.pc) <= 0;
  }

  std::optional<Local> check(Dwarf_Die& variable) const {
    const std::optional<Dwarf_Op> op = only_operation(variable, DW_AT_location, frame_.pc);
    std::uint64_t place = 0;
    if (op && op->atom == DW_OP_fbreg) place = *base_ + op->number;
    else if (op && op->atom == DW_OP_breg0 + kStackPointer) place = frame_.begin + op->number;
    else return std::nullopt;
    const std::optional<Type> type = Type::of(variable, unit_);
    const std::string name = name_of(variable);
    if (name.empty() || !type || address_ < place || address_ - place >= type->size())
      return std::nullopt;
    return Local{place, name, *type};
  }

  Unit& unit_;
  const StackFrame& frame_;
  std::uint64_t address_;
  std::optional<std::uint64_t> base_;
};

}  // namespace

std::optional<Local> local_at(DebugFile& file, const StackFrame& frame, std::uint64_t address) {
  Unit* const unit = file.unit_at(frame.pc);
  Dwarf_Die* const function = unit == nullptr ? nullptr : unit->function_at(frame.pc);
  if (function == nullptr) return std::nullopt;
  return Locals(*unit, frame, address).find(*function);
}

}  // namespace plumb::dwarf
