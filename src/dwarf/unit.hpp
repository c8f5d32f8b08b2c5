// SPDX-License-Identifier: MIT
// A compilation unit: what of it is looked up by address.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::dwarf {

/// A DIE's attribute as text, also if another DIE has it (its declaration, say); empty: none.
std::string text_of(Dwarf_Die& die, unsigned name);
std::string name_of(Dwarf_Die& die);

class Unit {
 public:
  explicit Unit(const Dwarf_Die& die) : die_(die) {}

  Dwarf_Die& die() { return die_; }
  /// The innermost function with code of its own there, not one that was inlined. Null: none.
  Dwarf_Die* function_at(std::uint64_t pc);

 private:
  struct Function {
    std::uint64_t begin, end;
    Dwarf_Die die;
  };
  void read();
  void read_children(Dwarf_Die& parent);
  void add_function(Dwarf_Die& die);

  Dwarf_Die die_;
  bool was_read_ = false;
  std::vector<Function> functions_;
};

}  // namespace plumb::dwarf
