// SPDX-License-Identifier: MIT
// A compilation unit: what of it is looked up by address.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plumb::dwarf {

/// A DIE's attribute as text, also if another DIE has it (its declaration, say); empty: none.
std::string text_of(Dwarf_Die& die, unsigned name);
std::string name_of(Dwarf_Die& die);
/// Of its own attribute.
std::optional<std::uint64_t> number_of(Dwarf_Die& die, unsigned name);

class Unit {
 public:
  explicit Unit(const Dwarf_Die& die) : die_(die) {}

  Dwarf_Die& die() { return die_; }
  /// Was it needed already?
  bool was_read() const { return was_read_; }
  /// The innermost function with code of its own there, not one that was inlined. Null: none.
  Dwarf_Die* function_at(std::uint64_t pc);
  struct Variable {
    std::uint64_t address;
    Dwarf_Die die;
  };
  /// Globals, members of classes and of functions that are static.
  const std::vector<Variable>& variables();
  /// "count", "Registry::count"
  std::string name_of_variable(const Variable& variable);
  /// Is a type in a namespace of the C++ library?
  bool is_of_library(Dwarf_Die& type);
  /// Is it a base of another class? Also true of a type that the unit has from elsewhere.
  bool is_base(Dwarf_Die& type);

 private:
  struct Function {
    std::uint64_t begin, end;
    Dwarf_Die die;
  };
  void read();
  bool contains(Dwarf_Die& die) const;
  void read_children(Dwarf_Die& parent, bool is_top);
  void read_namespace(Dwarf_Die& die, bool is_top);
  void add_function(Dwarf_Die& die);
  void add_variable(Dwarf_Die& die);
  void add_static(Dwarf_Die& parent, Dwarf_Die& die);
  void add_base(Dwarf_Die& inheritance);

  Dwarf_Die die_;
  bool was_read_ = false;
  std::vector<Function> functions_;
  std::vector<Variable> variables_;
  std::vector<std::pair<Dwarf_Off, Dwarf_Die>> statics_;  // members, with their classes
  std::vector<std::pair<Dwarf_Off, Dwarf_Off>> library_;  // from here to there
  std::vector<Dwarf_Off> bases_;
};

}  // namespace plumb::dwarf
